package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/system/shell"
)

// TestCommandsOfPagesAreRead reads every indented command of pages written by hand as the program does.
func TestCommandsOfPagesAreRead(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "<!-- Generated") {
			continue // it shows forms
		}
		for line := range strings.Lines(string(text)) {
			command, _, _ := strings.Cut(line, " #")
			command, _, _ = strings.Cut(command, " < ")
			if !strings.HasPrefix(command, "    cupola ") {
				continue
			}
			words, err := shell.Words(strings.TrimSpace(command))
			if err != nil || len(words) == 1 || strings.HasPrefix(words[1], "--host=") {
				continue // it continues in the next line, or is the dashboard
			}
			if !allVerbs().Read(words[1:]).OK {
				t.Errorf("%s: %s", filepath.Base(page), strings.TrimSpace(command))
			}
			read++
		}
	}
	if read < 100 {
		t.Errorf("only %d commands were read", read)
	}
}

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/system/shell"
)

// TestEveryCommandInAnAnswerRunsAsPrinted reads the answers on file and holds every
// command line that they suggest to what the program can read.
func TestEveryCommandInAnAnswerRunsAsPrinted(t *testing.T) {
	answers := []string{
		"../../robot/verbs/testdata/TestAnswersAreTheSameAsEver/*.golden",
		"../cupola/testdata/TestEveryExampleRunsAndFitsItsSchema/*.golden",
	}
	seen := 0
	for _, pattern := range answers {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				var answer any
				if json.Unmarshal([]byte(line), &answer) != nil {
					continue
				}
				for _, line := range suggested(answer, "") {
					seen++
					words, err := shell.Words(line)
					if err != nil {
						t.Fatal(err)
					}
					if !allVerbs().Read(words[1:]).OK {
						t.Errorf("%s suggests what cannot be run: %s", filepath.Base(file), line)
					}
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands were found", seen)
	}
}

// suggested returns the command lines of Cupola in an answer: texts that are
// under command, fix, actions or examples.
func suggested(value any, name string) (commands []string) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			commands = append(commands, suggested(member, key)...)
		}
	case []any:
		for _, element := range value {
			commands = append(commands, suggested(element, name)...)
		}
	case string:
		switch name {
		case "command", "fix", "actions", "examples":
			if strings.HasPrefix(value, "cupola ") && !strings.Contains(value, "jq '") {
				commands = append(commands, value)
			}
		}
	}
	return commands
}

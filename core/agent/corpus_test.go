package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
)

// capture is one recorded screen: what the index says of it.
type capture struct {
	File      string `json:"file"`
	Agent     string `json:"agent"`
	Version   string `json:"version"`
	State     string `json:"state"`
	Phase     string `json:"phase"`
	Size      string `json:"size"`
	Title     string `json:"title"`
	Alternate bool   `json:"alternate_on"`
	Cursor    [3]any `json:"cursor"`
	root      string
}

// corpus reads the index of a folder of recordings.
func corpus(t testing.TB, root string) []capture {
	t.Helper()
	index, err := os.Open(filepath.Join(root, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var captures []capture
	for lines := bufio.NewScanner(index); lines.Scan(); {
		c := capture{root: root}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		captures = append(captures, c)
	}
	return captures
}

// screen is the capture as an engine would have taken it.
func (c capture) screen(t testing.TB) *core.Screen {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.root, c.File+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	view := core.Viewport{AlternateOn: c.Alternate}
	if _, err := fmt.Sscanf(c.Size, "%dx%d", &view.Width, &view.Height); err != nil {
		t.Fatalf("%s: size %q: %v", c.File, c.Size, err)
	}
	x, _ := c.Cursor[0].(float64)
	y, _ := c.Cursor[1].(float64)
	visible, _ := c.Cursor[2].(bool)
	view.Cursor = core.Cursor{X: int(x), Y: int(y), Visible: visible}
	return &core.Screen{Lines: lines, Visible: len(lines), View: view, Title: c.Title}
}

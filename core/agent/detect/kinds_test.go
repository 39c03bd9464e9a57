package detect_test

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// TestScreensOfTheKindsThatComeAlong judges all recordings of the kinds whose recordings are all in this repository.
func TestScreensOfTheKindsThatComeAlong(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, c := range corpus(t, filepath.Join("..", "testdata", "screens")) {
		if !fewer[c.Agent] {
			continue
		}
		seen[c.Agent]++
		w := c.wanted()
		if reason, dialog := strings.CutPrefix(c.State, "dialog_"); dialog {
			w = want{[]core.State{core.Waiting}, core.Reason(reason)}
		}
		if v := c.judged(kinds, c.screen(t, ".txt")); !w.right(v) {
			t.Errorf("%s is judged %s/%s", c.File, v.State, v.Reason)
		}
	}
	for kind := range fewer {
		if seen[kind] < 10 {
			t.Errorf("%d screens of %s were judged", seen[kind], kind)
		}
	}
}

// fewer are these kinds.
var fewer = map[string]bool{"cline": true, "kilo": true, "pi": true}

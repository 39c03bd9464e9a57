package detect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
)

// TestAnAgentIsNeverAtWorkWhileADialogIsOpen judges every recorded dialog as that of an agent whose kind is not known,
// as it looks in other terminals too, while its screen changes and it says that it works.
func TestAnAgentIsNeverAtWorkWhileADialogIsOpen(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	generic, _ := kinds.Find(string(core.KindGeneric))
	captures := corpus(t, filepath.Join("..", "testdata", "screens"))
	if folder := os.Getenv("CUPOLA_TESTDATA"); folder != "" {
		captures = append(captures, corpus(t, filepath.Join(folder, "screens"))...)
	}
	same := func(_ testing.TB, _ *capture, s *core.Screen) *core.Screen { return s }
	as := append([]variant{{"as it is", same}}, variants...)
	scores := map[string]*score{}
	for _, c := range captures {
		want := c.wanted()
		if want.states[0] != core.Waiting || want.reason == "" || unshown[c.File] != "" {
			continue
		}
		for _, v := range as {
			if v.name == "colours" && strings.HasPrefix(c.root, "..") {
				continue // those that come along were taken without them
			}
			screen := v.of(t, &c, c.screen(t, ".txt"))
			if screen == nil {
				continue
			}
			verdict := detect.Judge(detect.Facts{
				Now: noon, Kind: generic, Process: core.Process{Command: c.Command}, Title: screen.Title,
				Screen: screen, Moved: noon, Kept: core.Working,
				ProgramStatus: &detect.ProgramStatus{State: core.Working, At: noon.Add(-time.Minute), Line: "working"},
			})
			if scores[v.name] == nil {
				scores[v.name] = &score{}
			}
			right := verdict.State == core.Waiting && verdict.Reason == want.reason
			scores[v.name].count(right)
			if !right {
				t.Logf("%s %s: %s %s, want %s", c.File, v.name, verdict.State, verdict.Reason, want.reason)
			}
			if verdict.State != core.Waiting && v.name == "as it is" {
				t.Errorf("%s is taken for %s: %s", c.File, verdict.State, strings.Join(verdict.Evidence, "; "))
			}
		}
	}
	for _, name := range sorted(scores) {
		t.Logf("%-12s %s", name, scores[name])
		if scores[name].percent() < 95 {
			t.Errorf("%s: %s are right", name, scores[name])
		}
	}
}

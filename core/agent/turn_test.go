package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// above is a screen that shows rows above the composer of a kind.
func above(kind string, rows ...string) *core.Screen {
	line := strings.Repeat("─", 40)
	composer := map[string][]string{
		"qwen":    {line, ">   Type your message or @path/to/file", line, "  ? for shortcuts"},
		"copilot": {" ~/src [⎇ main]", line, "❯ ", line, " / commands"},
	}[kind]
	rows = slices.Concat(rows, composer)
	view := core.Viewport{
		Width: 40, Height: len(rows), Cursor: core.Cursor{X: 2, Y: len(rows) - 3, Visible: kind != "qwen"},
	}
	return &core.Screen{Lines: rows, Visible: len(rows), View: view}
}

func TestTurnsAreDistinguished(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		rows []string
		want []agent.Turn
		ok   bool
	}{
		"several": {"qwen", []string{
			"  > first", "", "  ✦ Yes.", "", "  > second", "    of two lines", "", "  ✦ I look.", "  ╭──────╮",
			"  │ ✓ ls │", "  ╰──────╯",
			"  ✦ One:", "", "      code", "    Two.", "",
		}, []agent.Turn{{"first", "Yes."}, {"second\nof two lines", "One:\n\n  code\nTwo."}}, true},
		"one that began above": {
			"qwen",
			[]string{"    of it.", "  ✦ That is all.", "", "  > next", ""},
			[]agent.Turn{{"", "That is all."}, {"next", ""}},
			true,
		},
		"an indented one": {"qwen", []string{"    of it.", "    That is all."}, nil, false},
		"none yet":        {"qwen", []string{"  >_ Qwen Code (v0.15.10)", "  Tips: Type /"}, nil, true},
		"a quotation in answer": {
			"qwen",
			[]string{"  > say it", "", "  ✦ As you said:", "    > it"},
			[]agent.Turn{{"say it", "As you said:\n> it"}},
			true,
		},
		"thoughts and retries": {"copilot", []string{
			" ❯ think 6                    21:59 ┃", "                                    ┃",
			" ❯ Thought for 6s                   ┃",
			" ● Done.                            ┃", "                                    ┃",
			" ● Request failed due to an error   ┃",
		}, []agent.Turn{{"think 6", "Done."}}, true},
		"a queued prompt": {
			"copilot",
			[]string{" ❯ go           21:59", " ● I am", " ❯ later        21:59", "   └ [pending · ↑ recall]"},
			[]agent.Turn{{"go", "I am"}},
			true,
		},
		"a kind that says nothing of it": {"claude", []string{"❯ hello", "● Hi."}, nil, false},
	} {
		turns, ok := find(t, c.kind).Turns(above(c.kind, c.rows...))
		if ok != c.ok || !slices.Equal(turns, c.want) {
			t.Errorf("%s: %q, %v; want %q, %v", name, turns, ok, c.want, c.ok)
		}
	}
}

func TestTurnsReachIntoTheHistory(t *testing.T) {
	screen := above("qwen", "  > far above", "", "  ✦ It is long:", "    1", "    2", "    3")
	screen.Visible = len(screen.Lines) - 4
	screen.View.Height = screen.Visible
	turns, _ := find(t, "qwen").Turns(screen)
	if want := []agent.Turn{{"far above", "It is long:\n1\n2\n3"}}; !slices.Equal(turns, want) {
		t.Errorf("%q", turns)
	}
}

// The model of the recordings answers each prompt with one of a few sentences.
func TestTheLastMessageOfEveryRecordedAnswerIsFound(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	sentences := []string{
		"Hello! This is a short answer from the mock model.", "Recovered after the ", "Before I go on I need to know: ",
		"The tool call finished. Everything is done; let me know what you want next.",
		"(mock) no such tool offered; offered: ",
	}
	seen := 0
	for _, c := range corpus(t, filepath.Join(folder, "screens")) {
		if c.Agent != "copilot" && c.Agent != "qwen" || !strings.HasPrefix(c.State, "idle_after") {
			continue
		}
		seen++
		turns, ok := find(t, c.Agent).Turns(c.screen(t))
		if !ok || len(turns) == 0 {
			t.Errorf("%s: no turn", c.File)
			continue
		}
		last := turns[len(turns)-1]
		known := slices.ContainsFunc(sentences, func(s string) bool { return strings.HasPrefix(last.Message, s) })
		if !known || last.Prompt == "" || strings.Count(last.Message, "\n") > 1 ||
			strings.ContainsAny(last.Message, "❯┃⎇") {
			t.Errorf("%s: %q", c.File, last)
		}
	}
	if seen < 20 {
		t.Errorf("only %d recordings were read", seen)
	}
}

func TestOnlyAScreenWithoutAPromptIsFresh(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	fresh, seen := map[string]int{}, 0
	for _, c := range corpus(t, filepath.Join(folder, "screens")) {
		shown := find(t, c.Agent).Fresh(c.screen(t))
		switch {
		case c.State == "idle_fresh" && shown:
			fresh[c.Agent]++
		case c.State == "idle_fresh" || c.State == "draft_typed" || c.State == "starting":
		case shown:
			t.Errorf("%s: it was prompted", c.File)
		}
		seen++
	}
	if seen < 500 || fresh["claude"] < 5 || fresh["codex"] < 5 {
		t.Errorf("of %d recordings these are fresh: %v", seen, fresh)
	}
}

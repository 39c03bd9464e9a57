package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core/agent/search"
	"cupola/core/agent/transcript"
	"cupola/theme"
	found "cupola/tui/screen/search"
)

// hitsOf are texts that a search for "parser" found.
func hitsOf() []search.Hit {
	at := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	return []search.Hit{
		{
			At: at(2), Who: transcript.ByAgent, Pane: "api.1", Kind: "claude", Conversation: "97d00d8d",
			Dir:  "/src/api",
			Text: "The parser now keeps the last line; all 41 tests pass", File: "/c/a.jsonl", Offset: 4096,
		},
		{
			At: at(90), Who: transcript.ByUser, Kind: "codex", Conversation: "01a1fadc", Dir: "/src/web",
			Text: "…which of the three forms, so that nothing of it is lost: the Parser 日本語 drops it \x1b[2J",
			File: "/c/b.jsonl",
		},
		{At: at(3000), Who: transcript.ByTool, Kind: "opencode", Text: "parser.go:12: unreachable", Dir: "/src/web"},
		{At: at(9000), Who: search.ByScreen, Pane: "old.1", Text: "$ go test ./parser"},
	}
}

// passageOf is the conversation around one of them.
func passageOf() search.Passage {
	p := search.Passage{At: 1, Said: []transcript.Said{
		{Who: transcript.ByAgent, Text: "Which one?"},
		{Who: transcript.ByUser, Text: "So that nothing of it is lost:\nthe Parser 日本語 drops it \x1b[2J"},
		{Who: transcript.ByTool, Text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14"},
		{Who: transcript.ByAgent, Text: "Done."},
	}}
	for i := range p.Said {
		p.Said[i].At = noon.Add(time.Duration(i-91) * time.Minute)
	}
	return p
}

// ended is the result of a search that has ended.
func ended() found.Result {
	return found.Result{Hits: hitsOf(), Done: true, Totals: search.Totals{Sources: 12, Complete: true}}
}

// searched searches for a text, and gives what was found.
func (s *harness) searched() {
	s.press("F")
	s.write("parser")
	s.press("ctrl+s")
	answer[found.Question](s, ended())
}

func TestASearchListsWhatComesAndShowsItInPlace(t *testing.T) {
	s := newHarness(t, 0, 100, 30)
	s.press("F")
	s.write("parser")
	s.press("enter")
	asked := open[found.Question](s)
	if asked == nil || asked.want.Question.(found.Question).Text != "parser" {
		t.Fatalf("asked %+v", asked)
	}
	s.shows("searching")
	answer[found.Question](s, found.Result{Hits: hitsOf()[:1]})
	s.shows("1 hit…")
	s.shows("The parser now keeps")
	answer[found.Question](s, ended())
	s.shows("4 hits in 12 sources")
	if again := open[found.Question](s); again.pending {
		t.Error("an ended search is asked again")
	}
	s.press("j", "enter")
	answer[found.Around](s, passageOf())
	s.shows("Which one?")
	s.shows("nothing of it is lost")
	s.press("esc")
	s.shows("4 hits")
}

func TestAFoundConversationIsContinuedOrGoneTo(t *testing.T) {
	s := newHarness(t, 0, 100, 30)
	s.searched()
	s.press("r")
	if pane := s.model.choice.Shown(s.model.world.Snapshot); pane == nil || pane.Address() != "api.1" {
		t.Errorf("the agent in the conversation is not selected: %+v", pane)
	}
	s.searched()
	s.press("j", "r")
	s.shows("New session")
	s.shows("continues the conversation 01a1fadc")
	s.shows("codex=1")
	s.press("esc")
	s.searched()
	s.press("end", "r")
	s.shows("its conversation is not known")
}

// manyFound is in the middle of the hits of a search; the keys come after the first one is selected.
func manyFound(t *testing.T, keys ...string) *harness {
	t.Helper()
	s := newHarness(t, theme.None, 80, 12)
	s.searched()
	many, p := ended(), search.Passage{}
	for i := range 40 {
		hit := many.Hits[0]
		hit.Offset, hit.Text = int64(i), fmt.Sprint("parser ", i, strings.Repeat(" long", 40))
		many.Hits = append(many.Hits, hit)
		p.Said = append(p.Said, transcript.Said{Who: transcript.ByUser, Text: hit.Text})
	}
	answer[found.Question](s, many)
	s.press("pgdown")
	s.recorder.last()
	for _, key := range keys {
		s.press(key)
		answer[found.Around](s, p)
	}
	s.recorder.last()
	return s
}

package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cupola/core/agent/transcript"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/scrollback"
)

// scrollbackOf returns the scrollback of a pane of the fixture.
func scrollbackOf() scrollback.Text {
	lines := []string{"the first line"}
	for n := range 120 {
		lines = append(lines, fmt.Sprintf("\x1b[32mline %d\x1b[39m of the output", n+1))
	}
	lines = append(lines, strings.Repeat("a long line that goes on ", 12)+"to its end", "日本語の行", "the last line")
	return scrollback.Text{Source: "all that its terminal kept", Lines: lines}
}

// transcriptOf returns the recorded conversation of a pane of the fixture.
func transcriptOf() scrollback.Text {
	read := scrollback.Text{Source: "its own transcript"}
	read.Turns = []transcript.Turn{
		{
			Prompt: "Rename the handler\nand run the tests", Began: noon,
			Tools: []transcript.Tool{
				{Name: "Edit", Input: `{"file_path":"handler.go"}`, Done: true},
				{Name: "Bash", Input: `{"command":"go test ./..."}`, Done: true, Failed: true},
			},
			Said: []string{"I look at **handler.go** first.", "# Done\n\n- renamed `serve`\n- 日本語 stays"},
		},
		{Prompt: "and \x1b[2J now?", Failed: "API Error: 500", Began: noon},
		{Prompt: "go on", Interrupted: true},
	}
	return read
}

func TestScrollbackShowsItsEndAndScrolls(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("o")
	if got := about[scrollback.Question](s); got.Pane != screen.TargetOfPane(fixture().Pane("%1")) {
		t.Fatalf("asked %+v", got)
	}
	s.shows("reading")
	answer[scrollback.Question](s, scrollbackOf())
	s.shows("the last line")
	s.hides("the first line")
	s.press("pgup", "home")
	s.shows("the first line")
	s.press("end")
	s.shows("a long line that goes on")
	s.hides("to its end")
	s.press("W")
	s.shows("to its end")
	s.press("W")
	for range 16 {
		s.press("right")
	}
	s.shows("to its end")
	s.press("esc")
	s.shows("1/4 working")
}

func TestScrollbackFindsUpward(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("o")
	answer[scrollback.Question](s, scrollbackOf())
	s.press("/")
	s.write("LINE 5\n") // 5 and 50 to 59
	s.shows(`"LINE 5" 11 of 11`)
	s.shows("line 59 of")
	s.press("n", "n")
	s.shows("9 of 11")
	s.press("N")
	s.shows("10 of 11")
	s.press("/")
	s.write("no such\n")
	s.shows("no ")
	s.press("y")
	if got, is := s.recorder.last().(intent.CopyText); !is || !strings.Contains(got.Text, "line 5 of the output\n") ||
		strings.Contains(got.Text, "\x1b") {
		t.Errorf("copied %q", got.Text)
	}
}

func TestScrollbackOfAnotherPaneIsNotShown(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("o")
	before := *open[scrollback.Question](s)
	s.press("esc", "j", "o")
	s.model.Update(effect.Answered{Read: intent.Read{N: before.n}, Answer: scrollbackOf()})
	s.shows("reading")
	fail[scrollback.Question](s, errors.New("it went away"))
	s.shows("it went away")
}

func TestPeekLeadsIntoTheScrollback(t *testing.T) {
	s := newHarness(t, theme.None, 80, 40)
	s.press(" ", "pgup")
	answer[scrollback.Question](s, transcriptOf())
	s.press("home")
	s.shows("from its own transcript")
	s.shows("Rename the handler")
	s.shows("Bash (failed)")
	s.press("esc")
	s.shows("api.1")
	s.hides("transcript")
}

package agent

import (
	"strings"
	"testing"
)

func TestTextsStayWords(t *testing.T) {
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, text, want, note string }{
		{"claude", "run the tests", "run the tests", ""},
		{
			"claude", "!important: do it", " !important: do it",
			"a blank is typed before it, so that Claude Code does not take it for a shell command",
		},
		{"claude", "/api fails", "/api fails\n\n\n\n\n", "blank lines are typed after it"},
		{"claude", "see /api", "see /api ", ""},
		{"claude", "/usr/bin/ls is old", "/usr/bin/ls is old", ""},
		{"claude", `a \`, `a \ `, "a line break"},
		{"claude", "a\tb", "a\tb", "a tab becomes four blanks"},
		{"claude", "see @main.go and go on", "see @main.go and go on", ""},
		{"codex", "what is the cost in $", "what is the cost in $ ", ""},
		{"codex", "/model", " /model ", "does not take it for a command of its own"},
		{"gemini", "/help me", "\u2060/help me", "the invisible character U+2060 is typed before it"},
		{"opencode", "/models", "/models ", "for a command of its own"},
		{"opencode", "!ls", "!ls", ""},
		{"copilot", " !ls", "\u2060 !ls", "U+2060"},
		{"copilot", "look at @READ", "look at @READ ", ""},
		{"qwen", "/clear", "\u2060/clear ", "U+2060"},
	} {
		kind, _ := kinds.Find(c.kind)
		got := kind.Escape(c.text, false)
		notes := strings.Join(got.Notes, "; ")
		if got.Text != c.want || got.Refused != "" || got.Command != strings.Contains(notes, " command") ||
			!strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s, %q: %+v, want %q", c.kind, c.text, got, c.want)
		}
		if got := kind.Escape(c.text, true); got.Text != c.text || got.Notes != nil {
			t.Errorf("%s, %q as a command: %+v", c.kind, c.text, got)
		}
	}
}

func TestWhatNothingKeepsWordsIsRefused(t *testing.T) {
	kind := &Kind{Name: "Toy", Typing: Typing{Escape: []Escape{{Text: "^#", Taken: "a note"}}}}
	if got := kind.Escape("# a heading", false); got.Refused != "Toy would take it for a note" {
		t.Errorf("%+v", got)
	}
	if got := kind.Escape("a # sign", false); got.Refused != "" || got.Text != "a # sign" {
		t.Errorf("%+v", got)
	}
}

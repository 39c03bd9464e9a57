package agent_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"cupola/core"
)

// talk are texts that an agent may write without being in the state that they name.
var talk = []string{
	"429 Too Many Requests: rate limit reached, try again in 5 minutes.",
	"✕ [API Error: 401 Unauthorized: invalid API key]",
	"✗ Authentication failed with provider (HTTP 401).",
	"Usage limit reached. Your quota will reset after 3h.",
	"ℹ Request cancelled.",
	"● Operation cancelled by user",
	"⎿ Interrupted · What should I do instead?",
	"⠏ Thinking... (esc to cancel, 4s)",
	".. Reticulating splines (3s · ↓ 12 tokens · esc to cancel)",
	"◉ Working · 40 B esc esc interrupt",
	"⬝⬝⬝■■■■■ Rate limited [retrying in 4s attempt #2] esc interrupt",
	"Request failed due to a transient API error. Retrying...",
	"Queued (press ↑ to edit):",
	"QUEUED",
	"• Working (2s • esc to interrupt)",
	"Reconnecting... 2/5 (1s • esc to interrupt)",
	"Queued messages are sent when the turn ends.",
	"△ Permission required",
	"│ Allow execution of [Shell]? │",
	"│ ● 1. Allow once             │",
	"Do you want to proceed?",
	"❯ 1. Yes",
	"Enter to select · Esc to cancel",
	"Waiting for user confirmation...",
	"Context is almost full! 97% used",
}

// answers are how each kind draws an answer below its prompt, and the rows that
// are between the transcript and the composer.
var answers = map[string]struct {
	prompt       []string
	first, other string
	after        []string
	chrome       *regexp.Regexp
}{
	"claude": {
		prompt: []string{"❯ what is wrong?", ""}, first: "● ", other: "  ",
		after:  []string{"", "✻ Baked for 5s · done 9:35 PM"},
		chrome: regexp.MustCompile(`^$|^───|^ {20,}\S|^[·✢✳✶✻✽*] \S.*…( \(|$)|^ {2}⎿ {2}Tip: |^ {5}\S`),
	},
	"codex": {
		prompt: []string{"› what is wrong?", ""}, first: "• ", other: "  ",
		after:  []string{"", "  Worked for 5s • 21:35"},
		chrome: regexp.MustCompile(`^$|^[•◦] .*esc to interrupt\)`),
	},
	"gemini": {
		prompt: []string{" > what is wrong?", ""}, first: "✦ ", other: "  ",
		chrome: regexp.MustCompile(
			`^$|^─+$|^▄+$|^ [\x{2801}-\x{28ff}] .*esc to cancel|\? for shortcuts|^ Shift\+Tab|^ +Queued \(|^    `,
		),
	},
	"qwen": {
		prompt: []string{"  > what is wrong?", ""}, first: "  ✦ ", other: "    ",
		chrome: regexp.MustCompile(`^$|^─+$|esc to cancel\)|^  queued|^  (\.{1,3}|[\x{2801}-\x{28ff}]) `),
	},
	"opencode": {
		prompt: []string{"  ┃", "  ┃  what is wrong?", "  ┃", ""}, first: "     ", other: "     ",
		after:  []string{"", "     ▣  Build · Big Model · 4.5s"},
		chrome: regexp.MustCompile(`^$|^ +┃$`),
	},
	"copilot": {
		prompt: []string{" ❯ what is wrong?                   22:01", ""}, first: " ● ", other: "   ",
		chrome: regexp.MustCompile(`^$|^─+$|^ [~/].*\[⎇`),
	},
}

// answered returns a recording in which an answer of some lines was the last
// thing to happen.
func answered(t *testing.T, c capture, lines []string) *core.Screen {
	t.Helper()
	a := answers[c.Agent]
	s := c.screen(t)
	composer, found := find(t, c.Agent).Read(s).Composer()
	if !found {
		t.Fatalf("%s: no composer", c.File)
	}
	at := composer.Top
	for at > 0 && a.chrome.MatchString(strings.TrimRight(s.Lines[at-1], " ")) {
		at--
	}
	rows := slices.Concat([]string{""}, a.prompt, []string{a.first + lines[0]})
	for _, line := range lines[1:] {
		rows = append(rows, a.other+line)
	}
	rows = slices.Concat(rows, a.after, []string{""})
	s.Lines = slices.Insert(s.Lines, at, rows...)
	s.Visible = len(s.Lines)
	s.View.Height += len(rows)
	s.View.Cursor.Y += len(rows)
	return s
}

func TestTalkIsNoState(t *testing.T) {
	tried := 0
	for _, c := range corpus(t, "testdata/screens") {
		rest := strings.HasPrefix(c.State, "idle") || c.State == "draft_typed"
		if _, known := answers[c.Agent]; !known || !rest && c.State != "working" {
			continue
		}
		tried++
		kind := find(t, c.Agent)
		want := said(kind, c.screen(t))
		for i := range talk {
			lines := slices.Concat([]string{"This is what I saw:"}, talk[i:], talk[:i])
			s := answered(t, c, lines)
			// A line of an answer can look like a tool of OpenCode at work.
			if got := said(kind, s); got != want && got != want+"thinking" && got != want+"tool" {
				t.Errorf(
					"%s: after talk that ends in %q it is %q, not %q: %v", c.File, lines[len(lines)-1], got, want,
					kind.Read(s).Matches(),
				)
			}
			for _, m := range kind.Read(s).Matches() {
				if len(m.Rule.Notes) > 0 {
					t.Errorf("%s: talk is taken for a note: %v", c.File, m)
				}
			}
			if !kind.Read(s).Ready() {
				t.Errorf("%s: not ready after talk", c.File)
			}
		}
	}
	if tried < 8 {
		t.Errorf("only %d recordings were tried", tried)
	}
}

func TestAnAnswerOfASignAloneIsNoState(t *testing.T) {
	tried := 0
	for _, c := range corpus(t, "testdata/screens") {
		rest := strings.HasPrefix(c.State, "idle") || c.State == "draft_typed"
		if _, known := answers[c.Agent]; !known || !rest {
			continue
		}
		kind := find(t, c.Agent)
		want := said(kind, c.screen(t))
		for _, line := range talk {
			tried++
			if s := answered(t, c, []string{line}); said(kind, s) != want || !kind.Read(s).Ready() {
				t.Errorf(
					"%s: after the answer %q it is %q, not %q: %v", c.File, line, said(kind, s), want,
					kind.Read(s).Matches(),
				)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d answers were tried", tried)
	}
}

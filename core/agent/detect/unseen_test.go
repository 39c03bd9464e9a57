package detect_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fleettest"
)

// mislabelled are captures whose label was guessed afterwards, and whose screens end in
// an error.
var mislabelled = map[string]bool{
	"codex/idle_after_answer/26-120x40": true, "codex/idle_after_answer/71-120x40": true,
	"codex/idle_after_answer/73-120x40": true,
}

// finals are the recorded screens of turns that failed, in a folder with an index.
func finals(t *testing.T, root string) []capture {
	return slices.DeleteFunc(corpus(t, root), func(c capture) bool {
		return unshown[c.File] != "" || c.wanted().states[0] != core.Errored && c.wanted().states[0] != core.Limited
	})
}

// others are words that mean the same.
var others = []struct {
	form *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\b401\b`), "403"},
	{regexp.MustCompile(`\b(500|529)\b`), "502"},
	{regexp.MustCompile(`(?i)\bToo Many Requests\b`), "Slow Down: throttled"},
	{regexp.MustCompile(`(?i)\binvalid (api key)`), "Rejected $1"},
	{regexp.MustCompile(`(?i)\bNot logged in\b`), "Signed out"},
	{regexp.MustCompile(`(?i)\bIncorrect\b`), "Unknown"},
	{regexp.MustCompile(`(?i)\bCredit balance (is )?too low`), "Payment is overdue"},
	{regexp.MustCompile(`(?i)\bUnauthorized\b`), "Forbidden"},
	{regexp.MustCompile(`(?i)\bexceeded\b`), "exhausted"},
	{regexp.MustCompile(`(?i)\boverloaded\b`), "at capacity"},
	{regexp.MustCompile(`(?i)\bPlease run /login\b`), "Run /login once more"},
}

// mutations change the words of a failure and not what it means.
var mutations = []struct {
	name string
	of   func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"other words", func(s string) string {
		for _, other := range others {
			s = other.form.ReplaceAllString(s, other.text)
		}
		return s
	}},
	{"another order", func(s string) string {
		mark, rest := "", s
		if strings.HasPrefix(s, "⎿ ") || strings.HasPrefix(s, "● ") {
			mark, rest = s[:len("⎿ ")], s[len("⎿ "):]
		}
		before, after, found := strings.Cut(rest, " · ")
		if !found || strings.HasPrefix(mark, "●") {
			return s
		}
		return mark + after + " · " + before
	}},
	{"small letters", func(s string) string {
		if strings.HasPrefix(s, "●") {
			return s
		}
		return strings.ToLower(s)
	}},
}

// failureFloors are how many percent of the failures must be judged right.
var failureFloors = map[string]float64{
	"all rules: wordings, as it is, with the reason": 100, "all rules: older versions, with the reason": 100,
	"no words: wordings, as it is": 95, "no words: older versions": 95, "no words: recordings": 97,
	"all rules: wordings, other words": 97, "all rules: wordings, another order": 97,
	"all rules: wordings, small letters": 97,
}

// TestFailuresOfUnseenVersions judges failures in words that come from other versions than the rules: with all rules,
// and with none that knows any words. It prints how many are recognised, and how many screens without a failure are
// mistaken for one.
func TestFailuresOfUnseenVersions(t *testing.T) {
	known, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	unknown := fleettest.KindsWithout(t, "../kinds", core.Errored, core.Limited)
	scores := map[string]*score{}
	tally := func(right bool, names ...string) {
		for _, name := range names {
			if scores[name] == nil {
				scores[name] = &score{}
			}
			scores[name].count(right)
		}
	}
	judge := func(name string, c *capture, screen func() *core.Screen, want want) {
		for rules, kinds := range map[string]*agent.Kinds{"all rules": known, "no words": unknown} {
			verdict := c.judged(kinds, screen())
			state := slices.Contains(want.states, verdict.State)
			tally(state, rules+": "+name)
			tally(want.right(verdict), rules+": "+name+", with the reason")
			if !want.right(verdict) {
				t.Logf(
					"%s: %s: %s %s: %s %s instead of %s %s\n      %s", rules, name, c.Agent, c.File, verdict.State,
					verdict.Reason, want.states, want.reason, strings.Join(verdict.Evidence, "; "),
				)
			}
		}
	}
	for _, w := range wordings {
		for _, m := range mutations {
			for _, width := range []int{120, 80} {
				text := m.of(w.text)
				c := capture{
					File: fmt.Sprintf("%q at %d columns (%s)", text, width, w.source), Agent: w.agent, Command: "node",
				}
				if m.name != "as it is" && text == w.text {
					continue
				}
				judge(
					"wordings, "+m.name, &c, func() *core.Screen { return drawn(w.agent, "fix it", text, width, true) },
					want{[]core.State{w.state}, w.reason},
				)
			}
		}
	}
	roots := []string{"testdata/screens"}
	if os.Getenv("CUPOLA_TESTDATA") != "" {
		roots = append(roots, recordings(t))
	}
	for i, root := range roots {
		for _, c := range finals(t, root) {
			judge(
				[]string{"older versions", "recordings"}[i], &c, func() *core.Screen { return c.screen(t, ".txt") },
				c.wanted(),
			)
		}
		for _, c := range corpus(t, root) {
			want := c.wanted()
			if unshown[c.File] != "" || mislabelled[c.File] || want.states[0] == core.Errored ||
				want.states[0] == core.Limited {
				continue
			}
			for rules, kinds := range map[string]*agent.Kinds{"all rules": known, "no words": unknown} {
				verdict := c.judged(kinds, c.screen(t, ".txt"))
				alarm := verdict.State == core.Errored || verdict.State == core.Limited
				tally(!alarm, rules+": no false alarm")
				if alarm {
					t.Errorf(
						"%s: %s, which is %s, is taken for %s: %s", rules, c.File, want.states, verdict.State,
						strings.Join(verdict.Evidence, "; "),
					)
				}
			}
		}
	}
	for _, name := range []string{"claude", "codex", "gemini", "qwen", "copilot", "opencode"} {
		for _, said := range failureTalk {
			for _, prompt := range []string{"fix it", "what does API Error: 429 mean? quota exceeded, login expired"} {
				c := capture{Agent: name, Command: "node"}
				for rules, kinds := range map[string]*agent.Kinds{"all rules": known, "no words": unknown} {
					verdict := c.judged(kinds, drawn(name, prompt, said, 100, false))
					tally(verdict.State == core.Idle, rules+": talk about failures")
					if verdict.State != core.Idle {
						evidence := strings.Join(verdict.Evidence, "; ")
						t.Errorf("%s: %s says %q and is taken for %s: %s", rules, name, said, verdict.State, evidence)
					}
				}
			}
		}
	}
	for _, name := range sorted(scores) {
		t.Logf("%-50s %s", name, scores[name])
	}
	for name, floor := range failureFloors {
		if s := scores[name]; s != nil && s.percent() < floor {
			t.Errorf("%s: %s, want %.0f %%", name, s, floor)
		}
	}
}

// wrapped is a text in rows of a width, each behind an indent; the first has a mark.
func wrapped(text, mark, indent string, width int) []string {
	var rows []string
	for _, paragraph := range strings.Split(text, "\n") {
		row := indent
		if len(rows) == 0 {
			row = mark
		}
		lead := len([]rune(row))
		if strings.HasPrefix(paragraph, "    ") {
			rows = append(rows, row+paragraph)
			continue
		}
		for i, word := range strings.Fields(paragraph) {
			if i > 0 && len([]rune(row))+1+len([]rune(word)) > width {
				rows, row = append(rows, row), indent
				lead = len([]rune(row))
			}
			if len([]rune(row)) > lead {
				row += " "
			}
			row += word
		}
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return rows
}

// drawn is the screen of an agent that was asked something and failed, or answered.
func drawn(name, prompt, text string, width int, failed bool) *core.Screen {
	var rows []string
	add := func(more ...string) { rows = append(rows, more...) }
	rule := strings.Repeat("─", width)
	cursor := core.Cursor{X: 2, Visible: true}
	switch name {
	case "claude":
		add("❯ "+prompt, "")
		mark, rest := "● ", text
		if failed {
			mark, rest = text[:len("⎿ ")], text[len("⎿ "):]
		}
		if mark == "⎿ " {
			rows = rows[:len(rows)-1]
			add(wrapped(rest, "  ⎿  ", "     ", width)...)
		} else {
			add(wrapped(rest, mark, "  ", width)...)
		}
		add("", "✻ Baked for 0s", "", rule, "❯ ", rule, "  ? for shortcuts")
		cursor.Y = len(rows) - 3
	case "codex":
		add("› "+prompt, "", "")
		mark := "• "
		if failed {
			mark = "■ "
		}
		indent := "  "
		if failed {
			indent = ""
		}
		add(wrapped(text, mark, indent, width)...)
		add("", "› Ask Codex to do anything", "", "  gpt-5-codex · ~/work", "  ? for shortcuts")
		cursor.Y = len(rows) - 4
	case "gemini":
		add(strings.Repeat("▄", width), " > "+prompt, strings.Repeat("▀", width))
		mark := "✦ "
		if failed {
			mark = "✕ "
		}
		add(wrapped(text, mark, "  ", width)...)
		add(
			"", strings.Repeat(" ", width-15)+"? for shortcuts", rule, " Shift+Tab to accept edits",
			strings.Repeat("▄", width), " >   Type your message or @path/to/file", strings.Repeat("▀", width),
			" ~/work      no sandbox      gemini-2.5-pro",
		)
		cursor.Y, cursor.X, cursor.Visible = len(rows)-3, 3, false
	case "qwen":
		add("  > "+prompt, "")
		mark := "  ✦ "
		if failed {
			mark = "  ✕ "
		}
		add(wrapped(text, mark, "    ", width)...)
		add("", rule, ">   Type your message or @path/to/file", rule, "  ? for shortcuts")
		cursor.Y = len(rows) - 3
	case "copilot":
		add(" ❯ "+prompt+"    22:01", "")
		mark := " ● "
		if failed {
			mark = " ✗ "
		}
		add(wrapped(text, mark, "   ", width)...)
		add("", " ~/work [⎇ main]", rule, "❯ ", rule, " ← open sidebar · Interactive · / commands · ? help")
		cursor.Y = len(rows) - 3
	case "opencode":
		add("", "  ┃", "  ┃  "+prompt, "  ┃", "")
		if failed {
			add("  ┃")
			add(wrapped(text, "  ┃  ", "  ┃  ", width)...)
			add("  ┃", "", "     ▣  Build · Mock Model")
		} else {
			add(wrapped(text, "     ", "     ", width)...)
			add("", "     ▣  Build · Mock Model · 2.1s")
		}
		add(
			"", "  ┃", "  ┃", "  ┃", "  ┃  Build · Mock Model Mock", "  ╹"+strings.Repeat("▀", width-4),
			"   ~/work          1.5K (1%) · $0.06  ctrl+p commands",
		)
		cursor.Y, cursor.X = len(rows)-5, 5
	}
	view := core.Viewport{Width: width, Height: len(rows), Cursor: cursor}
	return &core.Screen{Lines: rows, Visible: len(rows), View: view}
}

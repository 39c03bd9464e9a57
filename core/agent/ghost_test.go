package agent_test

import (
	"regexp"
	"strings"
	"testing"
)

// composers are rows of each kind around the draft D, in a terminal of 34 columns.
var composers = map[string][]string{
	"claude":   {strings.Repeat("─", 34), "❯ D", strings.Repeat("─", 34), "  ? for shortcuts"},
	"codex":    {"› D", "", "  100% context left"},
	"copilot":  {strings.Repeat("─", 34), "❯ D", strings.Repeat("─", 34), " / commands · ? help"},
	"gemini":   {strings.Repeat("▄", 34), " > D", strings.Repeat("▀", 34), " ~/work   no sandbox"},
	"opencode": {"  ┃", "  ┃  D", "  ┃", "  ┃  Build · Big Model", "  ╹" + strings.Repeat("▀", 30)},
	"qwen":     {strings.Repeat("─", 34), "> D", strings.Repeat("─", 34), "  ? for shortcuts"},
	"copilot of many colours": {
		"╻" + strings.Repeat("▄", 33), "┃ D", "╹" + strings.Repeat("▀", 33), " / commands · ? help",
	},
}

func TestWhatAProgramShowsInItsComposerIsNoDraft(t *testing.T) {
	const grey, silver, faint, off = "\x1b[38;2;145;152;161;48;2;20;27;34m", "\x1b[38;5;248m", "\x1b[2m", "\x1b[0m"
	for name, test := range map[string]struct{ row, draft string }{
		"typed words":                {off + "fix it|", "fix it"},
		"a placeholder, grey":        {"|" + grey + "describe a task for a new session" + off, ""},
		"a placeholder, faint":       {"|" + faint + "any words" + off, ""},
		"a cursor of its own":        {"|\x1b[7ma" + off + silver + "ny words" + off, ""},
		"a suggestion":               {off + "fix |" + silver + "the tests" + off, "fix"},
		"a hint behind a command":    {off + "/clear |" + grey + "[prompt]" + off, "/clear"},
		"moved to the start":         {"|" + off + "fix it" + off, "fix it"},
		"moved into the middle":      {off + "fix |it" + off, "fix it"},
		"grey words before the rest": {off + "|" + grey + "fix" + off + " it", "fix it"},
		"green words":                {"|\x1b[38;5;2mfix it" + off, "fix it"},
		"many rows above, styled":    {off + "fix it|", "fix it"},
	} {
		for kind, rows := range composers {
			id, _, _ := strings.Cut(kind, " ")
			drawn := []string{"\x1b[31m some words", "above it" + off}
			for _, row := range rows {
				drawn = append(drawn, strings.Replace(row, "D", test.row, 1))
			}
			s := screen(drawn...)
			for y, row := range drawn { // the cursor is in cells, not in bytes
				if before, _, there := strings.Cut(row, "|"); there {
					s.View.Cursor.X = len([]rune(escapes.ReplaceAllString(before, "")))
					s.View.Cursor.Y = y
				}
			}
			if got, found := find(t, id).Read(s).Composer(); !found || got.Draft != test.draft {
				t.Errorf("%s, %s: found %v, draft %q instead of %q", kind, name, found, got.Draft, test.draft)
			}
		}
	}
}

func TestAHintIsKnownByItsWordsWithoutColours(t *testing.T) {
	for draft, want := range map[string]string{
		"/clear |[prompt]":                "/clear",
		"/clear| [prompt]":                "/clear",
		"/compact [focus instructions]":   "/compact",
		"/compact [focus instructions]|":  "/compact [focus instructions]",
		"see the list [1]":                "see the list [1]",
		"/rename |a name [of the folder]": "/rename a name [of the folder]",
	} {
		for _, kind := range []string{"copilot", "copilot of many colours"} {
			drawn := []string{}
			for _, row := range composers[kind] {
				drawn = append(drawn, strings.Replace(row, "D", draft, 1))
			}
			s := screen(drawn...)
			if !strings.Contains(draft, "|") { // the terminal has lost the focus
				s.View.Width, s.View.Height, s.View.Cursor.Y = 80, len(drawn), len(drawn)-1
			}
			if got, found := find(t, "copilot").Read(s).Composer(); !found || got.Draft != want {
				t.Errorf("%s, %q: found %v, draft %q", kind, draft, found, got.Draft)
			}
		}
	}
}

func TestAComposerIsFoundWithoutTheCursor(t *testing.T) {
	for kind, rows := range map[string][]string{
		"copilot": {
			"╻" + strings.Repeat("▄", 33), "┃ fix it", "╹" + strings.Repeat("▀", 33),
			" Interactive · Manual Approval · @ files · # issues   mock-model",
		},
		"gemini": {
			strings.Repeat("─", 34), " Shift+Tab to accept edits", "", " >   fix it", "",
			" workspace (/directory)      sandbox        /model", " ~/work                      no sandbox     pro",
		},
	} {
		s := screen(rows...)
		s.View.Width, s.View.Height = 80, len(rows)
		if got, found := find(t, kind).Read(s).Composer(); !found || got.Draft != "fix it" {
			t.Errorf("%s: found %v, draft %q", kind, found, got.Draft)
		}
		s.Lines[len(rows)-1], s.Lines[len(rows)-2] = " esc close", ""
		if _, found := find(t, kind).Read(s).Composer(); found && kind == "copilot" {
			t.Errorf("%s: a composer that has not the keyboard is found", kind)
		}
	}
}

func TestAModeThatOnlyTheRowBelowTellsIsADraft(t *testing.T) {
	rows := composers["copilot of many colours"]
	s := screen(rows[0], "┃ |", rows[2], " Shell · Manual Approval")
	if got, found := find(t, "copilot").Read(s).Composer(); !found || got.Draft != "!" {
		t.Errorf("found %v, draft %q", found, got.Draft)
	}
}

// escapes are sequences in rows of these tests.
var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

package agent_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// sample returns the first recording of a kind whose state begins so.
func sample(t testing.TB, kind, state string) *core.Screen {
	t.Helper()
	for _, c := range corpus(t, "testdata/screens") {
		if c.Agent == kind && strings.HasPrefix(c.State, state) {
			return c.screen(t)
		}
	}
	t.Fatalf("no recording of %s in %s", kind, state)
	return nil
}

// find returns a kind that must exist.
func find(t testing.TB, id string) *agent.Kind {
	t.Helper()
	k, ok := load(t).Find(id)
	if !ok {
		t.Fatalf("no kind %s", id)
	}
	return k
}

// screen makes a screen of rows as they are, with the cursor in the column
// behind a "|", or nowhere known.
func screen(rows ...string) *core.Screen {
	s := &core.Screen{Lines: slices.Clone(rows), Visible: len(rows)}
	for y, row := range rows {
		before, after, ok := strings.Cut(row, "|")
		if !ok {
			continue
		}
		s.Lines[y] = before + after
		s.View = core.Viewport{
			Width: 80, Height: len(rows), Cursor: core.Cursor{X: len([]rune(before)), Y: y, Visible: true},
		}
	}
	return s
}

var rule = strings.Repeat("─", 40)

func TestDialogsThatAnAgentPrintsBlockNothing(t *testing.T) {
	for _, c := range corpus(t, "testdata/screens") {
		if _, dialog := dialogOf(c); !dialog {
			continue
		}
		idle := sample(t, c.Agent, "idle")
		printed := c.screen(t).Bottom(12)
		talk := *idle
		talk.Lines = append(slices.Clone(printed), idle.Lines...)
		talk.Visible = len(talk.Lines)
		talk.View.Height += len(printed)
		talk.View.Cursor.Y += len(printed)
		kind := find(t, c.Agent)
		if block, blocked := kind.Read(&talk).Blocked(); blocked || !kind.Read(&talk).Ready() {
			t.Errorf("%s above a composer blocks: %q", c.File, block.Match)
		}
	}
}

func TestDialogInASmallTerminalIsNeverReady(t *testing.T) {
	for _, c := range corpus(t, "testdata/screens") {
		if _, dialog := dialogOf(c); !dialog {
			continue
		}
		for _, height := range []int{6, 8, 10, 12} {
			s := c.screen(t)
			last := len(s.Lines)
			for last > 0 && strings.TrimSpace(s.Lines[last-1]) == "" {
				last--
			}
			s.View.Cursor.Y -= max(0, last-height)
			s.Lines = s.Lines[max(0, last-height):last]
			s.Visible, s.View.Height = len(s.Lines), len(s.Lines)
			kind := find(t, c.Agent)
			_, blocked := kind.Read(s).Blocked()
			if kind.Read(s).Ready() || !blocked && !strings.HasPrefix(c.State, "dialog_") {
				t.Errorf("%s at %d rows: blocked is %v, ready is %v", c.File, height, blocked, kind.Read(s).Ready())
			}
		}
	}
}

func TestDialogTextInADraftBlocksNothing(t *testing.T) {
	s := screen(
		rule, "❯ Do you want to proceed?", "  ❯ 1. Yes", "    2. No", "  Esc to cancel|", rule, "  ⏸ manual mode on",
	)
	claude := find(t, "claude")
	composer, _ := claude.Read(s).Composer()
	if want := "Do you want to proceed?\n❯ 1. Yes\n  2. No\nEsc to cancel"; composer.Draft != want ||
		!claude.Read(s).Ready() {
		t.Errorf("ready %v, draft %q", claude.Read(s).Ready(), composer.Draft)
	}
	if composer.Top != 1 || composer.Bottom != 4 {
		t.Errorf("rows %d to %d", composer.Top, composer.Bottom)
	}
}

func TestComposerMayLackItsFrame(t *testing.T) {
	rows := []string{" > hello", "", "✦ Hi.", "", " Shift+Tab to accept edits", ""}
	footer := []string{"", " workspace (/directory)", " ~/src/api"}
	tests := map[string]struct {
		composer []string
		draft    string
		found    bool
	}{
		"blank rows around it": {[]string{" > fix|", "   ", ""}, "fix", true},
		"a placeholder":        {[]string{" >   |Type your message or @path/to/file"}, "", true},
		"a blank line in it":   {[]string{" > one", "", "   two|"}, "one\n\ntwo", true},
		"lines around it":      {[]string{rule, " > fix|", rule}, "fix", true},
		"the cursor elsewhere": {[]string{" > fix", "", "╰──╯|"}, "", false},
	}
	gemini := find(t, "gemini")
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := gemini.Read(screen(slices.Concat(rows, tc.composer, footer)...)).Composer()
			if found != tc.found || got.Draft != tc.draft {
				t.Errorf("found %v, draft %q", found, got.Draft)
			}
		})
	}
}

// Gemini hides its composer while it resumes a session, but not the footer, which proves that the composer has the
// keyboard if the cursor is in another place.
func TestTheLastPromptOfASessionThatIsResumedIsNoComposer(t *testing.T) {
	top, bottom := strings.Repeat("▄", 50), strings.Repeat("▀", 50)
	history := []string{top, " > hello", bottom, "✦ Hi."}
	footer := []string{" workspace (/directory)       sandbox", " ~/src/api                    no sandbox", "|"}
	live := []string{" Shift+Tab to accept edits", top, " > fix", bottom}
	for name, tc := range map[string]struct {
		rows  []string
		draft string
		found bool
	}{
		"resuming": {[]string{"⠋ Resuming session...", rule, " Shift+Tab to accept edits"}, "", false},
		"resumed":  {live, "fix", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := screen(slices.Concat(history, tc.rows, footer)...)
			s.View.Cursor.Visible = false
			got, found := find(t, "gemini").Read(s).Composer()
			if found != tc.found || got.Draft != tc.draft {
				t.Errorf("found %v, draft %q", found, got.Draft)
			}
		})
	}
}

func TestComposerWhoseUpperEdgeScrolledAwayIsFound(t *testing.T) {
	edge, menu := strings.Repeat("▀", 50), " clear    Clear the screen and start anew"
	tests := map[string]struct {
		rows  []string
		draft string
		found bool
	}{
		"a menu below it":         {[]string{" > /|", edge, menu}, "/", true},
		"a draft of several rows": {[]string{" > one", "   two|", edge, menu}, "one\ntwo", true},
		"not its first row":       {[]string{"   two|", edge, menu}, "", false},
		"the cursor elsewhere":    {[]string{" > hello", edge, menu + "|"}, "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := find(t, "gemini").Read(screen(tc.rows...)).Composer()
			if found != tc.found || got.Draft != tc.draft {
				t.Errorf("found %v, draft %q", found, got.Draft)
			}
		})
	}
}

func TestComposerOfALowTerminalMayLackItsLowerEdge(t *testing.T) {
	edge, cropped := strings.Repeat("─", 34), "─── ↑ 2 more ─────────────────────"
	for name, tc := range map[string]struct {
		rows  []string
		draft string
		found bool
	}{
		"the end of a draft": {
			[]string{"● Hello!", cropped, "  some words", "  and more|"}, "some words\nand more", true,
		},
		"with its lower edge":    {[]string{cropped, "  and more|", edge, "  ? for shortcuts"}, "and more", true},
		"the cursor elsewhere":   {[]string{"● Hello!|", cropped, "  more words so"}, "", false},
		"an edge that says less": {[]string{"● Hello!", edge, "  more words so|"}, "", false},
		"no hidden row above": {
			[]string{"● Hello!", edge, "❯ some words", "  and more|"}, "some words\nand more", true,
		},
		"a parked cursor":      {[]string{"● Hello!", edge, "❯ some words", "|  and more"}, "", false},
		"rows below the draft": {[]string{"● Hello!", edge, "❯ some words|", "  and more"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := find(t, "claude").Read(screen(tc.rows...)).Composer()
			if found != tc.found || got.Draft != tc.draft {
				t.Errorf("found %v, draft %q", found, got.Draft)
			}
		})
	}
}

func TestARaisedHandBlocksWhileTheScreenIsDrawnAnew(t *testing.T) {
	s := screen(" > tool|", strings.Repeat("▀", 50))
	s.Title = "✋  Action Required (api)"
	if block, blocked := find(t, "gemini").Read(s).Blocked(); !blocked || block.Reason != core.ReasonDialog {
		t.Errorf("blocked %v: %+v", blocked, block)
	}
}

func TestComposerOfAThemeWithoutBackground(t *testing.T) {
	s := screen(
		"  ┃", "  ┃  slow 6", "  ┃", "", "     Done.", "", "     ▣  Build · Big Model · 4s", "", "  ┃", "  ┃  fix it|",
		"  ┃", "  ┃  Build · Big Model", "", "   ⬝⬝⬝■■■■■  esc interrupt",
	)
	opencode := find(t, "opencode")
	if composer, found := opencode.Read(s).Composer(); !found || composer.Draft != "fix it" {
		t.Errorf("found %v, draft %q", found, composer.Draft)
	}
	if _, working := opencode.Read(s).Working(); !working {
		t.Error("the rows below are not read")
	}
}

func TestComposerNeedsTheKeyboard(t *testing.T) {
	tests := map[string]struct {
		kind   string
		screen *core.Screen
		want   bool
	}{
		"cursor in the draft":      {"claude", screen(rule, "❯ |", rule, "  footer"), true},
		"cursor on a dialog's row": {"claude", screen(rule, "❯ ", rule, "  footer |"), false},
		"the cursor is unknown":    {"claude", screen(rule, "❯ ", rule, "  footer"), true},
		"no frame and no cursor": {
			"codex", screen("› 1. Yes, proceed (y)", "  2. No", "", "  Press enter to confirm"), false,
		},
		"no frame, but a cursor":    {"codex", screen("› one| line", "", "  footer"), true},
		"cut off below":             {"codex", screen("› one", "", "  two|"), true},
		"cut off after a blank row": {"codex", screen("› one", "", "  |"), true},
		"a killed agent's screen":   {"claude", screen(rule, "❯ Killed", "$ "+rule+"|", "  footer"), false},
		"a shell":                   {"claude", screen("$ claude", "Resume this session with:", "$ |"), false},
		"a submitted prompt, framed": {
			"gemini", screen("▄▄▄▄▄▄▄▄▄▄▄▄", " > hello", "▀▀▀▀▀▀▀▀▀▀▀▀", "✦ Hi.", "|"), false,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, found := find(t, test.kind).Read(test.screen).Composer(); found != test.want {
				t.Errorf("found is %v", found)
			}
		})
	}
}

func TestDraftIsTheTypedText(t *testing.T) {
	tests := map[string]struct {
		kind, row, want string
		collapsed       bool
	}{
		"words":                    {"claude", "❯ fix the tests|", "fix the tests", false},
		"no-break blank":           {"claude", "❯\u00a0fix|", "fix", false},
		"a placeholder":            {"claude", "❯ Try \"fix lint errors\"|", "", false},
		"a suggestion":             {"claude", "❯ |run the tests again", "", false},
		"a faint suggestion":       {"claude", "❯ |\x1b[7mr\x1b[0;2mun the tests\x1b[0m", "", false},
		"cursor moved to the left": {"claude", "❯ |\x1b[7mf\x1b[0mix the tests", "fix the tests", false},
		"a collapsed paste":        {"claude", "❯ [Pasted text #1 +13 lines]|", "[Pasted text #1 +13 lines]", true},
		"shell mode, empty":        {"claude", "! |", "!", false},
		"shell mode":               {"claude", "! rm -r build|", "! rm -r build", false},
		"a mark within":            {"claude", "❯ !important|", "!important", false},
		"scripted, empty":          {"scripted", "› |Type a prompt", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			composer, found := find(t, test.kind).Read(screen(rule, test.row, rule, "  footer")).Composer()
			if !found || composer.Draft != test.want || composer.Collapsed != test.collapsed {
				t.Errorf("found %v, draft %q, collapsed %v", found, composer.Draft, composer.Collapsed)
			}
		})
	}
}

func TestJoinedLinesDoNotMoveTheCursor(t *testing.T) {
	s := screen("a warning that took two rows", rule, "❯ |", rule, "  footer")
	s.View.Height++
	s.View.Cursor.Y++
	if _, found := find(t, "claude").Read(s).Composer(); !found {
		t.Error("the composer is not found")
	}
}

func TestHistoryAboveTheScreenIsNotRead(t *testing.T) {
	s := sample(t, "claude", "waiting_permission")
	idle := sample(t, "claude", "idle")
	height := len(idle.Lines)
	idle.Lines = append(slices.Clone(s.Lines), idle.Lines...)
	idle.Visible = height
	r := find(t, "claude").Read(idle)
	if composer, found := r.Composer(); !found || composer.Top < len(s.Lines) {
		t.Errorf("found %v, rows %d to %d", found, composer.Top, composer.Bottom)
	}
	if !r.Ready() {
		t.Error("not ready")
	}
}

func TestSpinnersThatAreOverAreNotWork(t *testing.T) {
	footer := []string{"", rule, "❯ |", rule, "  ⏸ manual mode on"}
	tests := map[string]struct {
		above []string
		want  bool
	}{
		"running":              {[]string{"❯ go", "", "✻ Baking… (3s · ↓ 17 tokens)", "  ⎿  Tip: rest"}, true},
		"just started":         {[]string{"❯ go", "✢ Baking…"}, true},
		"with a list of tasks": {[]string{"✶ Baking… (3s)", "  ⎿  ☐ one", "     ☐ two"}, true},
		"over":                 {[]string{"❯ go", "● Done.", "✻ Baked for 7s · done 9:35 PM"}, false},
		"agents run":           {[]string{"● Done.", "✻ Waiting for 1 background agent to finish"}, true},
		"agents are done":      {[]string{"✻ Waiting for 1 background agent to finish", "● Agent finished"}, false},
		"talk":                 {[]string{"● ✻ Baking… (3s · ↓ 17 tokens)", "  * Thinking… (3s)"}, false},
	}
	claude := find(t, "claude")
	for name, test := range tests {
		if m, working := claude.Read(screen(append(test.above, footer...)...)).Working(); working != test.want {
			t.Errorf("%s: working is %v: %v", name, working, m)
		}
	}
}

func TestShellModeBlocks(t *testing.T) {
	bar := "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀"
	s := screen("", "  ┃", "  ┃  |", "  ┃", "  ┃  Shell", "  "+bar, "   /src   esc exit shell mode")
	if opencode := find(t, "opencode"); opencode.Read(s).Ready() {
		t.Error("a prompt would run as a command")
	}
}

func TestWhatOnlyLooksLikeAComposerBlocks(t *testing.T) {
	footer := []string{"", "  GPT-6-Sol default · ~/src/api"}
	tests := map[string]struct {
		rows  []string
		title string
		want  bool
	}{
		"a field for a name": {
			[]string{"  Rename thread", "", "› |Type a name and press Enter", "", "  enter submit · esc back"},
			"fix it | api", true,
		},
		"the same with vim keys": {
			[]string{"  Rename thread", "", "› fix it|", "", "  enter submit · esc normal mode"}, "fix it | api", true,
		},
		"a list above it": {
			slices.Concat([]string{"  Presets", "  n · new   esc · close", "", "› |Ask Codex to do anything"}, footer),
			"fix it | api", true,
		},
		"words like the list's": {
			slices.Concat(
				[]string{"• The keys:", "  n · new   esc · close", "", "› |Ask Codex to do anything"}, footer,
			),
			"⠋ fix it | api", false,
		},
		"nothing of these": {
			slices.Concat([]string{"• Done.", "", "› |Ask Codex to do anything"}, footer), "fix it | api", false,
		},
	}
	for name, tc := range tests {
		s := screen(tc.rows...)
		s.Title = tc.title
		if r := find(t, "codex").Read(s); r.Ready() == tc.want {
			t.Errorf("%s: ready is %v", name, r.Ready())
		}
	}
}

func TestTheTranscriptOfClaudeBlocksUnlessATurnRunsBehindIt(t *testing.T) {
	for footer, want := range map[string]bool{
		"  Showing detailed transcript · ctrl+o to toggle · ? for shortcuts          verbose":    true,
		"  working · Showing detailed transcript · ctrl+o to toggle · ↑/↓ to scroll     verbose": false,
	} {
		if _, blocked := find(t, "claude").Read(
			screen("❯ hello", "", "● Hi.", "", rule, footer, "|"),
		).Blocked(); blocked != want {
			t.Errorf("%q: blocked is %v", footer, blocked)
		}
	}
}

func TestSidebarIsNoDraft(t *testing.T) {
	s := screen(
		"",
		"  ┃                        Context",
		"  ┃  one                   1,542 tokens",
		"  ┃  zwei 漢字|            $0.01 spent",
		"  ┃",
		"  ┃  Build · Model         /src:main",
		"  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
		"   /src  ctrl+p commands",
	)
	composer, found := find(t, "opencode").Read(s).Composer()
	if !found || composer.Draft != "one\nzwei 漢字" {
		t.Errorf("found %v, draft %q", found, composer.Draft)
	}
}

func TestKindWithoutRulesIsAlwaysReady(t *testing.T) {
	command := find(t, "command")
	if command.Readable() || !command.Read(screen("$ ")).Ready() || command.Typing.Settle != 0 {
		t.Errorf("%+v", command)
	}
	if _, found := command.Read(screen(rule, "❯ ", rule)).Composer(); found {
		t.Error("a composer was found")
	}
}

func TestMatchesAreEvidence(t *testing.T) {
	matches := find(t, "claude").Read(sample(t, "claude", "working_queued")).Matches()
	var ids []string
	for i, m := range matches {
		ids = append(ids, m.Rule.ID)
		if m.Line == "" || m.Rule.Source == "" {
			t.Errorf("%s shows %q and comes from %q", m.Rule.ID, m.Line, m.Rule.Source)
		}
		if i > 0 && m.Rule.Priority > matches[i-1].Rule.Priority {
			t.Errorf("%s comes after %s", m.Rule.ID, matches[i-1].Rule.ID)
		}
	}
	if !slices.Contains(ids, "spinner") || !slices.Contains(ids, "queued") {
		t.Errorf("matched %v", ids)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range corpus(f, "testdata/screens") {
		s := c.screen(f)
		f.Add(strings.Join(s.Lines, "\n"), s.View.Height, s.View.Cursor.X, s.View.Cursor.Y)
	}
	kinds := load(f)
	f.Fuzz(func(t *testing.T, text string, height, x, y int) {
		lines := strings.Split(text, "\n")
		s := &core.Screen{Lines: lines, Visible: min(len(lines), 60), Title: lines[0]}
		s.View = core.Viewport{Height: height % 300, Cursor: core.Cursor{X: x, Y: y, Visible: true}}
		for _, k := range kinds.All() {
			r := k.Read(s)
			composer, found := r.Composer()
			if found && (composer.Top > composer.Bottom || composer.Top < 0 || composer.Bottom >= len(lines)) {
				t.Errorf("%s: a composer in rows %d to %d of %d", k.ID, composer.Top, composer.Bottom, len(lines))
			}
			if _, blocked := r.Blocked(); blocked && k.Readable() && r.Ready() {
				t.Errorf("%s: blocked and ready", k.ID)
			}
			for _, m := range r.Matches() {
				if m.Row < -1 || m.Row >= len(lines) {
					t.Errorf("%s: %s in row %d", k.ID, m.Rule.ID, m.Row)
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	claude, busy := find(b, "claude"), sample(b, "claude", "working")
	for b.Loop() {
		r := claude.Read(busy)
		r.Blocked()
		r.Working()
	}
}

// BenchmarkReadFirst is the cost of a command that reads one screen: no pattern is compiled yet.
func BenchmarkReadFirst(b *testing.B) {
	busy := sample(b, "claude", "working")
	for b.Loop() {
		find(b, "claude").Read(busy).Matches()
	}
}

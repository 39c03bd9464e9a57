package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

// offers describes the options of a recorded dialog: how many there are, which is selected (0 where only a colour shows
// it), and which approve, deny and take text.
type offers struct{ count, selected, approve, deny, text int }

func TestOptionsOfEveryRecordedDialogAreRead(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	kinds, seen := load(t), 0
	for _, c := range corpus(t, filepath.Join(folder, "screens")) {
		if _, dialog := dialogOf(c); !dialog || unshown[c.File] != "" {
			continue
		}
		seen++
		kind, _ := kinds.Find(c.Agent)
		got, d := offersOf(kind, c.screen(t))
		if want := recordedOffers(c.File); got != want {
			t.Errorf("%s: %+v, want %+v\n%q\n%+v", c.File, got, want, d.Text, d.Options)
		}
		if len(d.Text) == 0 {
			t.Errorf("%s: nothing is above the options", c.File)
		}
	}
	if seen < 70 {
		t.Errorf("only %d dialogs were seen", seen)
	}
}

func TestOptionsOfDialogsThatComeAlongAreRead(t *testing.T) {
	kinds := load(t)
	for file, want := range map[string]offers{
		"claude/waiting_permission/13-80x24":     {4, 1, 1, 4, 0},
		"claude/waiting_permission/55-60x16":     {4, 1, 1, 4, 0},
		"claude/waiting_plan_approval/04-120x40": {2, 1, 1, 2, 0},
		"claude/waiting_question/07-80x24":       {4, 1, 0, 0, 3},
		"claude/startup_dialog/02-120x40":        {2, 1, 2, 1, 0},
		"codex/waiting_permission/12-120x40":     {3, 1, 1, 3, 0},
		"codex/waiting_question/01-120x40":       {3, 1, 0, 0, 3},
		"codex/startup_dialog/06-120x40":         {3, 1, 0, 0, 0},
		"codex/dialog_trust/320-120x40":          {2, 1, 1, 2, 0},
		"copilot/waiting_permission/02-120x40":   {3, 1, 1, 0, 3},
		"gemini/waiting_permission/11-80x24":     {4, 1, 1, 4, 0},
		"gemini/waiting_question/05-80x24":       {3, 1, 0, 0, 3},
		"opencode/waiting_permission/14-80x24":   {2, 0, 0, 2, 0},
		"opencode/waiting_question/03-80x24":     {3, 0, 0, 0, 3},
		"qwen/waiting_permission/01-120x40":      {4, 1, 1, 4, 0},
		"qwen/waiting_permission/302-120x40":     {4, 1, 1, 4, 0},
		"qwen/waiting_permission/303-120x40":     {4, 2, 1, 4, 0},
		"qwen/waiting_permission/318-80x24":      {3, 1, 1, 3, 0},
		"qwen/waiting_question/307-120x40":       {3, 1, 0, 0, 3},
		"qwen/waiting_question/308-120x40":       {3, 3, 0, 0, 3},
		"scripted/waiting_permission/73-80x24":   {2, 1, 1, 2, 0},
		"scripted/waiting_question/74-80x24":     {3, 1, 0, 0, 0},
	} {
		found := false
		for _, c := range corpus(t, filepath.Join("testdata", "screens")) {
			if c.File != file {
				continue
			}
			found = true
			kind, _ := kinds.Find(c.Agent)
			if got, d := offersOf(kind, c.screen(t)); got != want {
				t.Errorf("%s: %+v, want %+v\n%+v", file, got, want, d.Options)
			}
		}
		if !found {
			t.Errorf("%s does not come along", file)
		}
	}
}

func TestAYesThatLastsIsNoPlainYes(t *testing.T) {
	kinds, seen := load(t), map[string]int{}
	want := map[string]int{
		"claude/waiting_permission/13-80x24": 2, "claude/waiting_permission/06-120x40": 2,
		"codex/waiting_permission/12-120x40":   2,
		"copilot/waiting_permission/02-120x40": 2, "gemini/waiting_permission/11-80x24": 2,
		"qwen/waiting_permission/01-120x40": 2,
	}
	captures := corpus(t, filepath.Join("testdata", "screens"))
	if folder := os.Getenv("CUPOLA_TESTDATA"); folder != "" {
		captures = append(captures, corpus(t, filepath.Join(folder, "screens"))...)
	}
	for _, c := range captures {
		kind, _ := kinds.Find(c.Agent)
		d, open := kind.Read(c.screen(t)).Dialog()
		if plain, is := d.Choice(agent.Approves); open && is && plain.Means != agent.Approves {
			t.Errorf("%s: %q is taken for a plain yes, and means %q", c.File, plain.Label, plain.Means)
		}
		for _, o := range d.Options {
			if o.N == want[c.File] && o.Means != agent.ApprovesAlways {
				t.Errorf("%s: %q means %q", c.File, o.Label, o.Means)
			}
			if o.Means == agent.ApprovesAlways {
				seen[c.Agent]++
			}
			if lasting := strings.Contains(o.Label, "ask again") || strings.Contains(o.Label, "always") ||
				strings.Contains(o.Label, "switch to auto"); lasting && o.Means != agent.ApprovesAlways {
				t.Errorf("%s: %q means %q", c.File, o.Label, o.Means)
			}
		}
	}
	for _, name := range []string{"claude", "codex", "copilot", "gemini", "opencode", "qwen"} {
		if seen[name] == 0 {
			t.Errorf("%s offers no yes that lasts", name)
		}
	}
}

func TestWhatADialogAsksAboutIsReportedInOneLine(t *testing.T) {
	about := map[string]string{
		"claude/waiting_permission/13-80x24":     "touch m1 && sleep 6 && echo tool-done",
		"claude/waiting_permission/55-60x16":     "touch m1 escalate",
		"claude/waiting_permission/06-120x40":    "hello.txt 1 hello world 2 second line",
		"claude/waiting_plan_approval/04-120x40": "Claude wants to exit plan mode",
		"claude/waiting_question/07-80x24":       "Which database should I use?",
		"claude/startup_dialog/02-120x40":        "/home/dev/work/claude-dlg",
		"codex/waiting_permission/01-120x40":     "touch m2 && sleep 4",
		"codex/waiting_permission/12-120x40":     "/home/dev/work/codex-ro/hello.txt",
		"codex/waiting_question/01-120x40":       "Which database should I use?",
		"codex/startup_dialog/01-120x40":         "/home/dev/work/codex-dlg",
		"copilot/waiting_permission/02-120x40":   "touch m1 && sleep 6 && echo tool-done",
		"copilot/waiting_permission/129-60x16":   "touch m1 && sleep 4 && echo tool-done",
		"copilot/startup_dialog/01-120x40":       "/home/dev/work/copilot-main",
		"gemini/waiting_permission/105-60x16":    "touch m1 && sleep 4 && echo tool-done",
		"gemini/waiting_permission/11-80x24":     "WriteFile Writing to hello.txt 1 hello world 2 second line",
		"gemini/waiting_question/05-80x24":       "Which database should I use?",
		"opencode/waiting_permission/51-160x50":  "touch m1 escalate",
		"opencode/waiting_permission/320-200x50": "Access external directory /home/dev/other " +
			"Patterns - /home/dev/other/*",
		"opencode/waiting_permission/05-120x40": "Edit hello.txt 1 + hello world 2 + second line",
		"opencode/waiting_permission/14-80x24":  "This will allow edit until OpenCode is restarted.",
		"opencode/waiting_question/03-80x24":    "Which database should I use?",
		"qwen/waiting_permission/01-120x40":     "touch m1 && sleep 6 && echo tool-done",
		"qwen/waiting_permission/302-120x40":    "touch m1 && sleep 6 && echo tool-done",
		"qwen/waiting_permission/304-120x40":    "WriteFile Writing to hello.txt",
		"qwen/waiting_permission/305-120x40":    "Agent Count files",
		"qwen/waiting_question/307-120x40":      "Which database should I use?",
		"scripted/waiting_permission/73-80x24":  "touch m1",
		"scripted/waiting_question/74-80x24":    "Which way should it go? Both tables could hold the column.",
	}
	captures, seen := corpus(t, filepath.Join("testdata", "screens")), 0
	if folder := os.Getenv("CUPOLA_TESTDATA"); folder != "" {
		captures = append(captures, corpus(t, filepath.Join(folder, "screens"))...)
	}
	kinds := load(t)
	for _, c := range captures {
		kind, _ := kinds.Find(c.Agent)
		d, open := kind.Read(c.screen(t)).Dialog()
		if want, is := about[c.File]; is && d.About != want {
			t.Errorf("%s: %q, want %q", c.File, d.About, want)
		} else if is {
			seen++
		}
		if open && (d.About == "" || len([]rune(d.About)) > 200 || strings.ContainsAny(d.About, "\n│┃")) {
			t.Errorf("%s: %q", c.File, d.About)
		}
	}
	if seen < 15 {
		t.Errorf("only %d dialogs were seen", seen)
	}
}

func offersOf(kind *agent.Kind, screen *core.Screen) (offers, agent.OpenDialog) {
	d, _ := kind.Read(screen).Dialog()
	got := offers{count: len(d.Options)}
	for _, o := range d.Options {
		if o.Selected {
			got.selected = o.N
		}
	}
	for means, n := range map[agent.Means]*int{
		agent.Approves: &got.approve, agent.Denies: &got.deny, agent.Takes: &got.text,
	} {
		if o, ok := d.Choice(means); ok {
			*n = o.N
		}
	}
	return got, d
}

// recordedOffers returns the expected options of a recording. Most recordings of a state have the same.
func recordedOffers(file string) offers {
	for _, row := range []struct {
		prefix string
		offers offers
	}{
		{"claude/startup_dialog/", offers{2, 1, 2, 1, 0}},
		{"claude/waiting_permission/06", offers{3, 1, 1, 3, 0}},
		{"claude/waiting_permission/11", offers{3, 1, 1, 3, 0}},
		{"claude/waiting_permission/12", offers{3, 1, 1, 3, 0}},
		{"claude/waiting_permission/23", offers{3, 1, 1, 3, 0}},
		{"claude/waiting_permission/24", offers{3, 1, 1, 3, 0}},
		{"claude/waiting_permission/", offers{4, 1, 1, 4, 0}},
		{"claude/waiting_plan_approval/", offers{2, 1, 1, 2, 0}},
		{"claude/waiting_question/", offers{4, 1, 0, 0, 3}},
		{"codex/startup_dialog/01", offers{2, 1, 1, 2, 0}},
		{"codex/startup_dialog/03", offers{2, 1, 0, 0, 0}},
		{"codex/startup_dialog/06", offers{3, 1, 0, 0, 0}},
		{"codex/waiting_permission/", offers{3, 1, 1, 3, 0}},
		{"codex/waiting_question/", offers{3, 1, 0, 0, 3}},
		{"copilot/startup_dialog/", offers{3, 1, 1, 3, 0}},
		{"copilot/waiting_permission/", offers{3, 1, 1, 0, 3}},
		{"gemini/waiting_permission/05", offers{4, 1, 1, 4, 0}},
		{"gemini/waiting_permission/06", offers{4, 1, 1, 4, 0}},
		{"gemini/waiting_permission/11", offers{4, 1, 1, 4, 0}},
		{"gemini/waiting_permission/12", offers{4, 1, 1, 4, 0}},
		{"gemini/waiting_permission/", offers{3, 1, 1, 3, 0}},
		{"gemini/waiting_question/", offers{3, 1, 0, 0, 3}},
		{"opencode/waiting_permission/07", offers{2, 0, 0, 2, 0}},
		{"opencode/waiting_permission/14", offers{2, 0, 0, 2, 0}},
		{"opencode/waiting_permission/", offers{3, 0, 1, 3, 0}},
		{"opencode/waiting_question/", offers{3, 0, 0, 0, 3}},
		{"qwen/waiting_permission/06", offers{3, 1, 1, 3, 0}},
		{"qwen/waiting_permission/", offers{4, 1, 1, 4, 0}},
	} {
		if strings.HasPrefix(file, row.prefix) {
			return row.offers
		}
	}
	return offers{count: -1}
}

func TestASelectionThatOnlyColoursShowIsSeen(t *testing.T) {
	kind, _ := load(t).Find("opencode")
	for selected, label := range []string{"Allow once", "Allow always", "Reject"} {
		row := "  \x1b[38;2;245;167;66m\x1b[48;2;20;20;20m┃\x1b[38;2;255;255;255m\x1b[48;2;30;30;30m  "
		for i, other := range []string{"Allow once", "Allow always", "Reject"} {
			if i == selected {
				row += "\x1b[48;2;245;167;66m " + other + " \x1b[48;2;30;30;30m "
			} else {
				row += " " + other + "  "
			}
		}
		lines := []string{
			"  ┃", "  ┃  △ Permission required", "  ┃    # Shell command", "  ┃", "  ┃  $ touch a", "  ┃",
			row + "            ⇆ select  enter confirm   ", "  ┃",
		}
		d, open := kind.Read(&core.Screen{Lines: lines, Visible: len(lines)}).Dialog()
		if !open || len(d.Options) != 3 || !d.Options[selected].Selected || d.Options[selected].Label != label {
			t.Fatalf("%d: %v %+v", selected, open, d.Options)
		}
		if keys, ok := d.Moves(d.Options[2]); !ok || len(keys) != 2-selected {
			t.Errorf("from %s to the last: %q, %v", label, keys, ok)
		}
	}
}

func TestADialogIsTheSameWhateverIsSelectedInIt(t *testing.T) {
	open := func(command, first, second string) agent.OpenDialog {
		d, open := find(t, "claude").Read(
			screen(
				"❯ hello", strings.Repeat("─", 60), " Bash command", "   "+command, " Do you want to proceed?", first,
				second, " Esc to cancel",
			),
		).Dialog()
		if !open || len(d.Options) != 2 {
			t.Fatalf("%s: %v, %+v", command, open, d)
		}
		return d
	}
	one := open("touch x", " ❯ 1. Yes", "   2. No")
	for _, test := range []struct {
		why   string
		other agent.OpenDialog
		same  bool
	}{
		{"it is looked at again", open("touch x", " ❯ 1. Yes", "   2. No"), true},
		{"another option is selected", open("touch x", "   1. Yes", " ❯ 2. No"), true},
		{"another command", open("rm x", " ❯ 1. Yes", "   2. No"), false},
		{"another label", open("touch x", " ❯ 1. Yes", "   2. Never"), false},
		{"another number", open("touch x", " ❯ 1. Yes", "   3. No"), false},
	} {
		if got := one.Same(&test.other); got != test.same {
			t.Errorf("%s: same is %v\n%+v\n%+v", test.why, got, one, test.other)
		}
	}
}

func TestDigitsAreKeysOnlyWhereADialogTakesThem(t *testing.T) {
	kinds := load(t)
	for _, c := range corpus(t, filepath.Join("testdata", "screens")) {
		if _, dialog := dialogOf(c); !dialog || c.Agent == "cline" {
			continue // Cline's dialogs name the keys of their choices
		}
		kind, _ := kinds.Find(c.Agent)
		d, _ := kind.Read(c.screen(t)).Dialog()
		for _, o := range d.Options {
			keys, ok := d.Direct(o)
			if ok && !slices.Equal(keys, []string{fmt.Sprint(o.N)}) && !strings.HasSuffix(o.Label, "(esc)") {
				t.Errorf("%s: %q takes option %d", c.File, keys, o.N)
			}
			if ok && strings.HasPrefix(c.File, "claude/startup_dialog") {
				t.Errorf("%s: a digit for a list without numbers", c.File)
			}
			if want := []string{"Enter"}; d.Reason == core.ReasonTrust && c.Agent == "codex" && o.N == 1 &&
				!slices.Equal(o.Keys, want) {
				t.Errorf("%s: %q trusts the folder", c.File, o.Keys)
			}
		}
	}
}

func TestAMenuIsClosedByTheKeyThatItNames(t *testing.T) {
	other, seen := map[string][]string{
		"codex/dialog_dialog/161-133x43": {"q"}, "gemini/dialog_dialog/163-100x30": {"q"},
		"opencode/dialog_dialog/170-90x28": {"q"}, "codex/dialog_dialog/321-120x40": {},
	}, 0
	kinds := load(t)
	for _, c := range corpus(t, filepath.Join("testdata", "screens")) {
		if c.State != "dialog_dialog" {
			continue
		}
		seen++
		kind, _ := kinds.Find(c.Agent)
		d, _ := kind.Read(c.screen(t)).Dialog()
		want, is := other[c.File]
		if !is {
			want = []string{"Escape"}
		}
		if keys := d.Cancel(); !slices.Equal(keys, want) {
			t.Errorf("%s: %q, want %s", c.File, keys, want)
		}
	}
	if seen < 12 {
		t.Errorf("only %d menus were seen", seen)
	}
}

func TestADialogOfWhichATitleTellsMayNotBeDrawnYet(t *testing.T) {
	kind, _ := load(t).Find("gemini")
	for _, lines := range [][]string{nil, {""}, {"", "  ", ""}, {" ✦ I will run a command now.", "", " Thinking"}} {
		screen := &core.Screen{Title: "✋  Action Required (work)", Lines: lines, Visible: len(lines)}
		if d, open := kind.Read(screen).Dialog(); !open || len(d.Options) > 0 || len(d.Text) > 0 {
			t.Errorf("%d lines: %t, %v, %q", len(lines), open, d.Options, d.Text)
		}
	}
}

func FuzzDialog(f *testing.F) {
	f.Add("claude", " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n Esc to cancel")
	f.Add("opencode", "  ┃  △ Permission required\n  ┃ \x1b[48;2;1;2;3m Allow once \x1b[49m Reject")
	kinds, err := agent.Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id, text string) {
		kind, ok := kinds.Find(id)
		if !ok {
			return
		}
		lines := strings.Split(text, "\n")
		d, open := kind.Read(&core.Screen{Lines: lines, Visible: len(lines)}).Dialog()
		if !open && len(d.Options) > 0 {
			t.Error("options without a dialog")
		}
		for i, o := range d.Options {
			if o.N < 1 || i > 0 && o.N <= d.Options[i-1].N {
				t.Errorf("the options are out of order: %+v", d.Options)
			}
		}
	})
}

func TestADialogIsTheSameWhileItsChoiceIsMarked(t *testing.T) {
	kind, _ := load(t).Find("opencode")
	draw := func(second string) *agent.OpenDialog {
		text := "  ┃\n  ┃  Which database should I use?\n  ┃\n  ┃  1. Postgres\n  ┃  2. " + second +
			"\n  ┃  3. Type your own answer\n  ┃\n  ┃  ↑↓ select  enter submit  esc dismiss\n  ┃"
		lines := strings.Split(text, "\n")
		dialog, open := kind.Read(
			&core.Screen{Lines: lines, Visible: len(lines), View: core.Viewport{Width: 80, Height: len(lines)}},
		).Dialog()
		if !open || len(dialog.Options) != 3 {
			t.Fatalf("%q: %+v, %v", second, dialog, open)
		}
		return &dialog
	}
	if before := draw("SQLite"); !before.Same(draw("SQLite ✓")) || before.Same(draw("MySQL")) {
		t.Error("the mark makes another dialog of it, or another option does not")
	}
}

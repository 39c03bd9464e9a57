package plain_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/theme"
	"cupola/tui/plain"
)

// fleet is a report with everything that foreign text may hold.
func fleet() *report.Report {
	table := &report.Table{Columns: report.Columns("PANE", "AGENT", "STATE", "AGE", "TITLE")}
	table.Columns[3].Right, table.Columns[4].Flex = true, true
	row := func(pane, agent string, status core.Status, age, title string) {
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, pane), report.Text(agent), report.State(status), report.Toned(report.Dim, age),
			report.Toned(report.Dim, title),
		})
	}
	row("api.1", "cc_1", core.Status{State: core.Working, Reason: core.ReasonThinking}, "5s",
		"Refactor the parser, then run every test of the module and report")
	row("api.2", "cod_1", core.Status{State: core.Waiting, Reason: core.ReasonApproval}, "12m",
		"日本語のタイトルはとても長いので切り詰められます")
	row("api.3", "gmi_1", core.Status{State: core.Errored}, "", "👩‍👩‍👧 family, flag 🇩🇪 and e\u0301 accents 🙂🙂🙂")
	row("a-session-with-a-long-name.10", "", core.Status{State: core.Idle}, "3h",
		"\x1b[31mred\x1b[0m \x1b]0;title\x07tab\there\nline \u202eback \u009b1mc1 \xff")
	r := &report.Report{Next: []report.Tip{
		{Command: "cupola tail api", Does: "read what its agents show"},
		{Command: "cupola send 'a \x1b[5mb' 'your prompt'", Does: "send a prompt to its agents"},
	}}
	head := report.Line{
		report.Toned(report.Strong, "1 session"), report.Text(" · "),
		report.Toned(report.StateTone(core.Working), "1 working"),
	}
	return r.Add(report.Block{Lines: []report.Line{head}}).Add(report.Block{
		Heading: "Panes",
		Table:   table,
	}).Add(report.Block{Raw: "raw \x1b[1mbytes\x1b[0m\n"})
}

func styled(colour bool) func() *theme.Theme {
	options := theme.Options{}
	if colour {
		options.Level = theme.True
	}
	return sync.OnceValue(func() *theme.Theme { return theme.New(options) })
}

// themes are the themes without colour and with it, made once.
var themes = map[bool]func() *theme.Theme{false: styled(false), true: styled(true)}

func printed(t *testing.T, width int, colour bool, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	p := &plain.Printer{Out: &b, Theme: themes[colour], Width: width}
	if err := p.Print(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReportsFitTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 140} {
		for _, look := range []string{"plain", "colour"} {
			t.Run(fmt.Sprintf("%d-%s", width, look), func(t *testing.T) {
				golden.RequireEqual(t, named(printed(t, width, look == "colour", fleet())))
			})
		}
	}
}

// named replaces the styles of tones by their names, for which colours they are
// is the theme's affair.
func named(text string) string {
	tones := []report.Tone{report.Strong, report.Dim, report.Good, report.Warn, report.Bad, report.Code}
	for _, state := range core.States {
		tones = append(tones, report.StateTone(state))
	}
	for _, tone := range tones {
		begin, _, _ := strings.Cut(styled(true)().Render(tone, "x"), "x")
		text = strings.ReplaceAll(text, begin, "<"+string(tone)+">")
	}
	return strings.ReplaceAll(text, "\x1b[0m", "</>")
}

func TestPipedTablesAreLinesOfTabs(t *testing.T) {
	golden.RequireEqual(t, printed(t, 0, false, fleet()))
}

func TestTablesAreNeverWiderThanTheTerminal(t *testing.T) {
	r := fleet()
	r.Next, r.Blocks = nil, r.Blocks[1:2]
	for width := 1; width <= 200; width++ {
		for _, line := range strings.Split(printed(t, width, true, r), "\n") {
			if got := cells.Width(line); got > width && ansi.Strip(line) != "Panes" {
				t.Fatalf("at %d: %d cells in %q", width, got, line)
			}
		}
	}
}

func TestANarrowTerminalStillShowsEveryColumn(t *testing.T) {
	r := fleet()
	r.Next, r.Blocks = nil, r.Blocks[1:2]
	for _, width := range []int{13, 20, 30, 40} {
		header := strings.Split(printed(t, width, false, r), "\n")[1]
		if cells := strings.Fields(header); len(cells) != 5 {
			t.Errorf("at %d: %d columns in %q", width, len(cells), header)
		}
	}
}

func TestNarrowTerminalDropsColumns(t *testing.T) {
	table := &report.Table{Columns: report.Columns("NAME", "STATE", "BRANCH", "TITLE", "FOLDER")}
	table.Columns[2].Drop, table.Columns[4].Drop, table.Columns[3].Flex = 1, 2, true
	table.Rows = [][]report.Cell{{
		report.Text("api"), report.Text("working"), report.Text("cupola/api"), report.Text("a title"),
		report.Text("/srv/api"),
	}}
	for width, want := range map[int]string{
		0: "", 60: "NAME STATE BRANCH TITLE FOLDER", 45: "NAME STATE BRANCH TITLE FOLDER",
		40: "NAME STATE BRANCH TITLE", 24: "NAME STATE TITLE",
	} {
		got := printed(t, width, false, (&report.Report{}).Add(report.Block{Table: table}))
		header, _, _ := strings.Cut(got, "\n")
		if width == 0 && len(strings.Split(got, "\t")) != 5 ||
			width > 0 && strings.Join(strings.Fields(header), " ") != want {
			t.Errorf("at %d: got\n%s", width, got)
		}
	}
}

func TestColourChangesNoText(t *testing.T) {
	r := fleet()
	r.Blocks = r.Blocks[:2]
	for _, width := range []int{0, 40, 80, 140} {
		if got, want := ansi.Strip(printed(t, width, true, r)), printed(t, width, false, r); got != want {
			t.Errorf("at %d: got\n%s\nwant\n%s", width, got, want)
		}
	}
}

func TestForeignTextDoesNotDriveTheTerminal(t *testing.T) {
	r := fleet()
	r.Blocks = r.Blocks[:2]
	for _, width := range []int{0, 80} {
		for _, bad := range []string{"\x1b", "\x07", "\u009b", "\u202e", "\r"} {
			if got := printed(t, width, false, r); strings.Contains(got, bad) {
				t.Errorf("at %d: %q is in %q", width, bad, got)
			}
		}
	}
}

func TestQuietLeavesOutTips(t *testing.T) {
	var b bytes.Buffer
	p := &plain.Printer{Out: &b, Theme: styled(false), Width: 80, Quiet: true}
	if err := p.Print(fleet()); err != nil || strings.Contains(b.String(), "cupola tail") {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestAnEmptyTableSaysSo(t *testing.T) {
	r := (&report.Report{}).Add(report.Block{Table: &report.Table{Columns: report.Columns("A"), Empty: "nothing here"}})
	if got := printed(t, 80, false, r); got != "nothing here\n" {
		t.Errorf("got %q", got)
	}
	r.Blocks[0].Table.Empty = ""
	if got := printed(t, 80, false, r); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestFailureSaysWhatToDo(t *testing.T) {
	for _, test := range []struct {
		why  string
		err  *core.Error
		want string
	}{
		{"its own words", &core.Error{
			Code: core.SessionNotFound, Message: "no session \x1b[31map", Hint: "Did you mean api?",
			Suggestions: []string{"api", "app"}, Actions: []string{"cupola tail api"},
		}, "cupola: no session ap\n  Did you mean api?\n    cupola tail api\n"},
		{"suggestions that the hint does not name", &core.Error{
			Code: core.SessionNotFound, Message: "no session ap", Hint: "Look again.",
			Suggestions: []string{"api", "app"},
		}, "cupola: no session ap\n  Did you mean: api, app\n  Look again.\n"},
	} {
		var b bytes.Buffer
		p := &plain.Printer{Out: &b, Theme: styled(false)}
		if err := p.Fail(test.err); err != nil || b.String() != test.want {
			t.Errorf("%s: got %q (%v), want %q", test.why, b.String(), err, test.want)
		}
	}
}

func FuzzTableRowIsOneFittingLine(f *testing.F) {
	f.Add("日本", "🙂", 10)
	f.Add("\x1b[31m", "a\nb", 3)
	f.Add("\x1b]8;;", "\u0301", 1)
	f.Fuzz(func(t *testing.T, one, other string, width int) {
		width = 1 + width&0xff
		table := &report.Table{
			Columns: report.Columns("A", "B"),
			Rows:    [][]report.Cell{{report.Text(one), report.Toned(report.Bad, other)}},
		}
		got := printed(t, width, false, (&report.Report{}).Add(report.Block{Table: table}))
		if strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x1b\r\x07") {
			t.Errorf("%q, %q: got %q", one, other, got)
		}
		for _, line := range strings.Split(got, "\n") {
			if cells.Width(line) > width {
				t.Errorf("%q, %q at %d: %d cells in %q", one, other, width, cells.Width(line), line)
			}
		}
	})
}

func TestTipsCallTheProgramAsItCanBeCalled(t *testing.T) {
	var out strings.Builder
	p := plain.Printer{
		Out: &out, Width: 80, Program: func() string { return "bin/cupola" },
		Theme: func() *theme.Theme { return theme.New(theme.Options{}) },
	}
	shown := report.Say(report.Text("done"))
	shown.Next = []report.Tip{{Command: "cupola status", Does: "see it"}, {Command: "cupolas", Does: "others stay"}}
	if err := p.Print(shown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bin/cupola status  see it", "  cupolas"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestLinesWrapBetweenWords(t *testing.T) {
	var out strings.Builder
	p := plain.Printer{
		Out: &out, Width: 30, Theme: func() *theme.Theme { return theme.New(theme.Options{Level: theme.True}) },
	}
	shown := &report.Report{}
	shown.Add(report.Block{Lines: []report.Line{{
		report.Text("  one two three four five six "), report.Toned(report.Bad, "seven eight nine"),
		report.Toned(report.Code, " cupola tail api.1 --lines=20"),
	}}})
	if err := p.Print(shown); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
		if width := cells.Width(ansi.Strip(line)); width > 32 { // a command stays whole
			t.Errorf("%q has %d cells", line, width)
		}
	}
	for _, want := range []string{
		"  one two three four five six\n", "seven eight nine", "cupola tail api.1 --lines=20",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestPicturesAreWholeOrNotThere(t *testing.T) {
	r := &report.Report{}
	r.Add(report.Block{Picture: []string{"█▀▄█", "█ ▄█", "████"}})
	whole := "█▀▄█\n█ ▄█\n████\n"
	for name, c := range map[string]struct {
		width, height int
		ascii         bool
		lacks         string
	}{
		"a file":                {},
		"a terminal":            {width: 4, height: 3},
		"one of unknown height": {width: 4},
		"a narrow one":          {width: 3, height: 3, lacks: "4 x 3 cells; here are 3 x 3"},
		"a low one":             {width: 80, height: 2, lacks: "4 x 3 cells; here are 80 x 2"},
		"one with ASCII":        {width: 80, height: 24, ascii: true, lacks: "signs that are not ASCII"},
	} {
		var b bytes.Buffer
		p := &plain.Printer{Out: &b, Theme: themes[false], Width: c.width, Height: c.height, ASCII: c.ascii}
		want := whole
		if c.lacks != "" {
			want = "The picture needs " + c.lacks + ".\n"
		}
		if err := p.Print(r); err != nil || b.String() != want {
			t.Errorf("%s: %v: %q, not %q", name, err, b.String(), want)
		}
	}
}

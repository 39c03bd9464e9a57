package output

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

func TestTailSaysItsSourceAndWhetherItIsComplete(t *testing.T) {
	lines := func(from, to int) []string {
		var all []string
		for i := from; i <= to; i++ {
			all = append(all, fmt.Sprint("line ", i))
		}
		return all
	}
	for name, c := range map[string]struct {
		captured  []string
		visible   int
		alternate bool
		kind      core.Kind
		count     int
		want      []string
		source    string
		complete  bool
	}{
		"all that the screen shows": {
			append(lines(1, 3), "", "  "), 5, false, "", 0, lines(1, 3),
			SourceScreen, true,
		},
		"fewer than the screen shows":        {lines(1, 5), 5, true, "", 2, lines(4, 5), SourceScreen, true},
		"lines that scrolled off":            {lines(1, 8), 3, false, "", 6, lines(3, 8), SourceHistory, true},
		"history asked for but not needed":   {lines(1, 8), 5, false, "", 5, lines(4, 8), SourceScreen, true},
		"more than was ever written":         {lines(1, 4), 4, false, "", 100, lines(1, 4), SourceScreen, true},
		"more than a full-screen view holds": {lines(1, 4), 4, true, "claude", 100, lines(1, 4), SourceScreen, false},
		"an empty screen":                    {[]string{"", ""}, 2, false, "", 5, []string{}, SourceScreen, true},
		"blank lines that only set colours": {
			[]string{"a", "\x1b[31m  \x1b[0m", "\x1b[0m"},
			3, false, "", 0,
			[]string{"a"},
			SourceScreen, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, &fleettest.Engine{})
			pane := &core.Pane{ID: "%1", Session: "api", Agent: core.Agent{Kind: c.kind}}
			screen := &core.Screen{Lines: c.captured, Visible: c.visible, View: core.Viewport{AlternateOn: c.alternate}}
			got := f.tailed(pane, screen, &Request{Lines: c.count}, nil)
			if !slices.Equal(got.Lines, c.want) || got.Lines == nil || got.Source != c.source ||
				got.Complete != c.complete || (got.Why == "") != c.complete {
				t.Errorf("tailed = %+v\nwant %q from %s, complete %t", got, c.want, c.source, c.complete)
			}
		})
	}
}

func TestLinesThatAreMissingAreTheAgentsOwnWhereOnlyThoseAreShown(t *testing.T) {
	f := open(t, &fleettest.Engine{})
	screen := &core.Screen{Lines: []string{"a"}, Visible: 1, View: core.Viewport{AlternateOn: true}}
	for strip, want := range map[bool]bool{true: true, false: false} {
		got := f.tailed(&core.Pane{ID: "%1", Session: "api"}, screen, &Request{Lines: 9, StripUI: strip}, nil)
		if strings.Contains(got.Why, "1 lines of the agent's own words") != want {
			t.Errorf("strip %t: %s", strip, got.Why)
		}
	}
}

func TestBlankLinesAndRulesInARowAreOneWhereOnlyWordsAreShown(t *testing.T) {
	f := open(t, &fleettest.Engine{})
	rule := strings.Repeat("─", 60)
	pane := &core.Pane{ID: "%1", Session: "api", Agent: core.Agent{Kind: "claude"}}
	rows := []string{
		"", "❯ make it", "● I shall.", "", "", rule, "", " Bash command", "   rm -r build", "", rule, "",
		" 1. Yes", " 2. No", "", "", "",
	}
	screen := &core.Screen{Lines: rows, Visible: len(rows), View: core.Viewport{AlternateOn: true}}
	got := f.tailed(pane, screen, &Request{StripUI: true}, nil)
	if want := []string{
		"❯ make it", "● I shall.", "", " Bash command", "   rm -r build", "", " 1. Yes",
		" 2. No",
	}; !slices.Equal(got.Lines, want) {
		t.Errorf("%q", got.Lines)
	}
	if whole := f.tailed(pane, screen, &Request{}, nil); !slices.Equal(whole.Lines, rows[:14]) {
		t.Errorf("the screen itself: %q", whole.Lines)
	}
	before := *screen
	before.Lines, before.Visible = rows[:3], 3
	since, err := parseMarks([]string{f.tailed(pane, &before, &Request{}, nil).Mark})
	if err != nil {
		t.Fatal(err)
	}
	from := since["%1"]
	if got := f.tailed(pane, screen, &Request{StripUI: true}, &from); !got.Complete || len(got.Lines) != 6 ||
		got.Lines[1] != " Bash command" {
		t.Errorf("since the mark: %+v", got)
	}
}

func TestTailRefusesANegativeCount(t *testing.T) {
	request := Request{Target: resolve.Target{Session: "api"}, Lines: -1}
	_, err := open(t, &fleettest.Engine{Listing: fleettest.TwoSessions()}).Tail(t.Context(), request)
	fleettest.WantError(t, err, core.InvalidInput, "")
}

func TestCodeBlocksAreFoundBetweenFences(t *testing.T) {
	screen := strings.Split(`Here it is:
  `+"```go"+`
  func main() {
    run()
  }
  `+"```"+`
and `+"```not this```"+`
`+"```"+`
cut off`, "\n")
	want := []CodeBlock{
		{Language: "go", Text: "func main() {\n  run()\n}", Closed: true},
		{Text: "cut off"},
	}
	if got := codeBlocks(screen); !slices.Equal(got, want) {
		t.Errorf("codeBlocks = %+v, want %+v", got, want)
	}
}

func FuzzCodeBlocks(f *testing.F) {
	f.Add("```go\nx\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, block := range codeBlocks(strings.Split(text, "\n")) {
			if len(block.Text) > len(text) {
				t.Errorf("a block of %d bytes from %d", len(block.Text), len(text))
			}
		}
	})
}

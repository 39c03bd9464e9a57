package widget_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

func TestEveryWidgetFitsEveryRect(t *testing.T) {
	for _, th := range []*theme.Theme{at(theme.None), at(theme.True)} {
		for w := range 90 {
			for _, h := range []int{0, 1, 2, 3, 9} {
				r := size(w, h)
				fits(t, r, widget.Tree(th, r, widget.TreeView{Nodes: nodes, Selected: 4, Top: 1}))
				fits(t, r, widget.Header(th, r,
					widget.Heading{
						Name: "cupola", Counts: core.Counts{
							ByState: map[core.State]int{core.Working: 12, core.Idle: 3},
						},
						Filter: "日本", Note: "x", Clock: "14:07",
					}))
				fits(t, r, widget.Footer(th, r, hints))
				fits(t, r, widget.Box(th, r,
					widget.Frame{
						Title: widget.Styled(theme.Strong, "日本語 title"),
						Note:  widget.Styled(theme.Dim, "note"),
					}, []string{"日本語", strings.Repeat("x", 100)}))
				fits(t, r, widget.Tile(th, r, widget.Frame{Title: widget.Styled(theme.Strong, "title")}, agentScreen(),
					nil))
				fits(t, r, widget.List(th, r, widget.Rows{Empty: "nothing here", Selected: -1}))
				fits(t, r, widget.Rule(th, w, h))
			}
		}
	}
}

func TestHeaderDropsWordsFirst(t *testing.T) {
	h := widget.Heading{
		Name: "cupola", Counts: core.Counts{
			ByState: map[core.State]int{core.Working: 2, core.Waiting: 1},
		}, Filter: "api",
		Clock: "14:07",
	}
	for w, want := range map[int]string{
		60: "cupola   ● 2 working   ◆ 1 waiting   /api              14:07",
		40: "cupola  ●2  ◆1   /api              14:07",
		23: "cupola  ●2  ◆1    14:07",
		18: "cupola  ●2  ◆1   …",
		9:  "cupola  …",
	} {
		got := widget.Header(at(theme.None), size(w, 1), h)[0]
		if got != want {
			t.Errorf("%d: got %q, want %q", w, got, want)
		}
	}
}

func TestTheFooterKeepsTheWayToTheHelp(t *testing.T) {
	for _, test := range []struct {
		w, h int
		want string
	}{
		{40, 1, "enter attach  s send  space peek  ? help"},
		{39, 1, "enter attach  s send  ? help"},
		{6, 1, "? help"},
		{5, 1, ""},
		{30, 2, "enter attach  s send  ? help|"},
	} {
		lines := widget.Footer(at(theme.None), size(test.w, test.h), hints)
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		if got := strings.Join(lines, "|"); got != test.want {
			t.Errorf("%dx%d: got %q, want %q", test.w, test.h, got, test.want)
		}
	}
}

func TestTreeDropsAgesThenDetails(t *testing.T) {
	few := widget.TreeView{Nodes: nodes[:3], Selected: 1}
	for w, want := range map[int]string{
		34: "›   ● 1 cc_1          working  now",
		25: "›   ● 1 cc_1     working ",
		21: "›   ● 1 cc_1         ",
		16: "›   ● 1 cc_1    ",
	} {
		if got := widget.Tree(at(theme.None), size(w, 3), few)[1]; got != want {
			t.Errorf("%d: got %q, want %q", w, got, want)
		}
	}
}

func TestTheSelectedRowIsMarkedWithoutColourToo(t *testing.T) {
	rows := widget.Rows{
		Left:     []widget.Line{widget.Styled(theme.Text, "a"), widget.Styled(theme.Text, "b")},
		Selected: 1,
	}
	if got := widget.List(at(theme.None), size(4, 2), rows); got[0] != "  a " || got[1] != "› b " {
		t.Errorf("got %q", got)
	}
	painted := widget.List(at(theme.True), size(4, 2), rows)
	if strings.Contains(painted[0], "48;2") || strings.Count(painted[1], "48;2") < 2 {
		t.Errorf("got %q", painted)
	}
}

func TestFirstVisibleMovesLeast(t *testing.T) {
	for _, test := range []struct{ top, selected, n, h, want int }{
		{0, 0, 10, 4, 0},
		{0, 3, 10, 4, 0},
		{0, 4, 10, 4, 1},
		{5, 2, 10, 4, 2},
		{8, 9, 10, 4, 6},
		{3, -1, 10, 4, 3},
		{3, 1, 2, 4, 0},
	} {
		if got := widget.FirstVisible(test.top, test.selected, test.n, test.h); got != test.want {
			t.Errorf("%v: got %d", test, got)
		}
	}
}

func TestOverlayCutsWideCharacters(t *testing.T) {
	base := []string{"日本語日本語", "\x1b[31mabcdefghijkl\x1b[0m"}
	got := widget.Overlay(base, 12, layout.Rect{X: 3, Y: 0, W: 4, H: 2}, []string{"[12]", "[34]"})
	for i, want := range []string{"日 [12] 本語", "abc[34]hijkl"} {
		if plain := ansi.Strip(got[i]); plain != want {
			t.Errorf("got %q, want %q", plain, want)
		}
	}
	fits(t, size(12, 2), got)
	if outside := widget.Overlay(base, 12, layout.Rect{X: 10, Y: 0, W: 4, H: 1},
		[]string{"[12]"}); outside[0] != base[0] {
		t.Errorf("got %q", outside[0])
	}
}

func FuzzForeignTextKeepsItsPlace(f *testing.F) {
	for _, seed := range []string{
		"日本語", "\x1b[31m", "\u0301x", "🇩", "\u200d🙂", "a\tb\n", "\u202e", "\xff",
		"1\ufe0f\u20e3", "\u0600", "🙂\u200d", "🇪🇪🇪", "क\u094d", "\u0cd5",
	} {
		f.Add(seed, "🇪\u200d", 20)
		f.Add(seed, "🙂\u1161", 4)
	}
	themes := []*theme.Theme{at(theme.None), at(theme.True)}
	f.Fuzz(func(t *testing.T, one, other string, w int) {
		r := size(w&0x7f, 4)
		for _, th := range themes {
			node := widget.Node{
				State: core.Working, Number: 7, Name: one,
				Detail: widget.Span{Token: theme.Busy, Text: other}, Age: "5m",
			}
			fits(t, r, widget.Tree(th, r,
				widget.TreeView{Nodes: []widget.Node{{Fold: widget.Opened, Name: other}, node}, Selected: 1}))
			fits(t, r, widget.Header(th, r, widget.Heading{Name: "cupola", Filter: one, Note: other, Clock: "14:07"}))
			title := widget.Line{{Token: theme.Strong, Text: one}, {Token: theme.Dim, Text: other}}
			fits(t, r, widget.Box(th, r, widget.Frame{Title: title, Note: title}, nil))
			fits(t, size(2*r.W, 4),
				widget.Beside(widget.Screen(th, r, shot(0, one, other), nil),
					widget.Screen(th, r, shot(0, other, one), nil)))
			fits(t, r, widget.Tile(th, r, widget.Frame{Title: title}, shot(0, one, other), nil))
			inner := widget.Screen(th, r, shot(30, one, other), nil)
			fits(t, r, widget.Overlay(inner, r.W, layout.Rect{X: r.W / 3, Y: 1, W: r.W / 2, H: 2},
				widget.Screen(th, size(r.W/2, 2), shot(30, other, one), nil)))
		}
	})
}

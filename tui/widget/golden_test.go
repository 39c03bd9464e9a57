package widget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// agentScreen is a screen as agents draw it: colours, a filled row, wide signs.
func agentScreen() widget.Shot {
	s := shot(100,
		"\x1b[1m✻ Agent\x1b[0m  \x1b[38;5;246m~/src/api\x1b[39m",
		"",
		"\x1b[48;5;238m\x1b[38;5;255m› rename the handler and run the tests",
		"\x1b[39m\x1b[49m",
		"\x1b[38;2;120;180;255m●\x1b[39m I renamed \x1b[36mhandler.go\x1b[39m; 日本語のコメント stay as they are 🙂",
		"  \x1b[32m+\tfunc Serve(w io.Writer) error {\x1b[39m",
		"  \x1b[31m-\tfunc serve(w io.Writer) error {\x1b[39m",
		"",
		"\x1b[35m✶ Testing…\x1b[39m \x1b[2m(12s · esc to interrupt)\x1b[22m",
		"╭"+strings.Repeat("─", 98)+"╮",
		"│ > \x1b[7m \x1b[27m"+strings.Repeat(" ", 94)+"│",
		"╰"+strings.Repeat("─", 98)+"╯",
	)
	return s
}

var nodes = []widget.Node{
	{Fold: widget.Opened, Name: "api", Detail: widget.Span{Token: theme.Dim, Text: "1/4 working"}},
	{State: core.Working, Number: 1, Name: "cc_1", Detail: stateWord(core.Working), Age: "now"},
	{State: core.Waiting, Number: 2, Name: "cod_1", Detail: stateWord(core.Waiting), Age: "12m"},
	{State: core.Errored, Number: 3, Name: "gmi_1", Detail: stateWord(core.Errored), Age: "3h"},
	{State: core.Idle, Number: 10, Name: "a-name-that-is-rather-long", Detail: stateWord(core.Idle), Age: "2d"},
	{Number: 11, Name: "shell"},
	{Fold: widget.Closed, Name: "web-日本", Detail: widget.Span{Token: theme.Dim, Text: "0/3 working"}},
}

func stateWord(state core.State) widget.Span {
	return widget.Span{Token: theme.State(state), Text: string(state)}
}

func title(t *theme.Theme, state core.State, address string) widget.Line {
	return widget.Line{
		{Token: theme.State(state), Text: t.Glyph(state) + " "},
		{Token: theme.Strong, Text: address},
		{Token: theme.Dim, Text: "  claude  "},
		stateWord(state),
	}
}

func hint(name, does string) key.Binding {
	return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
}

var hints = []key.Binding{
	hint("enter", "attach"),
	hint("s", "send"),
	hint("space", "peek"),
	hint("g", "grid"),
	hint("n", "new"),
	hint("a", "add"),
	hint("w", "next waiting"),
	hint("/", "filter"),
	hint("x", "kill"),
	hint("?", "help"),
}

func fleetScreen(t *theme.Theme, r layout.Rect) []string {
	header, rest := r.Top(1)
	body, footer := rest.Bottom(1)
	heading := widget.Heading{
		Name: "cupola", Clock: "14:07", Filter: "api",
		Counts: core.Counts{
			ByState: map[core.State]int{core.Working: 1, core.Waiting: 1, core.Errored: 1, core.Idle: 2},
		},
	}
	lines := widget.Header(t, header, heading)
	if r.W < 72 {
		lines = append(lines, widget.Tree(t, body, widget.TreeView{Nodes: nodes, Selected: 2})...)
	} else {
		left, right := body.Left(34)
		rule, preview := right.Left(1)
		top, screen := preview.Top(1)
		column := widget.List(t, top, widget.Rows{Left: []widget.Line{title(t, core.Waiting, "api.2")}, Selected: -1})
		column = append(column, widget.Screen(t, screen, agentScreen(), nil)...)
		lines = append(lines, widget.Beside(widget.Tree(t, left, widget.TreeView{Nodes: nodes, Selected: 2}),
			widget.Rule(t, rule.W, rule.H), column)...)
	}
	return append(lines, widget.Footer(t, footer, hints)...)
}

func gridScreen(t *theme.Theme, r layout.Rect) []string {
	header, body := r.Top(1)
	lines := widget.Header(t, header, widget.Heading{Name: "cupola", Note: "engine lost", Clock: "14:07"})
	tiles, cache := body.Tile(5, 36, 6), widget.NewCache()
	for first := 0; first < len(tiles.Tiles); first += tiles.Columns {
		var row [][]string
		for i := first; i < min(first+tiles.Columns, len(tiles.Tiles)); i++ {
			f := widget.Frame{Title: title(t, core.States[i], fmt.Sprintf("api.%d", i+1)), Focused: i == 1}
			row = append(row, widget.Tile(t, tiles.Tiles[i], f, agentScreen(), cache))
		}
		lines = append(lines, widget.Beside(row...)...)
	}
	return lines
}

func dialogScreen(t *theme.Theme, r layout.Rect) []string {
	e := widget.NewArea("", "Rename the handler, then run the tests of the whole module and tell me which of them "+
		"fail.\nOnly that, 日本語で。")
	dialog := r.Centred(60, 9)
	inner := widget.Inner(dialog)
	f := widget.Frame{
		Title: widget.Styled(theme.Strong, "Send to api.2"),
		Note:  widget.Styled(theme.Dim, "ctrl+s sends"), Focused: true,
	}
	box := widget.Box(t, dialog, f, e.Draw(t, inner, true))
	return widget.Overlay(fleetScreen(t, r), r.W, dialog, box)
}

func TestGoldenScreens(t *testing.T) {
	screens := map[string]func(*theme.Theme, layout.Rect) []string{
		"fleet": fleetScreen, "grid": gridScreen,
		"dialog": dialogScreen,
	}
	looks := map[string]theme.Options{"truecolor": {Level: theme.True}, "nocolor": {}}
	for name, draw := range screens {
		for look, options := range looks {
			for _, r := range []layout.Rect{size(40, 10), size(60, 16), size(80, 24), size(140, 40), size(200, 60)} {
				t.Run(fmt.Sprintf("%s-%s-%dx%d", name, look, r.W, r.H), func(t *testing.T) {
					lines := draw(theme.New(options), r)
					fits(t, r, lines)
					golden.RequireEqual(t, strings.Join(lines, "\n")+"\n")
				})
			}
		}
	}
}

func TestOtherThemes(t *testing.T) {
	for name, options := range map[string]theme.Options{
		"light": {Level: theme.True, Light: true}, "indexed": {Level: theme.Indexed}, "basic": {Level: theme.Basic},
		"ascii": {ASCII: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := size(80, 24)
			lines := dialogScreen(theme.New(options), r)
			fits(t, r, lines)
			golden.RequireEqual(t, strings.Join(lines, "\n")+"\n")
		})
	}
}

func TestAges(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "now", 59 * time.Second: "now", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m", time.Hour: "1h",
		47 * time.Hour: "1d", 8 * 24 * time.Hour: "1w", 5000 * 24 * time.Hour: "99w", -time.Second: "now",
	} {
		if got := widget.Age(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

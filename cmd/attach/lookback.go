package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/term/cells"
)

// mostHistory is how many lines that scrolled off are looked at.
const mostHistory = 100_000

// lookBack shows what a pane has shown, with what scrolled off, until the user goes back. It returns the pane to show
// then, which is another one if the user went there.
func lookBack(ctx context.Context, opts *Options) (core.PaneID, error) {
	l := &lookback{ctx: ctx, opts: opts, pane: opts.Pane, input: textinput.New()}
	l.input.Prompt = "/"
	if err := l.read(); err != nil {
		return opts.Pane, err
	}
	program := tea.NewProgram(
		l,
		tea.WithContext(ctx),
		tea.WithInput(opts.In),
		tea.WithOutput(opts.Out),
		tea.WithAltScreen(),
		tea.WithMouseCellMotion(),
		tea.WithoutSignalHandler(),
	)
	_, err := program.Run()
	return l.pane, err
}

// lookback is the screen on which a user looks back.
type lookback struct {
	ctx  context.Context
	opts *Options
	// panes are the panes of the session, pane is the displayed one.
	panes []engine.Pane
	pane  core.PaneID

	view viewport.Model
	// lines are the displayed lines, plain the lines to search, in lower case.
	lines, plain []string
	input        textinput.Model
	typing       bool
	// found are the lines that match, at the one that was gone to.
	found  []int
	at     int
	notice string
}

// read reads what the pane has shown.
func (l *lookback) read() error {
	listing, err := l.opts.Server.List(l.ctx, engine.Brief)
	if err != nil {
		return err
	}
	l.panes = slices.DeleteFunc(listing.Panes, func(p engine.Pane) bool { return p.Session != l.opts.Session })
	if l.pane == "" && len(l.panes) > 0 {
		l.pane = l.panes[0].ID
		for i := range l.panes {
			if l.panes[i].View.Active {
				l.pane = l.panes[i].ID
				break
			}
		}
	}
	screens, err := l.opts.Server.Capture(l.ctx, engine.Ask{Pane: l.pane, Escapes: true, History: mostHistory})
	if err != nil || len(screens) == 0 {
		return err
	}
	l.lines = screens[0].Lines
	l.plain = make([]string, len(l.lines))
	for i, line := range l.lines {
		l.plain[i] = strings.ToLower(cells.Strip(line))
	}
	l.found = nil
	return nil
}

// Init does nothing: the size comes first.
func (l *lookback) Init() tea.Cmd { return nil }

// Update takes a key, the mouse or a size.
func (l *lookback) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		fresh := l.view.Height == 0
		l.view.Width, l.view.Height = msg.Width, max(1, msg.Height-1)
		l.fill()
		if fresh {
			l.view.GotoBottom()
		}
		return l, nil
	case tea.KeyMsg:
		if msg.Type == tea.KeyRunes && len(msg.Runes) > 1 && !l.typing { // several that came at once
			all := core.Map(msg.Runes, func(r rune) tea.Cmd {
				return l.take(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
			})
			return l, tea.Batch(all...)
		}
		cmd := l.take(msg)
		return l, cmd
	}
	var cmd tea.Cmd
	l.view, cmd = l.view.Update(msg)
	return l, cmd
}

// take takes one key.
func (l *lookback) take(key tea.KeyMsg) tea.Cmd {
	if l.typing {
		return l.search(key)
	}
	cmd, done := l.press(key)
	if !done {
		l.view, cmd = l.view.Update(key)
	}
	return cmd
}

// press does what a key says; done is false for the keys of the view itself.
func (l *lookback) press(key tea.KeyMsg) (cmd tea.Cmd, done bool) {
	l.notice = ""
	switch key.String() {
	case "q", "esc", "enter", "ctrl+]", "ctrl+c", "ctrl+\\":
		return tea.Quit, true
	case "/":
		l.typing = true
		l.input.SetValue("")
		return l.input.Focus(), true
	case "n":
		l.next(1)
	case "N":
		l.next(-1)
	case "g", "home":
		l.view.GotoTop()
	case "G", "end":
		l.view.GotoBottom()
	case "tab":
		l.turn(1)
	case "shift+tab":
		l.turn(-1)
	default:
		return nil, false
	}
	return nil, true
}

// search takes a key of the line in which the user types what to search for.
func (l *lookback) search(key tea.KeyMsg) tea.Cmd {
	switch key.String() {
	case "esc", "ctrl+c":
		l.typing = false
	case "enter":
		l.typing = false
		l.find()
	default:
		var cmd tea.Cmd
		l.input, cmd = l.input.Update(key)
		return cmd
	}
	return nil
}

// find looks for what was typed, from the bottom up.
func (l *lookback) find() {
	word := strings.ToLower(l.input.Value())
	l.found = nil
	for i, line := range l.plain {
		if word != "" && strings.Contains(line, word) {
			l.found = append(l.found, i)
		}
	}
	if l.at = len(l.found); l.at == 0 && word != "" {
		l.notice = fmt.Sprintf("%q is nowhere here", l.input.Value())
	}
	l.fill()
	l.next(-1)
}

// next goes to another line that matches.
func (l *lookback) next(by int) {
	if len(l.found) == 0 {
		return
	}
	l.at = (l.at + by + len(l.found)) % len(l.found)
	l.view.SetYOffset(max(0, l.found[l.at]-l.view.Height/2))
	l.notice = fmt.Sprintf("line %d, match %d of %d", l.found[l.at]+1, l.at+1, len(l.found))
}

// turn shows another pane of the session.
func (l *lookback) turn(by int) {
	at := slices.IndexFunc(l.panes, func(p engine.Pane) bool { return p.ID == l.pane })
	if at < 0 || len(l.panes) < 2 {
		l.notice = "the session has no other pane"
		return
	}
	l.pane = l.panes[(at+by+len(l.panes))%len(l.panes)].ID
	if err := l.read(); err != nil {
		l.notice = err.Error()
	}
	l.fill()
	l.view.GotoBottom()
}

// fill gives the view its lines, those that match with a mark before them.
func (l *lookback) fill() {
	shown := make([]string, len(l.lines))
	matches := map[int]bool{}
	for _, i := range l.found {
		matches[i] = true
	}
	for i, line := range l.lines {
		mark := "  "
		if matches[i] {
			mark = "> "
		}
		shown[i] = cells.Cut(mark+line, l.view.Width, "")
	}
	l.view.SetContent(strings.Join(shown, "\n"))
}

// View draws the screen.
func (l *lookback) View() string {
	foot := l.notice
	switch {
	case l.typing:
		foot = l.input.View()
	case foot == "":
		foot = fmt.Sprintf("%s  %3.0f%%  arrows, PgUp, g, G move   / searches   Tab next pane   q goes back", l.name(),
			100*l.view.ScrollPercent())
	}
	return l.view.View() + "\n" + cells.Cut(foot, l.view.Width, "…")
}

// name is how the user calls the pane.
func (l *lookback) name() string {
	for i := range l.panes {
		if p := &l.panes[i]; p.ID == l.pane {
			if name := p.Tags[engine.TagName]; name != "" {
				return name
			}
			return p.Window.Name
		}
	}
	return string(l.pane)
}

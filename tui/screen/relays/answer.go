package relays

import (
	"fmt"

	"cupola/core/run/relay"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// shown is a relay that is shown, with what went wrong and what to do about that; both may be empty.
type shown struct {
	Answer
	Wrong, Hint string
}

// answer shows one relay: what was asked, what came, and what went wrong. While the relay runs it
// shows the end of the text, until the user scrolls.
type answer struct {
	shown shown
	page  screen.Page
	// whole is true if the prompt is shown in full, free once the user has scrolled, and following if
	// the end is to be shown. At is where it was drawn.
	whole, free, following bool
	at                     layout.Rect
	text                   screen.Wrapped
}

// show takes the relay with an id, as far as it was read.
func (a *answer) show(w *screen.World, id string) {
	if id != a.shown.Record.ID {
		a.page, a.free, a.shown = screen.Page{}, false, shown{}
	}
	if read := readAnswer.In(w); read.Question == (Question{id}) {
		// The last lines of one that ended while it was shown are shown too.
		live := !a.shown.Record.State.Ended() && a.shown.Record.ID != ""
		a.shown = shown{read.Value, read.Wrong, read.Hint}
		if a.shown.Record.ID = id; read.Wrong == "" {
			a.shown.Wrong, a.shown.Hint = a.shown.Record.Error, a.shown.Record.Hint
		}
		a.following = !a.free && (live || !a.shown.Record.State.Ended())
	}
}

// enlarge gives the answer the whole display, or ends that.
func (a *answer) enlarge(whole bool) { a.whole, a.free, a.page = whole, false, screen.Page{} }

// handle scrolls, and returns other intents.
func (a *answer) handle(wanted intent.Intent) intent.Intent {
	if wanted = a.page.Handle(wanted); wanted == nil {
		a.free = true
	}
	return wanted
}

// view draws a line about the relay, and the lines that show of the rest.
func (a *answer) view(w *screen.World, r layout.Rect) []string {
	a.at = r
	head, body := r.Top(1)
	if a.shown.Record.ID == "" {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: "reading" + w.Theme.Glyphs().Ellipsis})
	}
	before, after := a.before(w, body.W), a.after(w, body.W)
	text := a.text.Lines(a.shown.Record.ID, a.shown.Text, max(1, body.W-margins))
	all := make([]string, len(before)+len(text)+len(after))
	copy(all[len(before):], text)
	top, end := a.page.Shown(all, body.H)
	if a.following {
		a.page.Handle(intent.Jump{Last: true})
		top, end = a.page.Shown(all, body.H)
	}
	rows := widget.Rows{Selected: -1}
	for i := top; i < end; i++ {
		switch at := i - len(before); {
		case at < 0:
			rows.Left = append(rows.Left, before[i])
		case at < len(text):
			rows.Left = append(rows.Left, widget.Styled(theme.Text, text[at]))
		default:
			rows.Left = append(rows.Left, after[at-len(text)])
		}
	}
	position := ""
	if end > top && end-top < len(all) {
		position = fmt.Sprintf("%d-%d of %d", top+1, end, len(all))
	}
	lines := widget.Bar(w.Theme, head, a.title(w), widget.Styled(theme.Dim, position))
	return append(lines, widget.List(w.Theme, body, rows)...)
}

// margins is what a row leaves free beside its text, in cells.
const margins = 4

// title names the relay, and what it may do where.
func (a *answer) title(w *screen.World) widget.Line {
	r := &a.shown.Record
	line := widget.Line{
		{Token: token(r.State), Text: "  " + string(r.State)},
		{Token: theme.Strong, Text: "  " + r.Backend},
	}
	for _, part := range []string{r.Model, r.ID, r.Label, elapsed(w, r), cost(r), string(r.Sandbox), r.Dir} {
		if part != "" {
			line = append(line, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(part)})
		}
	}
	return line
}

// promptLines is how many lines a prompt has at most while the list is shown too.
const promptLines = 2

// before are the lines above the text: the prompt, or its beginning.
func (a *answer) before(w *screen.World, width int) []widget.Line {
	lines := screen.Paragraph(theme.Dim, a.shown.Record.Prompt, width-margins)
	if !a.whole && len(lines) > promptLines {
		last := lines[promptLines-1][0].Text + " " + w.Theme.Glyphs().Ellipsis
		lines = append(lines[:promptLines-1], widget.Styled(theme.Dim, last))
	}
	return append(lines, nil)
}

// after are the lines below the text: what goes on, or what went wrong.
func (a *answer) after(w *screen.World, width int) []widget.Line {
	var lines []widget.Line
	r := &a.shown.Record
	add := func(token theme.Token, text string) {
		if text == "" {
			return
		}
		if len(lines) == 0 && a.shown.Text != "" {
			lines = append(lines, nil)
		}
		lines = append(lines, screen.Paragraph(token, text, width-margins)...)
	}
	switch {
	case a.shown.Wrong != "":
		add(theme.Danger, a.shown.Wrong)
		add(theme.Dim, a.shown.Hint)
	case r.State == relay.Pending:
		add(theme.Dim, "it has not begun")
	case r.State == relay.Running && a.shown.Doing != "":
		add(theme.Dim, a.shown.Doing)
	case r.State == relay.Running && a.shown.Text == "":
		add(theme.Dim, "no answer yet"+w.Theme.Glyphs().Ellipsis)
	case a.shown.Text == "":
		add(theme.Dim, "the answer is empty")
	}
	for _, warning := range r.Warnings {
		add(theme.Warn, warning)
	}
	return lines
}

package scripted

import (
	"slices"
	"strings"

	"cupola/core/term/cells"
)

// view is a drawing: rows, and where the cursor is among them.
type view struct {
	rows   []string
	cursor point
	// hidden is set where no cursor is shown.
	hidden bool
	// flow counts the first rows, which follow the transcript; the others
	// belong to the bottom.
	flow int
}

// point is a place in a view, counted from zero.
type point struct{ row, column int }

// drawing puts an agent on a terminal of some size.
type drawing struct {
	agent         *agent
	width, height int
}

// live draws what changes in place: the running act, the queue, and the
// composer or a dialog. It takes at most height rows.
func (d drawing) live() view {
	a := d.agent
	if !a.ready || a.ended != nil {
		return view{hidden: true}
	}
	if open := a.dialog(); open != nil {
		return view{rows: open.rows(d.width), hidden: true}.fit(d.width, d.height)
	}
	v := view{rows: []string{""}}
	if a.turn != nil && a.turn.current() != nil {
		act := a.turn.current()
		v.rows = act.shows.rows(d.width)
		v.flow = len(v.rows)
		v.rows = append(v.rows, "", a.busy(act.verb))
	}
	for _, p := range a.queue {
		first, _, _ := strings.Cut(printable(p.shown), "\n")
		v.rows = append(v.rows, styled(MarkQueued+first, sgrDim))
	}
	v.rows = append(v.rows, rule(d.width))
	d.composer(&v)
	v.rows = append(v.rows, rule(d.width), styled("  "+d.footer(), sgrDim))
	return v.fit(d.width, d.height)
}

// screen draws the whole terminal, for the alternate screen: the end of the
// transcript above, what is live at the bottom.
func (d drawing) screen() view {
	v := d.live()
	room := d.height - len(v.rows)
	above := d.agent.transcript.tail(d.width, room)
	gap := make([]string, room-len(above))
	v.rows = slices.Concat(above, v.rows[:v.flow], gap, v.rows[v.flow:])
	v.cursor.row += room
	return v
}

// busy is the busy line. A bright letter runs through its verb, so that it
// moves while its text stays.
func (a *agent) busy(verb string) string {
	spent := a.now.Sub(a.turn.began)
	letters := []rune(verb)
	at := int(spent/frameTime) % len(letters)
	return styled(MarkBusy+string(letters[:at]), sgrBusy) + styled(string(letters[at]), sgrBold) +
		styled(string(letters[at+1:]), sgrBusy) + styled(" ("+span(spent)+" · "+HintInterrupt+")", sgrDim)
}

// composer draws the end of the draft and puts the cursor behind it.
func (d drawing) composer(v *view) {
	indent := cells.Width(MarkComposer)
	if d.agent.draft.empty() {
		v.cursor = point{row: len(v.rows), column: indent}
		v.rows = append(v.rows, MarkComposer+styled(Placeholder, sgrDim))
		return
	}
	// One column stays free for the cursor.
	rows := hang(MarkComposer, d.agent.draft.shown(), "", d.width-1)
	rows = rows[max(0, len(rows)-max(1, d.height/2)):]
	v.rows = append(v.rows, rows...)
	v.cursor = point{row: len(v.rows) - 1, column: cells.Width(rows[len(rows)-1])}
}

// footer is the line below the composer.
func (d drawing) footer() string {
	a := d.agent
	switch {
	case a.leaving:
		return HintLeave
	case a.turn != nil:
		return HintInterrupt + " · " + a.traits.model
	}
	return HintIdle + " · " + a.traits.model
}

// rows draws the dialog.
func (d *dialog) rows(width int) []string {
	rows := []string{"", rule(width), styled(d.title, sgrWaiting)}
	rows = append(rows, hang("  ", d.detail, "", width)...)
	rows = append(rows, "")
	for i, c := range d.choices {
		mark, sgr := strings.Repeat(" ", cells.Width(MarkComposer)), ""
		if i == d.selected {
			mark, sgr = MarkComposer, sgrAccent
		}
		rows = append(rows, hang(mark, string(rune('1'+i))+". "+c.label, sgr, width)...)
	}
	return append(rows, "", styled(HintDialog, sgrDim))
}

func rule(width int) string { return styled(strings.Repeat(MarkRule, max(0, width)), sgrDim) }

// fit keeps the bottom rows and cuts all of them to the width.
func (v view) fit(width, height int) view {
	cut := max(0, len(v.rows)-height)
	v.rows = v.rows[cut:]
	v.flow = max(0, v.flow-cut)
	for i, r := range v.rows {
		v.rows[i] = cells.Cut(r, width, "")
	}
	v.cursor.row = max(0, v.cursor.row-cut)
	v.cursor.column = max(0, min(v.cursor.column, width-1))
	return v
}

// title is the terminal's title.
func (a *agent) title() string {
	state := TitleIdle
	switch {
	case !a.ready:
		state = TitleStarting
	case a.dialog() != nil:
		state = TitleWaiting
	case a.turn != nil:
		state = TitleWorking
	}
	return printable(a.traits.name) + TitleSeparator + state
}

// Package relays shows the answer of a relay while it comes.
package relays

import (
	"cmp"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks for a relay; an Answer answers it.
type Question struct{ ID string }

// Answer is a relay with its answer as far as it has come.
type Answer struct {
	Record relay.Record
	// Text is the answer, Doing what the backend did last if that was no text.
	Text, Doing string
}

var read = &screen.Slot[Answer]{}

// works and ended are the keys while a relay runs, and once it has ended.
var (
	works = intent.Runs.Footed([]string{"x", "enter", "y", "o", "n", "]", "/", "esc", "?"}, nil)
	ended = intent.Runs.Footed([]string{"y", "o", "enter", "D", "n", "]", "/", "esc", "?"},
		map[string]string{"o": "session"})
)

// Detail shows one relay: what was asked, and what came. While the relay runs it shows the end of the text, until the
// user scrolls.
type Detail struct {
	id    string
	shown screen.Answer[Answer]
	tail  screen.Tail
	// whole is true if the prompt is shown in full, grows if the end is to be shown.
	whole, grows bool
	text         screen.Wrapped
}

// Scope is the table of keys.
func (d *Detail) Scope(h *run.Head) *intent.Scope {
	if h.State.Ended() {
		return &ended
	}
	return &works
}

// Wants asks for the relay.
func (d *Detail) Wants(w *screen.World, h *run.Head) []screen.Want {
	return []screen.Want{screen.WantRun(w, read, Question{h.ID}, h, headOf)}
}

func headOf(a *Answer) run.Head { return a.Record.Head() }

// Show takes a relay as far as it was read, with the whole display or not. It returns its head as it was read; nil
// before that.
func (d *Detail) Show(w *screen.World, h *run.Head, whole bool) *run.Head {
	if h.ID != d.id || whole != d.whole {
		d.tail, d.whole = screen.Tail{}, whole
	}
	if h.ID != d.id {
		d.id, d.shown = h.ID, screen.Answer[Answer]{}
	}
	if got := read.In(w); got.Question == (Question{h.ID}) {
		// The last lines of one that ended while it was shown are shown too.
		live := d.shown.Read && !d.shown.Value.Record.State.Ended()
		d.shown = *got
		d.grows = live || !got.Value.Record.State.Ended()
	}
	return screen.HeadOf(&d.shown, h, headOf)
}

// Place asks for an agent in a pane that gets the prompt.
func (d *Detail) Place() intent.Intent {
	record := &d.shown.Value.Record
	return intent.AskSpawn{Agents: record.Backend, Dir: record.Dir, Prompt: record.Prompt}
}

// Copied is the answer.
func (d *Detail) Copied() string { return d.shown.Value.Text }

// Handle scrolls. It returns other intents.
func (d *Detail) Handle(wanted intent.Intent) intent.Intent { return d.tail.Handle(wanted) }

// About returns the facts of the relay besides its head, and which lines of the answer are displayed.
func (d *Detail) About(w *screen.World) (facts []string, note string) {
	r := &d.shown.Value.Record
	return []string{r.Model, elapsed(w, r), string(r.Sandbox)}, d.tail.Note
}

// View draws the displayed lines of the prompt, the answer, and the present activity.
func (d *Detail) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	before, after := d.before(w, r.W), d.after(w, r.W)
	text := d.text.Lines(d.id, d.shown.Value.Text, max(1, r.W-margins))
	top, end := d.tail.Shown(len(before)+len(text)+len(after), r.H, d.grows)
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
	return widget.List(w.Theme, r, rows)
}

// margins is the free width beside the text of a row, in cells.
const margins = 4

// promptLines is how many lines a prompt has at most while the list is shown too.
const promptLines = 2

// before are the lines above the text: the prompt, or its beginning.
func (d *Detail) before(w *screen.World, width int) []widget.Line {
	lines := screen.Paragraph(theme.Dim, d.shown.Value.Record.Prompt, width-margins)
	if !d.whole && len(lines) > promptLines {
		last := lines[promptLines-1][0].Text + " " + w.Theme.Glyphs().Ellipsis
		lines = append(lines[:promptLines-1], widget.Styled(theme.Dim, last))
	}
	return append(lines, nil)
}

// after returns the lines below the text: why it cannot be read, the present activity, and warnings.
func (d *Detail) after(w *screen.World, width int) []widget.Line {
	var lines []widget.Line
	r, a := &d.shown.Value.Record, &d.shown.Value
	add := func(token theme.Token, text string) {
		if text == "" {
			return
		}
		if len(lines) == 0 && a.Text != "" {
			lines = append(lines, nil)
		}
		lines = append(lines, screen.Paragraph(token, text, width-margins)...)
	}
	switch {
	case d.shown.Wrong != "":
		add(theme.Danger, d.shown.Wrong)
		add(theme.Dim, d.shown.Hint)
	case r.State == relay.Running && a.Doing != "":
		add(theme.Dim, a.Doing)
	case r.State == relay.Running && a.Text == "":
		add(theme.Dim, "no answer yet"+w.Theme.Glyphs().Ellipsis)
	case r.State == relay.Done && a.Text == "":
		add(theme.Dim, "the answer is empty")
	}
	for _, warning := range r.Warnings {
		add(theme.Warn, warning)
	}
	return append(lines, d.rounds(r.Rounds, width)...)
}

// rounds returns the lines of a panel's rounds: each answer in short with its rank, and the rankings that cannot be
// used.
func (d *Detail) rounds(rounds *relay.Rounds, width int) (lines []widget.Line) {
	if rounds == nil {
		return nil
	}
	for i := range rounds.Answers {
		a := &rounds.Answers[i]
		row := widget.Line{
			{Token: screen.RunToken(a.State), Text: string(a.State) + "  "},
			{Token: theme.Strong, Text: a.Backend + "  "},
		}
		if rounds.Ranking != nil {
			for j := range rounds.Ranking.Standings {
				if s := &rounds.Ranking.Standings[j]; s.Backend == a.Backend {
					row = append(row, widget.Span{Token: theme.Accent, Text: fmt.Sprintf("rank %s, mean %.2f of %d  ",
						s.RankText(), s.MeanRank, s.Rankings)})
				}
			}
		}
		text := screen.OneLine(cmp.Or(a.Error, a.Text), max(1, width))
		lines = append(lines, append(row, widget.Span{Token: theme.Dim, Text: text}))
	}
	if len(lines) > 0 {
		lines = append([]widget.Line{nil, widget.Styled(theme.Header, "Answers")}, lines...)
	}
	return lines
}

// elapsed says how long a relay took, or has taken; empty where that is not known.
func elapsed(w *screen.World, r *relay.Record) string {
	took := time.Duration(r.ElapsedMS) * time.Millisecond
	if !r.State.Ended() {
		took = max(0, w.Now.Sub(r.Started))
	}
	switch {
	case took <= 0 && r.State.Ended():
		return ""
	case took < 10*time.Second && r.State.Ended():
		return fmt.Sprintf("%.1fs", took.Seconds())
	}
	return core.ShortDuration(took.Truncate(time.Second))
}

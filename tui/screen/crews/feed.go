package crews

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core/run/crew"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// feed is the conversation, in lines. Lines of events are kept while their layout does not change.
type feed struct {
	made  []widget.Line
	key   string
	count int
}

// lines returns the lines of what a talk shows, each of at most width cells.
func (f *feed) lines(w *screen.World, d *Detail, width int) []widget.Line {
	key := fmt.Sprint(d.shown.Value.Crew.ID, width, d.part, d.who, d.search)
	if key != f.key || f.count > len(d.shown.Value.Events) {
		*f = feed{key: key}
	}
	for ; f.count < len(d.shown.Value.Events); f.count++ {
		e := &d.shown.Value.Events[f.count]
		if d.shows(e) {
			f.made = append(f.made, event(e, width)...)
		}
	}
	lines := slices.Clone(f.made)
	for _, s := range d.shown.Value.Saying {
		if len(d.who) > 0 && !slices.Contains(d.who, s.Agent) {
			continue
		}
		doing := s.Doing
		switch {
		case doing != "":
		case s.Text == "":
			doing = "is asked" + w.Theme.Glyphs().Ellipsis
		default:
			doing = "writes" + w.Theme.Glyphs().Ellipsis
		}
		lines = append(lines, nil, widget.Line{
			{Token: theme.Busy, Text: cells.Clean(s.Agent)}, {
				Token: theme.Dim,
				Text:  "  " + cells.Clean(screen.OneLine(doing, 200)),
			},
		})
		if s.Text != "" {
			lines = append(lines, screen.Paragraph(theme.Dim, screen.End(s.Text, mostLive), width)...)
		}
	}
	if d.shown.Wrong != "" {
		lines = append(lines, screen.Paragraph(theme.Danger, d.shown.Wrong, width)...)
		lines = append(lines, screen.Paragraph(theme.Dim, d.shown.Hint, width)...)
	}
	if len(lines) == 0 {
		lines = append(lines, widget.Styled(theme.Dim, "nothing of that was said"))
	}
	return lines
}

// shows reports whether an event is among what is shown.
func (d *Detail) shows(e *crew.Event) bool {
	switch e.Type {
	case crew.Message, crew.Task:
		if d.part == notes {
			return false
		}
	case crew.Note:
		if d.part == messages {
			return false
		}
	case crew.StatusChanged:
		return false
	default:
		return d.part == everything && d.search == "" && d.concerns(e)
	}
	return d.concerns(e) && strings.Contains(strings.ToLower(e.Text), strings.ToLower(d.search))
}

const (
	// mostSaid is how many bytes of one text are drawn, and mostLive how many of one that comes.
	mostSaid, mostLive = 20_000, 4_000
)

// event is the lines of one event.
func event(e *crew.Event, width int) []widget.Line {
	clock := widget.Span{Token: theme.Dim, Text: "  " + e.At.Local().Format("15:04:05")}
	said := func(head ...widget.Span) []widget.Line {
		lines := []widget.Line{nil, append(widget.Line(head), clock)}
		return append(lines, screen.Paragraph(theme.Text, screen.Beginning(e.Text, mostSaid), width)...)
	}
	name := func(text string) widget.Span { return widget.Span{Token: theme.Strong, Text: cells.Clean(text)} }
	switch e.Type {
	case crew.Message:
		return said(name(e.From), widget.Span{Token: theme.Dim, Text: " → "}, name(e.To))
	case crew.Note:
		return said(name(e.From), widget.Span{Token: theme.Dim, Text: " notes"})
	case crew.Task:
		return said(name("the task"))
	}
	text, tone := "", theme.Dim
	switch e.Type {
	case crew.TurnComplete:
		text = fmt.Sprintf("turn %d is complete, %d wait", e.Turn, e.Pending)
	case crew.Guardrail:
		text, tone = string(e.Reason)+": "+e.Text, theme.Warn
	case crew.Failure:
		text, tone = e.From+" failed: "+e.Text, theme.Danger
	case crew.Start:
		text = "it works: " + e.Text
	case crew.Pause:
		text, tone = "it is paused", theme.Warn
	case crew.Resume:
		text = "it resumes"
	case crew.End:
		text = "it ended: " + string(e.Reason)
		if e.Text != "" {
			text, tone = text+", "+e.Text, theme.Danger
		}
	}
	return append([]widget.Line{nil}, screen.Paragraph(tone, text, width)...)
}

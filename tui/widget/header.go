package widget

import (
	"strconv"
	"strings"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
)

// Heading is the content of the header.
type Heading struct {
	// Name is the program's.
	Name string
	// Sessions is how many there are.
	Sessions int
	// Counts are the agents; states without any are left out.
	Counts core.Counts
	// Relays, Crews and Runs (of stories) count the runs that have not ended.
	Runs int
	// Filter limits the view, Note is a message; both may be empty.
	Filter, Note string
	// Alerts counts the open alerts.
	Alerts core.AlertCounts
	// Engines names the terminal servers that have the sessions; empty for none.
	Engines string
	// Clock is the time of day.
	Clock string
}

// Header draws one line: name, sessions, counts, runs, filter, note, and at the right how
// many alerts are open, errors first, the terminal servers and the clock. If it is too long, the servers are left out
// first, then the words, then filter and note are cut, then alerts and clock are left out. Further rows are
// blank.
func Header(t *theme.Theme, r layout.Rect, h Heading) []string {
	if r.Empty() {
		return pad(nil, r)
	}
	rest := h.rest()
	left := append(h.counts(t, true), rest...)
	clock := append(h.alerts(t), Span{theme.Dim, h.Clock})
	if h.Engines != "" {
		whole := append(h.alerts(t), Span{theme.Dim, strings.TrimSpace(h.Engines + "  " + h.Clock)})
		if left.Width() < r.W-whole.Width()-1 {
			clock = whole
		}
	}
	room := r.W - clock.Width() - 1
	if left.Width() > room && !t.Accessible() {
		left = append(h.counts(t, false), rest...)
	}
	if h.counts(t, t.Accessible()).Width() > room {
		clock = nil
	}
	return pad([]string{painter{theme: t}.row(r.W, left, clock)}, r)
}

func (h *Heading) counts(t *theme.Theme, words bool) Line {
	line := Line{{theme.Header, h.Name}}
	switch {
	case words && h.Sessions == 1:
		line = append(line, Span{theme.Text, "   1 session"})
	case words && h.Sessions > 1:
		line = append(line, Span{theme.Text, "   " + strconv.Itoa(h.Sessions) + " sessions"})
	}
	for _, state := range core.ShownStates {
		n := h.Counts.Shown(state)
		if n == 0 {
			continue
		}
		text, gap := t.Glyph(state)+strconv.Itoa(n), "  "
		if words {
			text, gap = StateCount(t, state, n)+" "+string(state), "   "
		}
		if t.Accessible() {
			text = StateCount(t, state, n)
		}
		line = append(line, Span{theme.Text, gap}, Span{theme.State(state), text})
	}
	return append(append(line, snoozed(h.Counts.Snoozed, words)...), running(h.Runs, "run", words)...)
}

// StateCount says how many agents are in a state: behind its sign or, for a screen reader, before its word.
func StateCount(t *theme.Theme, state core.State, n int) string {
	if t.Accessible() {
		return strconv.Itoa(n) + " " + string(state)
	}
	return t.Glyph(state) + " " + strconv.Itoa(n)
}

// snoozed counts the snoozed agents; nothing for none.
func snoozed(n int, words bool) Line {
	switch {
	case n == 0:
		return nil
	case words:
		return Line{{theme.Warn, "   " + strconv.Itoa(n) + " snoozed"}}
	}
	return Line{{theme.Warn, "  z" + strconv.Itoa(n)}}
}

// running counts what runs of a sort; nothing for none.
func running(n int, noun string, words bool) Line {
	text := "   " + strconv.Itoa(n) + " " + noun
	switch {
	case n == 0:
		return nil
	case !words:
		text = "  " + noun[:1] + strconv.Itoa(n)
	case n > 1:
		text += "s"
	}
	return Line{{theme.Busy, text}}
}

// alerts returns the counts of the alerts above severity info.
func (h *Heading) alerts(t *theme.Theme) Line {
	var line Line
	if t.Accessible() {
		if n := h.Alerts.Critical + h.Alerts.Error + h.Alerts.Warning; n > 0 {
			open := " open alerts  "
			if n == 1 {
				open = " open alert  "
			}
			line = Styled(theme.Warn, strconv.Itoa(n)+open)
		}
		return line
	}
	if n := h.Alerts.Critical + h.Alerts.Error; n > 0 {
		line = append(line, Span{theme.Danger, "!" + strconv.Itoa(n) + " "})
	}
	if h.Alerts.Warning > 0 {
		line = append(line, Span{theme.Warn, "!" + strconv.Itoa(h.Alerts.Warning) + " "})
	}
	if line != nil {
		line = append(line, Span{theme.Text, " "})
	}
	return line
}

func (h *Heading) rest() Line {
	var line Line
	if h.Filter != "" {
		line = append(line, Span{theme.Text, "   "}, Span{theme.Accent, "/" + h.Filter})
	}
	if h.Note != "" {
		line = append(line, Span{theme.Text, "   "}, Span{theme.Warn, h.Note})
	}
	return line
}

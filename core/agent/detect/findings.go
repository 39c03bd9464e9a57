package detect

import (
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// Findings are the results of a kind's rules for one screen and title. They are valid until either changes.
type Findings struct {
	// Taken is when the screen was captured.
	Taken time.Time `json:"taken"`
	// Signals are the claims of the rules that match; their Age is zero.
	Signals []Signal `json:"signals"`
	// Composed is true if the agent's input box is drawn and has the keyboard.
	Composed bool `json:"composed,omitempty"`
	// Blank is true if next to nothing is drawn.
	Blank bool `json:"blank,omitempty"`
	// Alternate is true on the alternate screen.
	Alternate bool `json:"alternate,omitempty"`
	// Asks is the subject of the open dialog; empty if none is open.
	Asks string `json:"asks,omitempty"`
	// Sketched is true if the open dialog shows neither what it is nor an option. It may be rows of a screen that is
	// being drawn.
	Sketched bool `json:"sketched,omitempty"`
}

// ReadScreen applies the rules of a kind to a screen. The title is used if the screen has
// none.
func ReadScreen(kind *agent.Kind, screen *core.Screen, title string) *Findings {
	if screen.Title == "" {
		titled := *screen
		titled.Title = title
		screen = &titled
	}
	reading := kind.Read(screen)
	composer, found := reading.Composer()
	matches := reading.Matches()
	asks := slices.ContainsFunc(matches, func(m agent.Match) bool { return m.Rule.State == core.Waiting })
	s := &Findings{
		Taken: screen.Taken, Composed: found && !asks, Blank: len(screen.Bottom(blankRows+1)) <= blankRows,
		Alternate: screen.View.AlternateOn,
		Signals:   make([]Signal, 0, len(matches)+1),
	}
	if asks {
		dialog, _ := reading.Dialog()
		s.Asks, s.Sketched = dialog.About, !dialog.Drawn()
	}
	for _, m := range matches {
		source := FromScreen
		if m.Rule.Region == agent.Title {
			source = FromTitle
		}
		s.Signals = append(s.Signals, Signal{
			Source: source, Rule: m.Rule.ID, Line: m.Line, State: m.Rule.State, Reason: m.Rule.Reason,
			Notes: m.Rule.Notes, Dialog: m.Rule.Region == agent.Dialog,
		})
	}
	if s.Composed && kind.Readable() {
		ready := Signal{Source: FromScreen, Rule: "composer", State: core.Idle}
		if composer.Draft != "" {
			ready.Notes, ready.Line = []core.Note{core.NoteDraft}, composer.Draft
		}
		s.Signals = append(s.Signals, ready)
	}
	return s
}

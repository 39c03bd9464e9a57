package screen

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/term/cells"
)

// StateWord returns a pane's state with all details: the reason, when a limit ends, how the
// program ended, the notes, and its part in a team. It is "user" for a pane that holds no agent.
func StateWord(pane *core.Pane) string {
	role := pane.Agent.Role.Words(pane.Agent.Team)
	switch {
	case pane.IsUser() && pane.Agent.Maybe != "":
		return "user, maybe " + string(pane.Agent.Maybe)
	case pane.IsUser():
		return "user"
	case pane.Agent.Role == core.RoleOverview:
		return role
	}
	s := pane.Status
	word := s.Reason.Sentence()
	switch {
	case word != "":
	case s.State == core.Errored:
		word = "shows an error"
	default:
		word = string(s.State)
	}
	if at := pane.ContinuesAt(); !at.IsZero() {
		word += ", continues at " + at.Local().Format("15:04")
	} else if !s.ResetsAt.IsZero() {
		word += " until " + s.ResetsAt.Local().Format("15:04")
	}
	switch {
	case pane.Process.Dead && pane.Process.Signal != 0:
		word += fmt.Sprintf(" by signal %d", pane.Process.Signal)
	case pane.Process.Dead && pane.Process.ExitStatus != 0:
		word += fmt.Sprintf(" with status %d", pane.Process.ExitStatus)
	}
	if pane.IsSnoozed() {
		word += ", snoozed"
	}
	for _, note := range s.Notes {
		word += ", " + note.Words()
	}
	if role != "" {
		word += ", " + role
	}
	return word
}

// Why says what a pane's state is about; nothing that changes with time where a screen reader reads each change aloud.
func (w *World) Why(pane *core.Pane) core.Why {
	if w.Theme.Accessible() {
		return pane.Why(time.Time{})
	}
	return pane.Why(w.Now)
}

// Says returns what the state of a pane's program is about, as far as that is known, else the state with all details.
func (w *World) Says(pane *core.Pane) string {
	if why := cells.Clean(OneLine(w.Why(pane).String(), mostDoes)); why != "" {
		return why
	}
	return StateWord(pane)
}

// BriefWord returns a state in one word, for narrow columns: the reason of a waiting
// agent or of an ended one rather than the state.
func BriefWord(pane *core.Pane) string {
	s := pane.Status
	switch {
	case pane.IsUser():
		return "user"
	case pane.Agent.Role == core.RoleOverview:
		return string(core.RoleOverview)
	case pane.IsSnoozed():
		return "snoozed"
	case s.Shown() == core.Done:
		return string(core.Done)
	case s.Reason == "", s.State == core.Working, s.State == core.Limited && s.Reason == core.ReasonRateLimit,
		s.State == core.Errored:
		return string(s.State)
	}
	return string(s.Reason)
}

// marks are the signs of notes, behind a name in a narrow column.
var marks = map[core.Note]string{
	core.NoteDraft: "_", core.NoteQueued: "+", core.NoteRetrying: "~", core.NoteSubagents: "&",
	core.NoteContextLow: "%", core.NoteInterrupted: "!", core.NoteBackground: "^", core.NoteUnreadable: "?",
}

// The marks of agents that are pinned or snoozed.
const pinnedMark, snoozedMark = "P", "z"

// Marks are the signs of a pin, a snooze and the notes of a pane; Legend explains them.
func (w *World) Marks(pane *core.Pane) string {
	if w.Theme.Accessible() {
		return markWords(pane)
	}
	var signs strings.Builder
	if pane.Agent.Pinned {
		signs.WriteString(pinnedMark)
	}
	if pane.IsSnoozed() {
		signs.WriteString(snoozedMark)
	}
	if pane.Agent.Queued > 0 && !pane.Status.Has(core.NoteQueued) {
		signs.WriteString(marks[core.NoteQueued])
	}
	for _, note := range pane.Status.Notes {
		signs.WriteString(marks[note])
	}
	return signs.String()
}

// markWords names a pin and the notes of a pane.
func markWords(pane *core.Pane) string {
	var words []string
	if pane.Agent.Pinned {
		words = append(words, "pinned")
	}
	for _, note := range pane.Status.Notes {
		if marks[note] != "" {
			words = append(words, note.Words())
		}
	}
	return strings.Join(words, ", ")
}

// Sign is a sign with what it means.
type Sign struct{ Mark, Means string }

// NoteSigns are the marks behind agents' names, and what they mean.
func NoteSigns() []Sign {
	signs := core.Map(notes, func(note struct {
		note  core.Note
		means string
	},
	) Sign {
		return Sign{marks[note.note], note.means}
	})
	return append(signs, Sign{pinnedMark, "it is pinned: first in its list"},
		Sign{snoozedMark, "it is snoozed: no needs and no notices"})
}

var notes = []struct {
	note  core.Note
	means string
}{
	{core.NoteDraft, "an unsent draft is in its prompt"},
	{core.NoteQueued, "a prompt waits until its turn has ended"},
	{core.NoteRetrying, "it tries again by itself"},
	{core.NoteSubagents, "agents that it started still work"},
	{core.NoteContextLow, "its context is nearly used up"},
	{core.NoteInterrupted, "its last turn was interrupted"},
	{core.NoteBackground, "a command that it started runs on"},
	{core.NoteUnreadable, "no rule knows what its screen shows"},
}

// StateSigns are the meanings of the glyphs of core.ShownStates.
func StateSigns() map[core.State]string {
	return map[core.State]string{
		core.Working: "works", core.Waiting: "waits for you",
		core.Done: "its turn ended, not looked at yet", core.Idle: "has nothing to do",
		core.Limited: "is held by a limit", core.Errored: "shows an error", core.Starting: "starts",
		core.Exited: "its program has ended", core.Unknown: "its state is not known",
	}
}

package screen

import (
	"fmt"
	"strings"

	"cupola/core"
)

// StateWord returns a pane's state with all details: the reason, when a limit ends, how the
// program ended, and the notes. It is "user" for a pane that holds no agent.
func StateWord(pane *core.Pane) string {
	if !pane.IsAgent() {
		return "user"
	}
	s := pane.Status
	word := string(s.State)
	if s.Reason != "" {
		word += " " + plain(string(s.Reason))
	}
	if !s.ResetsAt.IsZero() {
		word += ", resets " + s.ResetsAt.Local().Format("15:04")
	}
	switch {
	case pane.Process.Dead && pane.Process.Signal != 0:
		word += fmt.Sprintf(", signal %d", pane.Process.Signal)
	case pane.Process.Dead:
		word += fmt.Sprintf(", status %d", pane.Process.ExitStatus)
	}
	for _, note := range s.Notes {
		word += ", " + plain(string(note))
	}
	return word
}

// BriefWord returns a state in one or two words, for narrow columns: the reason of a waiting
// agent or of an error rather than the state.
func BriefWord(pane *core.Pane) string {
	s := pane.Status
	switch {
	case !pane.IsAgent():
		return "user"
	case s.Reason == "", s.State == core.Working, s.State == core.Limited && s.Reason == core.ReasonRateLimit,
		s.Reason == core.ReasonFinished:
		return string(s.State)
	case s.State == core.Errored:
		return string(s.Reason) + " error"
	}
	return string(s.Reason)
}

// marks are the signs of notes, behind a state in a narrow column.
var marks = map[core.Note]string{
	core.NoteDraft: "_", core.NoteQueued: "+", core.NoteRetrying: "~", core.NoteSubagents: "&",
	core.NoteContextLow: "%", core.NoteInterrupted: "!", core.NoteUnreadable: "?",
}

// Marks are the signs of a pane's notes: _ draft, + queued, ~ retrying,
// & sub-agents, % context low, ! interrupted.
func Marks(pane *core.Pane) string {
	var signs strings.Builder
	for _, note := range pane.Status.Notes {
		signs.WriteString(marks[note])
	}
	return signs.String()
}

func plain(word string) string { return strings.ReplaceAll(word, "_", " ") }

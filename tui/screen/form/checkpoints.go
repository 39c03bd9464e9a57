package form

import (
	"fmt"
	"strings"
	"time"

	"cupola/core/record/checkpoint"
	"cupola/core/system/shell"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Checkpoint asks under what name to record a session, and for a note.
func Checkpoint(session string) *Form {
	return &Form{
		title: "Record " + session, verb: "record",
		fields: []field{
			line("Name", "the session's name and the time", ""), line("Note", "what it is good for", ""),
		},
		says: "Keeps how it was started, what it shows, and what changed in its git trees. Nothing is touched.",
		make: func(values []string) (intent.Intent, string) {
			words := []string{"checkpoint", session}
			for i, flag := range []string{"--name=", "--note="} {
				if value := strings.TrimSpace(values[i]); value != "" {
					words = append(words, flag+value)
				}
			}
			return intent.RunCommand{Line: shell.Line(words...)}, ""
		},
	}
}

// Checkpoints asks which recorded session to restore; it leads to the command, whose flags can be added.
// What ran until its terminal server ended comes before them.
func Checkpoints(entries []checkpoint.Entry, offers *screen.Offers, now time.Time) *Form {
	var all []Entry
	if ran := offers.RanUntil(now); ran != "" {
		all = append(all, Entry{
			Group: "restore", Name: "all that ran", Does: ran, Means: intent.AskCommand{Line: "restore --yes"},
		})
	}
	for i := range offers.Ran {
		r := &offers.Ran[i]
		all = append(all, Entry{
			Group: "restore", Name: r.Session, Does: "ran: " + r.Holds(),
			Means: intent.AskCommand{Line: shell.Line("restore", "--only="+r.Session, "--yes")},
		})
	}
	for i := range entries {
		e := &entries[i]
		does := fmt.Sprintf("%s, %s ago, %s", e.Session, widget.Age(now.Sub(e.At)), screen.Count(len(e.Panes), "pane"))
		if e.Note != "" {
			does += ": " + e.Note
		}
		if e.Fault != "" {
			does = e.Fault
		}
		all = append(all, Entry{
			Group: "restore", Name: e.Name, Does: does,
			Means: intent.AskCommand{Line: shell.Line("restore", e.Name)},
		})
	}
	f := Palette(all)
	f.title = "Restore a recorded session"
	return f
}

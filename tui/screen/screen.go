// Package screen holds what the dashboard's screens share: the world that they show, their
// interface, and the selection. The screens are plain state, each in a package below this
// one; none knows the fleet, so none can block.
package screen

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/agent/transcript"
	"cupola/core/git/changes"
	"cupola/core/run/crew"
	"cupola/core/run/relay"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// World is the data to show. The root owns it; screens only read it.
type World struct {
	Snapshot *core.Snapshot
	Screens  map[core.PaneID]core.Screen
	// Composers are how many rows at the end of the screens are no words of the agents': their input boxes and foot
	// lines.
	Composers map[core.PaneID]int
	// Explained has the explanations that were asked for, by pane.
	Explained map[core.PaneID]Explanation
	// Recalled is what was sent to the pane or session of the last Recall.
	Recalled Recalled
	// Relays are what is on record of relays, Answer the one of the last ReadRelay.
	Relays Relays
	Answer Answer
	// Crews are the crews on record, Talk is the one of the last ReadCrew.
	Crews Crews
	Talk  Talk
	// Stories are the changes and the runs over their stories; Change is the one of the last ReadChange, Run that of
	// the last ReadRun, and Changed what the one of the last ReadChanged changed.
	Stories Stories
	Change  ChangeText
	Run     RunText
	Changed Changed
	// Changes are those in the working trees, Patch the one of the last ReadPatch.
	Changes Changes
	Patch   Patch
	// Activity is what the last ReadActivity found.
	Activity Activity
	// Usage is what the last ReadUsage found.
	Usage Usage
	// Settings are what the last ReadSettings found.
	Settings Settings
	// Hosts are what the last ReadHosts found.
	Hosts Hosts
	// Scrollback is what the last ReadScrollback found.
	Scrollback Scrollback
	// Offers are what forms offer.
	Offers Offers
	// Work is what is known of the work of agents, by pane.
	Work map[core.PaneID]Work
	// Host is the name of the machine, Home the user's folder; empty if unknown.
	Host, Home string
	// Now is the time from which ages are computed: to the minute, or to the second while Seconds is set.
	Now     time.Time
	Seconds bool
	Theme   *theme.Theme
	// Keys has the user's own keys; nil has the usual ones.
	Keys  *intent.Keymap
	Cache *widget.Cache
}

// Explanation is why a pane is in its state.
type Explanation struct {
	// Signals are all signals, strongest first.
	Signals []detect.Signal
	// Until is when the state may change without an event; zero if never.
	Until time.Time
}

// Recalled is what was sent to a pane or session, the newest first.
type Recalled struct {
	About   intent.Target
	Prompts []core.Prompt
	// Note is what there is to say of the list: how many there are, or why there
	// is none.
	Note string
}

// Offers are what forms offer to choose from.
type Offers struct {
	// Kinds are the agents that are installed, Presets the names of saved sessions, Folders those that were used
	// lately, and Prompts the newest ones that were sent and then those that are saved.
	Kinds, Presets, Folders, Prompts []string
	// Missing are the agents that are not installed.
	Missing []Missing
}

// Missing is a kind of agent that is not installed.
type Missing struct {
	Kind string
	// Install is the command that installs it.
	Install string
}

// Changes are the working trees of the agents with what changed there.
type Changes struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read  bool
	Wrong string
	Trees []changes.Tree
}

// Patch is how a file of a tree changed, or all its files.
type Patch struct {
	Root, Path string
	Text       string
	// Cut is true if it is longer, Wrong why it cannot be read.
	Cut   bool
	Wrong string
}

// Scrollback is what a pane has shown, or its agent recorded.
type Scrollback struct {
	// Pane is the one that was read; empty before any was.
	Pane core.PaneID
	// Source says in words where it is from; Wrong why it cannot be read.
	Source, Wrong string
	// Lines are the terminal's, with their styles.
	Lines []string
	// Turns are the record's; where there are some, they are shown rather than Lines.
	Turns []transcript.Turn
}

// Relays are the relays on record, the newest first.
type Relays struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read    bool
	Wrong   string
	Records []relay.Record
}

// Running counts those that have not ended.
func (r *Relays) Running() int {
	n := 0
	for i := range r.Records {
		if !r.Records[i].State.Ended() {
			n++
		}
	}
	return n
}

// Answer is a relay with its answer as far as it has come.
type Answer struct {
	Record relay.Record
	// Text is the answer, Doing what the backend did last if that was no text.
	Text, Doing string
	// Wrong says what went wrong, Hint what to do about that; both may be empty.
	Wrong, Hint string
}

// Crews are the crews on record, the newest first.
type Crews struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read  bool
	Wrong string
	Crews []crew.Crew
}

// Running counts those that work.
func (c *Crews) Running() int {
	n := 0
	for i := range c.Crews {
		if !c.Crews[i].State.Ended() {
			n++
		}
	}
	return n
}

// Talk is a crew with all that happened in it.
type Talk struct {
	Crew   crew.Crew
	Events []crew.Event
	// Saying are the answers that come.
	Saying []Saying
	// Wrong says why it cannot be shown, Hint what to do about that; both may be empty.
	Wrong, Hint string
}

// Saying is an answer while it comes.
type Saying struct {
	Agent string
	// Text is what came of it, Doing what the backend did last if that was no text.
	Text, Doing string
	// Pane is the address of the pane in which the agent works; empty for one without a pane.
	Pane string
}

// WheelLines is how many lines of text a step of the wheel moves.
const WheelLines = 3

// Screen is one view of the world.
type Screen interface {
	// Scope is the table of active keys.
	Scope() *intent.Scope
	// Handle handles an intent and returns what it cannot do; nil if nothing is left.
	Handle(wanted intent.Intent) intent.Intent
	// View draws into a rect: exactly its lines, each exactly its cells. It adds what reacts
	// to the mouse to zones.
	View(w *World, r layout.Rect, zones *layout.Zones) []string
	// Visible are the panes whose screens the last View showed.
	Visible() []core.PaneID
}

// Age names how long ago something was, as the tree does; empty for the zero
// time.
func (w *World) Age(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	age := w.Now.Sub(since)
	if w.Seconds && age >= time.Second && age < time.Minute {
		return strconv.Itoa(int(age/time.Second)) + "s"
	}
	return widget.Age(age)
}

// Shot returns the known screen of a pane, without the message that tmux writes over the
// screen of an ended program.
func (w *World) Shot(pane *core.Pane) widget.Shot {
	screen, ok := w.Screens[pane.ID]
	if !ok {
		return widget.Shot{}
	}
	if at := len(screen.Lines) - 1; pane.Process.Dead {
		for at > 0 && screen.Lines[at] == "" {
			at--
		}
		if at >= 0 && strings.HasPrefix(cells.Clean(screen.Lines[at]), "Pane is dead (") {
			screen.Lines = append(slices.Clone(screen.Lines[:at]), make([]string, len(screen.Lines)-at)...)
		}
	}
	return widget.Shot{Capture: &screen, Cursor: !pane.Process.Dead}
}

// Title describes a pane in a line: address, agent, state and, if that fits into
// room cells, the agent's kind.
func (w *World) Title(pane *core.Pane, room int) widget.Line {
	state := theme.State(pane.Status.State)
	name := pane.Agent.Name
	if pane.IsUser() {
		name, state = pane.Process.Command, theme.Dim
	}
	line := widget.Line{
		{Token: state, Text: w.Theme.Glyph(pane.Status.State) + " "},
		{Token: theme.Strong, Text: pane.Address()},
	}
	if pane.IsUser() {
		line = line[1:]
	}
	gap := " "
	if pane.IsUser() {
		gap = "  "
	}
	line = append(line, widget.Span{Token: theme.Text, Text: "  " + name},
		widget.Span{Token: state, Text: gap + StateWord(pane)})
	if kind := "  " + string(pane.Agent.Kind); !pane.IsUser() && line.Width()+len(kind) <= room {
		line = append(line, widget.Span{Token: theme.Dim, Text: kind})
	}
	return line
}

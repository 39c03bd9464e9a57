package run

import "slices"

// State is how far a run of any kind is.
type State string

// The states. A pending run is on record and has not started. One that needs you ended before its work was done, and
// is resumed once the user decided something. An interrupted one has no process any more, and none recorded its end.
const (
	Pending     State = "pending"
	Running     State = "running"
	Paused      State = "paused"
	NeedsYou    State = "needs_you"
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// States lists them, in the order in which a run goes through them.
func States() []State {
	return []State{Pending, Running, Paused, NeedsYou, Done, Failed, Cancelled, Interrupted}
}

// transitions are the states that may follow each state.
var transitions = map[State][]State{
	Pending:     {Running, Failed, Cancelled, Interrupted},
	Running:     {Paused, NeedsYou, Done, Failed, Cancelled, Interrupted},
	Paused:      {Running, NeedsYou, Failed, Cancelled, Interrupted},
	NeedsYou:    {Running, Cancelled},
	Done:        {Running},
	Failed:      {Running},
	Cancelled:   {Running},
	Interrupted: {Running, Cancelled},
}

// May reports whether a run in this state may get into another one.
func (s State) May(next State) bool { return slices.Contains(transitions[s], next) }

// Ended reports whether no process runs it, nor will by itself.
func (s State) Ended() bool { return s != Pending && s != Running && s != Paused }

// Kind is a kind of run.
type Kind string

// The kinds: one prompt to one backend, several agents that talk, the stories of a change, a file of steps.
const (
	Relay    Kind = "relay"
	Crew     Kind = "crew"
	Story    Kind = "story"
	Pipeline Kind = "pipeline"
)

// Kinds lists them.
func Kinds() []Kind { return []Kind{Relay, Crew, Story, Pipeline} }

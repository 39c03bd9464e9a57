package health

import (
	"cmp"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/verb"
)

// Condition is the meaning of an agent's state for the user.
type Condition struct {
	// Health is ok, waiting, degraded, bad or gone; unknown where the state is.
	Health string
	// Advice is the next act with the agent, from a closed list.
	Advice string
	// Why says it in words.
	Why string
	// Command is the next command; absent where there is nothing to do.
	Command string
}

// The healths of an agent, best first.
const (
	healthOK       = "ok"
	healthWaiting  = "waiting"
	healthDegraded = "degraded"
	healthUnknown  = "unknown"
	healthBad      = "bad"
	healthGone     = "gone"
)

var healths = []string{healthOK, healthWaiting, healthUnknown, healthDegraded, healthBad, healthGone}

// What to do with an agent now.
const (
	adviceSend    = "send"
	adviceLeave   = "leave"
	adviceAnswer  = "answer"
	adviceWait    = "wait"
	adviceMend    = "mend"
	adviceRestart = "restart"
	adviceLook    = "look"
)

// ConditionOf judges an agent's pane.
func ConditionOf(pane *core.Pane) Condition {
	s, at := pane.Status, pane.Address()
	switch s.State {
	case core.Working:
		return working(s, at)
	case core.Idle:
		return idle(s, at)
	case core.Starting:
		return Condition{healthOK, adviceWait, "it is starting", shell.Line("cupola", "wait", at)}
	case core.Waiting:
		return Condition{healthWaiting, adviceAnswer, "it waits for " + s.Reason.Awaited(), answering(s, at)}
	case core.Limited:
		why := "it has reached a limit"
		if !s.ResetsAt.IsZero() {
			why += " that ends at " + core.Stamp(s.ResetsAt)
		}
		return Condition{healthDegraded, adviceWait, why, shell.Line("cupola", "tail", at)}
	case core.Errored:
		return Condition{
			healthBad, adviceMend,
			"its last turn failed: " + cmp.Or(string(s.Reason), "the reason is not known"),
			shell.Line("cupola", "tail", at),
		}
	case core.Exited:
		return Condition{
			healthGone, adviceRestart,
			"the program has ended (" + cmp.Or(string(s.Reason), "how is not known") + ")",
			shell.Line("cupola", "restart-pane", at, "--dry-run"),
		}
	}
	if s.Has(core.NoteUnreadable) {
		return Condition{
			healthDegraded, adviceLook,
			"its screen cannot be read, so that it may wait for you: look at it, and answer it in its own terminal",
			shell.Line("cupola", "tail", at),
		}
	}
	return Condition{healthUnknown, adviceLook, "no signal says what it is doing", shell.Line("cupola", "tail", at)}
}

func working(s core.Status, at string) Condition {
	c := Condition{healthOK, adviceLeave, "it works", ""}
	switch {
	case s.Has(core.NoteRetrying):
		c.Health, c.Why, c.Command = healthDegraded, "its requests fail and it tries again",
			shell.Line("cupola", "tail", at)
	case s.Has(core.NoteSubagents):
		c.Why = "its sub-agents or background tasks work"
	case s.Reason != "":
		c.Why = fmt.Sprintf("it works (%s)", s.Reason)
	}
	return c
}

func idle(s core.Status, at string) Condition {
	c := Condition{healthOK, adviceSend, "it is ready for a prompt", ""}
	switch {
	case s.Has(core.NoteDraft):
		c.Advice, c.Why, c.Command = adviceLook, "its composer holds a draft",
			shell.Line("cupola", "tail", at)
	case s.Has(core.NoteContextLow):
		c.Health, c.Why = healthDegraded, "it is ready, but its context window is nearly full"
	case s.Has(core.NoteBackground):
		c.Why = "it is ready for a prompt; a command that it started runs in the background"
	case s.Has(core.NoteInterrupted):
		c.Why = "its last turn was interrupted; it is ready for a prompt"
	}
	return c
}

// answering is the command that shows what an agent asks and which answers there
// are. It gives none: the caller decides.
func answering(s core.Status, at string) string {
	if s.Reason == core.ReasonLogin {
		return shell.Line("cupola", "attach", at)
	}
	return shell.Line("cupola", "answer", at, "--dry-run")
}

// Lasted is how long something has held, in whole seconds; -1 where its beginning
// is not known.
func Lasted(since, now time.Time) verb.MaybeInt {
	if since.IsZero() {
		return -1
	}
	return verb.MaybeInt(max(0, now.Sub(since).Seconds()))
}

// acceptable reports whether an agent of some health is no reason to call the rest
// unhealthy: one that waits for the user is not, nor one whose state is unknown.
func acceptable(health string) bool {
	return health != healthDegraded && health != healthBad && health != healthGone
}

// worst returns the worse of two healths.
func worst(a, b string) string {
	for i := len(healths) - 1; i >= 0; i-- {
		if healths[i] == a || healths[i] == b {
			return healths[i]
		}
	}
	return a
}

package detect

import (
	"encoding/base64"
	"strings"
	"time"

	"cupola/core"
)

// Told is the status that a program reported to its terminal, by the Program Status Protocol (OSC 7501).
type Told struct {
	State  core.State
	Reason core.Reason
	At     time.Time
	// Line is its message for people.
	Line string
}

// ParseTold parses what follows "7501;" in such a report: fields of NAME=VALUE between colons. It returns nil for one
// that says no state: a question, a clearing, or a report of a part of the program, such as a sub-agent.
func ParseTold(text string, at time.Time) *Told {
	told := &Told{At: at}
	kind, message := "", ""
	for _, field := range strings.Split(text, ":") {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "state":
			told.State = toldStates[value]
			told.Line = value
		case "kind":
			kind = value
		case "msg":
			if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
				message = string(decoded)
			}
		case "id":
			return nil
		}
	}
	if told.State == "" {
		return nil
	}
	if told.State == core.Waiting {
		told.Reason = toldReasons[kind]
	}
	if told.Reason == core.ReasonAuth { // its screen asks nothing, and the agent cannot continue by itself
		told.State = core.Errored
	}
	if kind != "" {
		told.Line += " (" + kind + ")"
	}
	if message != "" {
		told.Line += ": " + message
	}
	return told
}

// toldStates are the words of the protocol for states, toldReasons those for what a program is blocked by.
var (
	toldStates = map[string]core.State{
		"idle": core.Idle, "done": core.Idle, "working": core.Working, "blocked": core.Waiting, "error": core.Errored,
	}
	toldReasons = map[string]core.Reason{
		"permission": core.ReasonApproval, "question": core.ReasonQuestion, "auth": core.ReasonAuth,
	}
)

// told decides by the status that the program reported to its terminal. A dialog on the screen outweighs a report of
// idle, because some dialogs come before an agent begins to report, and a report of work that is not fresh.
func (w *weighing) told() bool {
	told := w.facts.Told
	if told == nil || told.At.Before(w.facts.Started) {
		return false
	}
	state := told.State
	switch {
	case state != core.Waiting && state != core.Working && told.At.Before(w.facts.Asked) && w.asked():
		return true
	case state != core.Waiting && state != core.Working && w.has(core.Waiting, FromScreen),
		state == core.Working && w.has(core.Waiting, FromScreen) && w.facts.Now.Sub(told.At) >= grace:
		return false
	case state == core.Errored && w.failed():
		w.take(core.Errored, FromStatus)
		return true
	}
	w.take(state, FromStatus)
	w.take(state, FromHook, FromLive, FromTitle, FromScreen)
	return true
}

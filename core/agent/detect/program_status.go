package detect

import (
	"encoding/base64"
	"strings"
	"time"

	"cupola/core"
)

// ProgramStatus is the status that a program reported to its terminal, by the Program Status Protocol (OSC 7501).
type ProgramStatus struct {
	State  core.State
	Reason core.Reason
	At     time.Time
	// Line is its message for people.
	Line string
}

// ParseProgramStatus parses what follows "7501;" in such a report: fields of NAME=VALUE between colons. It returns nil
// for one that says no state: a question, a clearing, or a report of a part of the program, such as a sub-agent.
func ParseProgramStatus(text string, at time.Time) *ProgramStatus {
	status := &ProgramStatus{At: at}
	kind, message := "", ""
	for _, field := range strings.Split(text, ":") {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "state":
			status.State = programStates[value]
			status.Line = value
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
	if status.State == "" {
		return nil
	}
	if status.State == core.Waiting {
		status.Reason = programReasons[kind]
	}
	if status.Reason == core.ReasonAuth { // its screen asks nothing, and the agent cannot continue by itself
		status.State = core.Errored
	}
	if kind != "" {
		status.Line += " (" + kind + ")"
	}
	if message != "" {
		status.Line += ": " + message
	}
	return status
}

// programStates maps the protocol's words for states, programReasons its words for the cause of a block.
var (
	programStates = map[string]core.State{
		"idle": core.Idle, "done": core.Idle, "working": core.Working, "blocked": core.Waiting, "error": core.Errored,
	}
	programReasons = map[string]core.Reason{
		"permission": core.ReasonApproval, "question": core.ReasonQuestion, "auth": core.ReasonAuth,
	}
)

// programStatus decides by the status that the program reported to its terminal. A dialog on the screen outweighs a
// report of idle, because some dialogs come before an agent begins to report, and a report of work that is not fresh.
func (w *weighing) programStatus() bool {
	reported := w.facts.ProgramStatus
	if reported == nil || reported.At.Before(w.facts.Started) {
		return false
	}
	state := reported.State
	switch {
	case state != core.Waiting && state != core.Working && reported.At.Before(w.facts.Asked) && w.asked():
		return true
	case state != core.Waiting && state != core.Working && w.has(core.Waiting, FromScreen),
		state == core.Working && w.has(core.Waiting, FromScreen) && w.facts.Now.Sub(reported.At) >= grace:
		return false
	case state == core.Errored && w.failed():
		w.decide(core.Errored, FromStatus)
		return true
	}
	w.decide(state, FromStatus)
	w.decide(state, FromHook, FromLive, FromTitle, FromScreen)
	return true
}

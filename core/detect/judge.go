package detect

import (
	"cupola/core"
)

// Judge weighs the facts.
func Judge(f Facts) Verdict {
	switch {
	case f.Gone:
		return verdict(core.Exited, core.ReasonFinished, Signal{Source: FromProcess, Rule: "process-gone", Line: f.Process.Command})
	case f.Kind == nil || f.Screen == nil:
		return Verdict{Status: core.Status{State: core.Unknown}}
	}
	reading := f.Kind.Read(f.Screen)
	if block, ok := reading.Blocked(); ok {
		return verdict(core.Waiting, block.Reason, Signal{Source: FromScreen, Rule: block.Rule.ID, Line: block.Line})
	}
	if match, ok := reading.Working(); ok {
		return verdict(core.Working, match.Rule.Reason, Signal{Source: FromScreen, Rule: match.Rule.ID, Line: match.Line})
	}
	if reading.Ready() {
		return verdict(core.Idle, "", Signal{Source: FromScreen, Rule: "composer"})
	}
	return Verdict{Status: core.Status{State: core.Unknown}}
}

func verdict(state core.State, reason core.Reason, by Signal) Verdict {
	by.State, by.Reason, by.Decided = state, reason, true
	return Verdict{
		Status:  core.Status{State: state, Reason: reason, Confidence: 0.9, Evidence: []string{by.Rule + ": " + by.Line}},
		Signals: []Signal{by},
	}
}

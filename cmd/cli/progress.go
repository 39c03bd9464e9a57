package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"cupola/core/fleet"
)

// progressLine is a progress report for programs. Percent is -1 where the total
// is not known.
type progressLine struct {
	Type    string `json:"type"`
	Phase   string `json:"phase"`
	Percent int    `json:"percent"`
	Message string `json:"message"`
}

// progress says who is told how far a long operation is: programs get lines,
// people one line that is overwritten; nil is nobody.
func (p *program) progress() func(fleet.Progress) {
	where := p.inv.globals.Progress
	switch {
	case where == "off", p.inv.globals.Quiet:
		return nil
	case p.robotic && where == "stdout":
		return lines(p.Stdout)
	case p.robotic:
		return lines(p.Stderr)
	case terminal(p.Stderr):
		return func(at fleet.Progress) { fmt.Fprintf(p.Stderr, "\r\x1b[K%s: %s", at.Phase, at.Message) }
	}
	return nil
}

func lines(out *os.File) func(fleet.Progress) {
	return func(at fleet.Progress) {
		text, err := json.Marshal(progressLine{Type: "progress", Phase: at.Phase, Percent: at.Percent, Message: at.Message})
		if err == nil {
			_, _ = out.Write(append(text, '\n'))
		}
	}
}

// clearProgress removes the line that people saw.
func (p *program) clearProgress() {
	if p.deps.Progress != nil && !p.robotic {
		fmt.Fprint(p.Stderr, "\r\x1b[K")
	}
}

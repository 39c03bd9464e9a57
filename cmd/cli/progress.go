package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"cupola/core/cells"
	"cupola/core/fleet"
)

// patience is how long the program runs before anybody is told how far it is.
const patience = time.Second

// reporter tells how far a long operation is. What ends within its patience is
// never told. It may be used from several goroutines.
type reporter struct {
	started time.Time
	now     func() time.Time
	write   func(fleet.Progress)

	mu   sync.Mutex
	told bool
}

func (r *reporter) report(at fleet.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now().Sub(r.started) < patience {
		return
	}
	r.told = true
	r.write(at)
}

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
	var write func(fleet.Progress)
	switch {
	case where == "off", p.inv.globals.Quiet:
		return nil
	case p.robotic && where == "stdout":
		write = lines(p.Stdout)
	case p.robotic:
		write = lines(p.Stderr)
	case terminal(p.Stderr):
		write = overwritten(p.Stderr)
	default:
		return nil
	}
	p.reporter = &reporter{started: p.started, now: time.Now, write: write}
	return p.reporter.report
}

func lines(out io.Writer) func(fleet.Progress) {
	return func(at fleet.Progress) {
		text, err := json.Marshal(progressLine{Type: "progress", Phase: at.Phase, Percent: at.Percent, Message: at.Message})
		if err == nil {
			_, _ = out.Write(append(text, '\n'))
		}
	}
}

func overwritten(out io.Writer) func(fleet.Progress) {
	return func(at fleet.Progress) { fmt.Fprintf(out, "\r\x1b[K%s: %s", at.Phase, cells.Clean(at.Message)) }
}

// clearProgress removes the line that people saw, if there was one.
func (p *program) clearProgress() {
	if p.reporter != nil && p.reporter.told && !p.robotic {
		fmt.Fprint(p.Stderr, "\r\x1b[K")
	}
}

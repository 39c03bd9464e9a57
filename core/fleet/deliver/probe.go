package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process"
)

// ProbeMethod is how to probe a pane.
type ProbeMethod string

// The methods. Auto checks the process and watches the screen; Process only checks the process. Neither types
// anything. Echo types a blank at a shell's prompt and removes it.
const (
	ProbeAuto    ProbeMethod = "auto"
	ProbeProcess ProbeMethod = "process"
	ProbeScreen  ProbeMethod = "screen"
	ProbeEcho    ProbeMethod = "keystroke-echo"
)

// Responds is the verdict of a probe.
type Responds string

// The verdicts. Unproven is for a silent program, which may be healthy, without any input.
const (
	Responsive   Responds = "responsive"
	Unresponsive Responds = "unresponsive"
	Unproven     Responds = "unproven"
)

// ProbeRequest asks whether panes respond.
type ProbeRequest struct {
	Target resolve.Target
	Method ProbeMethod // empty is ProbeAuto
	// Timeout is how long to watch a screen; 0 is 2 s.
	Timeout time.Duration
}

// Probed is the result at one pane.
type Probed struct {
	core.PaneRef
	Status core.Status
	Response
	// Unread counts typed bytes that were not read; -1 if unknown.
	Unread int
}

// Response is whether a pane responds, and what proves it.
type Response struct {
	Verdict Responds `json:"verdict" table:"VERDICT,word"`
	// Method is the method that decided, or would have.
	Method ProbeMethod `json:"method,omitempty"`
	// Alive is true while the program in the foreground runs, Process its name.
	Alive   bool   `json:"alive"`
	Process string `json:"process,omitempty" table:"PROCESS"`
	PID     int    `json:"pid,omitempty"`
	// Moved is true if the screen changed within Watched.
	Moved    bool              `json:"moved"`
	Watched  core.Milliseconds `json:"watched_ms"`
	Evidence []string          `json:"evidence" table:"EVIDENCE,dim,flex,join=;"`
}

// probeWatch is the default time to watch a screen.
const probeWatch = 2 * time.Second

// Probe checks whether the panes of a target respond, with evidence. It types nothing unless the method is
// ProbeEcho, which is for shells alone: Conflict for a pane where an agent or another program has the
// keyboard.
func (s *Sender) Probe(ctx context.Context, request ProbeRequest) (_ []Probed, err error) {
	defer func() { err = fault.Wrap("probe", err) }()
	seen, err := s.opts.Observer.Select(ctx, observe.View{}, s.opts.Resolver.Selector(request.Target))
	if err != nil {
		return nil, err
	}
	panes := seen.Panes
	listing, err := s.opts.Engine.List(ctx, engine.WithCommand)
	if err != nil {
		return nil, err
	}
	rows := map[core.PaneID]*engine.Pane{}
	for i := range listing.Panes {
		rows[listing.Panes[i].ID] = &listing.Panes[i]
	}
	probed := make([]Probed, len(panes))
	errs := make([]error, len(panes))
	parallel.Each(panes, nil, "probe", func(i int, pane *core.Pane) {
		p := &probe{Terminal: terminal.New(s.opts.Engine, s.opts.Observer, pane), sender: s, request: &request}
		p.result = Probed{
			PaneRef: pane.Ref(), Status: pane.Status, Unread: -1,
			Response: Response{Verdict: Unproven, Method: request.Method},
		}
		errs[i] = p.run(ctx, rows[pane.ID])
		probed[i] = p.result
	})
	return probed, errors.Join(errs...)
}

// probe probes one pane.
type probe struct {
	*terminal.Terminal
	sender  *Sender
	request *ProbeRequest
	result  Probed
}

func (p *probe) conclude(verdict Responds, format string, args ...any) {
	if verdict != "" {
		p.result.Verdict = verdict
	}
	p.result.Evidence = append(p.result.Evidence, fmt.Sprintf(format, args...))
}

func (p *probe) run(ctx context.Context, row *engine.Pane) error {
	p.result.Method = cmp.Or(p.result.Method, ProbeAuto)
	if row == nil {
		p.conclude(Unresponsive, "the pane is gone")
		return nil
	}
	if !p.process(row) || p.result.Method == ProbeProcess {
		return nil
	}
	if p.result.Method == ProbeEcho {
		return p.echo(ctx, row)
	}
	return p.watch(ctx)
}

// process checks the program in the foreground, and reports whether it can respond at all.
func (p *probe) process(row *engine.Pane) bool {
	if row.Process.Dead {
		p.conclude(Unresponsive, "%s", observe.Ended(p.sender.opts.Engine.Processes(), row.Process).Evidence[0])
		return false
	}
	front := observe.Foreground(p.sender.opts.Engine.Processes(), row.Process.PID)
	p.result.PID, p.result.Process, p.result.Alive = front.PID, front.Name, front.PID != 0 && !front.Zombie
	switch {
	case !p.result.Alive:
		p.conclude(Unresponsive, "no process has the terminal")
		return false
	case front.Stopped:
		p.conclude(Unresponsive, "%s (pid %d) was stopped", front.Name, front.PID)
		return false
	case p.Kind != nil && p.sender.opts.Observer.Left(p.Pane, p.Kind):
		p.conclude(Unresponsive, "%s is gone; %s is in the foreground", p.Kind.Name, front.Name)
		return false
	}
	p.conclude("", "%s (pid %d) runs", front.Name, front.PID)
	n, err := process.Unread(row.TTY)
	switch {
	case err != nil:
		p.conclude("", "whether it reads its terminal is not known: %v", err)
	case n == 0:
		p.result.Unread = 0
		p.conclude("", "it has read all that was typed")
	default:
		p.result.Unread = n
		p.conclude(Unresponsive, "%d bytes that were typed are not read", n)
		return false
	}
	return true
}

// watch checks whether the screen changes.
func (p *probe) watch(ctx context.Context) error {
	limit := p.request.Timeout
	if limit <= 0 {
		limit = probeWatch
	}
	first, err := p.Capture(ctx)
	if err != nil {
		return err
	}
	started := time.Now()
	err = p.Until(ctx, limit, func(g *terminal.Capture) (bool, error) {
		p.result.Moved = !slices.Equal(first.Screen.Lines, g.Screen.Lines)
		return p.result.Moved, nil
	})
	watched := time.Since(started)
	p.result.Watched = core.Milliseconds(watched)
	switch {
	case err != nil && !errors.Is(err, terminal.ErrLate):
		return err
	case p.result.Moved:
		p.conclude(Responsive, "the screen changed after %d ms", watched.Milliseconds())
	case p.Kind != nil && p.Kind.Readable() && p.result.Status.State == core.Working &&
		watched >= terminal.StillFor:
		p.conclude(Unresponsive, "it seems to work, and its screen did not change for %d ms", watched.Milliseconds())
	default:
		p.conclude("", "the screen did not change for %d ms; nothing was typed", watched.Milliseconds())
	}
	return nil
}

// echo types a blank at a shell's prompt, checks that the cursor follows, and removes it.
func (p *probe) echo(ctx context.Context, row *engine.Pane) error {
	if !p.Pane.IsUser() || !observe.IsShell(row.Process.Command) {
		return core.Errorf(core.Conflict, "pane %s: a keystroke would go to %s, which is no shell; nothing was typed",
			p.Pane.Address(), p.result.Process)
	}
	held, err := p.sender.opts.Dir.LockPane(ctx, p.Pane, max(p.request.Timeout, probeWatch))
	if err != nil {
		return err
	}
	defer held.Release()
	before, err := p.Inspect(ctx)
	if err != nil {
		return core.Errorf(core.NotReady, "pane %s: %w", p.Pane.Address(), err)
	}
	ctx, cancel := lingering(ctx)
	defer cancel()
	at := before.Screen.View.Cursor
	if err := p.Press(ctx, "Space"); err != nil {
		return err
	}
	started := time.Now()
	err = p.Until(ctx, max(p.request.Timeout, probeWatch),
		func(g *terminal.Capture) (bool, error) { return g.Screen.View.Cursor != at, nil })
	if pressed := p.Press(ctx, "BSpace"); pressed != nil {
		return pressed
	}
	switch {
	case errors.Is(err, terminal.ErrLate):
		p.conclude(Unresponsive, "a blank was typed and the cursor did not follow; it was removed again")
	case err != nil:
		return err
	default:
		watched := time.Since(started)
		p.result.Moved, p.result.Watched = true, core.Milliseconds(watched)
		p.conclude(Responsive, "a blank was echoed after %d ms, and removed again", watched.Milliseconds())
	}
	return nil
}

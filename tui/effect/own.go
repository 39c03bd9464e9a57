package effect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/system/process"
	"cupola/core/system/process/child"
	"cupola/tui/intent"
)

// OwnOutput is the output so far of one of the user's own commands.
type OwnOutput struct {
	Intent intent.RunOwn
	// Text is the end of it, with escapes. Left is how many bytes before that are left out.
	Text string
	Left int
	// Ended is true once the command has ended: by itself with the status End.Exit, by a signal or, with Stopped, by
	// the user. Err says why it could not run.
	Ended, Stopped bool
	End            child.End
	Err            error
}

// mostOwn is how much of the end of what an own command printed is kept, in bytes; ownPace the least time between two
// looks at it.
const (
	mostOwn = 256 << 10
	ownPace = 150 * time.Millisecond
)

// owns are the user's own commands that run.
type owns struct {
	// environ is their environment but for the fields of the row.
	environ []string
	mu      sync.Mutex
	running map[int]*ownRun
}

// ownRun is an own command that runs or has ended.
type ownRun struct {
	stop context.CancelCauseFunc
	// news has something when there is more to show.
	news chan struct{}
	mu   sync.Mutex
	out  OwnOutput
	text []byte
}

// run starts a command, waits for more of what it prints, or stops it.
func (o *owns) run(e *Effects, w intent.RunOwn) tea.Msg {
	o.mu.Lock()
	run := o.running[w.ID]
	switch {
	case w.Stop && run != nil:
		run.stop(errStopped)
	case !w.More && !w.Stop && run == nil && e.acts.begin():
		run = &ownRun{news: make(chan struct{}, 1), out: OwnOutput{Intent: w}}
		if o.running == nil {
			o.running = map[int]*ownRun{}
		}
		o.running[w.ID] = run
		var ctx context.Context
		ctx, run.stop = context.WithCancelCause(e.ctx)
		go func() {
			defer e.acts.underway.Done()
			defer run.stop(nil)
			run.carryOut(ctx, o.environ)
		}()
	}
	o.mu.Unlock()
	if run == nil || w.Stop {
		return nil
	}
	select {
	case <-run.news:
	case <-e.ctx.Done():
		return nil
	}
	out := run.shown()
	if out.Ended {
		o.mu.Lock()
		delete(o.running, w.ID)
		o.mu.Unlock()
	} else if core.Sleep(e.ctx, ownPace) != nil {
		return nil
	}
	return out
}

// errStopped is the cause of a command that the user stopped.
var errStopped = core.Errorf(core.Cancelled, "it was stopped")

// carryOut runs the command to its end. Both of its outputs are one, in the order in which it prints; the words are
// arguments of a fixed line, which is no part of them.
func (r *ownRun) carryOut(ctx context.Context, environ []string) {
	w := r.out.Intent
	command := child.Command{
		Program: "/bin/sh", Args: slices.Concat([]string{"-c", `exec 2>&1; exec "$@"`, "sh"}, w.Argv), Dir: w.Dir,
		Env: process.Merged(environ, w.Fields, []string{"PWD=" + w.Dir}),
	}
	end, err := command.Run(ctx, r.take)
	r.mu.Lock()
	r.out.Ended, r.out.End, r.out.Err = true, end, err
	r.out.Stopped = errors.Is(context.Cause(ctx), errStopped)
	r.mu.Unlock()
	r.tell()
}

// take keeps the end of the output.
func (r *ownRun) take(text []byte) {
	r.mu.Lock()
	r.text = append(r.text, text...)
	if more := len(r.text) - mostOwn; more > mostOwn {
		r.out.Left += more
		r.text = slices.Clone(r.text[more:])
	}
	r.mu.Unlock()
	r.tell()
}

func (r *ownRun) tell() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// shown is the output to show, from the beginning of a line where something before is left out.
func (r *ownRun) shown() OwnOutput {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.out
	from := max(0, len(r.text)-mostOwn)
	if out.Left+from > 0 {
		if _, rest, found := strings.Cut(string(r.text[from:]), "\n"); found && rest != "" {
			from = len(r.text) - len(rest)
		}
	}
	out.Text, out.Left = string(r.text[from:]), out.Left+from
	return out
}

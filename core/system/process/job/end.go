package job

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"

	"cupola/core/system/process"
)

// rounds is how often processes are looked for that were started while others were ended.
const rounds = 3

// Found are the processes of some jobs at one moment.
type Found struct {
	// Members are to be ended, Left are not.
	Members []process.Proc
	Left    []Left

	jobs []*Job
}

// Find looks for the processes of jobs.
func Find(jobs ...*Job) (*Found, error) {
	view, err := ReadView()
	if err != nil {
		return nil, err
	}
	found := &Found{jobs: jobs}
	for _, j := range jobs {
		found.add(view.Members(j))
	}
	return found, nil
}

// Join adds what was found earlier of the same jobs; nil is nothing.
func (f *Found) Join(earlier *Found) {
	if earlier != nil {
		f.add(earlier.Members, earlier.Left)
	}
}

// add adds what is not yet in it.
func (f *Found) add(members []process.Proc, left []Left) (added []process.Proc) {
	for _, p := range members {
		if !slices.ContainsFunc(f.Members, func(q process.Proc) bool { return same(p, q) }) {
			f.Members, added = append(f.Members, p), append(added, p)
		}
	}
	for _, l := range left {
		if !slices.ContainsFunc(f.Left, func(q Left) bool { return same(l.Proc, q.Proc) }) {
			f.Left = append(f.Left, l)
		}
	}
	return added
}

func same(p, q process.Proc) bool { return p.PID == q.PID && p.Start == q.Start }

// End ends what was found, and what the jobs started since. Processes may take the time of hangUp to end by themselves,
// as after their terminal was closed; the others get SIGTERM and, after grace, SIGKILL. It returns how many were
// ended, and the processes that are left. The error is ctx's, or that of the list of processes.
func (f *Found) End(ctx context.Context, hangUp, grace time.Duration) (ended int, left []Left, err error) {
	targets := f.Members
	if hangUp > 0 {
		targets = process.Wait(ctx, targets, hangUp)
	}
	for round := 0; ; round++ {
		done, _ := process.End(ctx, targets, grace)
		ended += done
		if ctx.Err() != nil {
			return ended, f.rest(), ctx.Err()
		}
		if round == rounds {
			return ended, f.rest(), nil
		}
		view, err := ReadView()
		if err != nil {
			return ended, f.rest(), err
		}
		targets = nil
		for _, j := range f.jobs {
			again := *j
			// Others may have its pid and its terminal by now.
			again.Gone, again.Streams = true, nil
			targets = append(targets, f.add(view.Members(&again))...)
		}
		if len(targets) == 0 {
			return ended, f.rest(), nil
		}
	}
}

// rest returns the processes of Left that are still alive.
func (f *Found) rest() []Left {
	var rest []Left
	for _, l := range f.Left {
		if l.Alive() {
			rest = append(rest, l)
		}
	}
	for _, p := range f.Members {
		if !p.Alive() {
			continue
		}
		why := whyStays
		if err := process.Signal(p, syscall.Signal(0)); err != nil && !errors.Is(err, process.ErrGone) {
			why = err.Error()
		}
		rest = append(rest, Left{p, why})
	}
	return rest
}

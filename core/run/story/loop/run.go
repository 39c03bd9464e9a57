package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/text/secret"
)

// How often a paused run checks whether it is resumed, and a story that waits whether its turn has come.
const (
	pauseEvery = 250 * time.Millisecond
	turnEvery  = 50 * time.Millisecond
)

// execution is a run while this process works on it.
type execution struct {
	loop  *Loop
	rec   *recorder
	space *workspace
	clock *run.Clock
	// throttle holds agents back whose backend is at a usage limit.
	throttle *run.Throttle
	began    time.Time
	// before counts the tries of earlier runs; failedBefore those of each story that failed in them.
	before       int
	failedBefore map[string]int

	// The following fields are guarded by rec.mu. Unchanged counts the tries in a row that changed nothing, working
	// are the stories that are started and not done, and busy counts the stories with work at this moment.
	unchanged int
	working   map[string]bool
	busy      int
	// opening is held while the stage of an agent is opened.
	opening sync.Mutex
}

// result is the result of a story: the reason why the run has to end, if it has to.
type result struct {
	id     string
	reason story.Reason
	err    error
}

// ends reports whether the run has to end.
func (r *result) ends() bool { return r.reason != "" || r.err != nil }

// workThrough works on the stories until all are done or the run has to end.
func (r *execution) workThrough(ctx context.Context) (story.Reason, error) {
	if err := r.space.prepare(ctx); err != nil {
		return story.Error, err
	}
	for i := range r.rec.Stories {
		p := &r.rec.Stories[i]
		r.failedBefore[p.ID] = failures(p)
	}
	results := make(chan result)
	var over result
	for {
		if !over.ends() {
			over.reason = r.limit(ctx)
		}
		for !over.ends() && len(r.working) < r.rec.Limits.Parallel {
			if over.err = r.pause(ctx); over.ends() || ctx.Err() != nil {
				break
			}
			p := r.next()
			if p == nil {
				break
			}
			go func() {
				reason, err := r.story(ctx, p)
				results <- result{p.ID, reason, err}
			}()
		}
		if len(r.working) == 0 {
			break
		}
		done := <-results
		r.rec.mu.Lock()
		delete(r.working, done.id)
		r.rec.mu.Unlock()
		if !over.ends() {
			over = done
		}
	}
	switch done, all := r.rec.Counts(); {
	case done == all && r.rec.Squash:
		return story.AllDone, r.space.squash(ctx)
	case done == all:
		return story.AllDone, nil
	case over.ends():
		return over.reason, over.err
	}
	return story.Blocked, nil
}

// next is the first story that can be worked on, which is at work then; nil if there is none now.
func (r *execution) next() *story.Progress {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	for i := range r.rec.Stories {
		p := &r.rec.Stories[i]
		if p.State == story.Done || r.working[p.ID] {
			continue
		}
		if !slices.ContainsFunc(p.After, func(id string) bool {
			before := r.rec.Story(id)
			return before != nil && before.State != story.Done
		}) {
			r.working[p.ID] = true
			return p
		}
	}
	return nil
}

// turn waits until no story is worked on that comes before another one, so that stories are merged in their order.
func (r *execution) turn(ctx context.Context, p *story.Progress) error {
	for {
		r.rec.mu.Lock()
		i := slices.IndexFunc(r.rec.Stories, func(one story.Progress) bool { return r.working[one.ID] })
		first := i < 0 || r.rec.Stories[i].ID == p.ID
		r.rec.mu.Unlock()
		if first {
			return nil
		}
		if err := core.Sleep(ctx, turnEvery); err != nil {
			return err
		}
	}
}

// limit is the limit that the run has reached; empty if none.
func (r *execution) limit(ctx context.Context) story.Reason {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	return r.reached(ctx)
}

// reached is limit for those that hold the lock.
func (r *execution) reached(ctx context.Context) story.Reason {
	switch limits := &r.rec.Limits; {
	case ctx.Err() != nil:
		return story.StoppedBy
	case r.rec.CostUSD >= limits.BudgetUSD:
		return story.Budget
	case r.rec.Iterations-r.before >= limits.MaxIterations:
		return story.MaxIterations
	case r.unchanged >= limits.NoProgress:
		return story.NoProgress
	}
	return ""
}

// take counts another try of a story, unless a limit is reached, which it returns. A try that was cut off continues,
// and counts once.
func (r *execution) take(ctx context.Context, p *story.Progress) story.Reason {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	last := p.Last()
	if last != nil && last.Outcome == "" {
		if ctx.Err() != nil {
			return story.StoppedBy
		}
		return ""
	}
	reason := r.reached(ctx)
	if reason == "" {
		r.rec.Iterations++
	}
	return reason
}

// doing notes that something is done on a story, until the function that it returns is called.
func (r *execution) doing() (done func()) {
	r.count(1)
	return func() { r.count(-1) }
}

// resting notes that nothing is done on a story, until the function that it returns is called.
func (r *execution) resting() (over func()) {
	r.count(-1)
	return func() { r.count(1) }
}

// newThrottle returns what holds the agents back at usage limits.
func (r *execution) newThrottle() *run.Throttle {
	return &run.Throttle{
		LimitPolicy: r.rec.Limits.LimitPolicy, Now: r.loop.Now, Hold: r.pause, Clock: r.clock,
		Changed: func(until time.Time) error {
			r.rec.mu.Lock()
			defer r.rec.mu.Unlock()
			r.rec.Until = until
			return r.rec.record()
		},
	}
}

func (r *execution) count(n int) {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	r.busy += n
}

// pause waits while the run is asked to pause. Its time does not count once no agent works.
func (r *execution) pause(ctx context.Context) error {
	if !r.loop.Directory.Paused(r.rec.ID) {
		return nil
	}
	if err := r.setState(story.Paused, story.Pause); err != nil {
		return err
	}
	for r.loop.Directory.Paused(r.rec.ID) && ctx.Err() == nil {
		r.rec.mu.Lock()
		busy := r.busy > 0
		r.rec.mu.Unlock()
		if busy {
			r.clock.Resume()
		} else {
			r.clock.Pause()
		}
		_ = core.Sleep(ctx, pauseEvery) // the end of ctx is seen by who works on
	}
	r.clock.Resume()
	if ctx.Err() != nil {
		return nil //nolint:nilerr // who works on sees that ctx has ended
	}
	return r.setState(story.Running, story.Resume)
}

// setState records another state of the run, with its event.
func (r *execution) setState(state story.State, event story.EventType) error {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	if r.rec.State == state {
		return nil
	}
	r.rec.State = state
	return r.rec.record(story.Event{Type: event})
}

// giveUp is why no other try of a story is made; empty if one is. None is made after one whose agent was blocked.
func (r *execution) giveUp(p *story.Progress, blocked bool) story.Reason {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	switch {
	case blocked:
		return story.Blocked
	case r.unchanged >= r.rec.Limits.NoProgress:
		return story.NoProgress
	case failures(p)-r.failedBefore[p.ID] <= r.rec.Limits.MaxRetries:
		return ""
	case p.Last().Merge:
		return story.Conflicted
	}
	return story.Retries
}

// stuck is how many tries of a story failed last in the same way; 0 if they are fewer than make it stuck.
func (r *execution) stuck(p *story.Progress) int {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	if n := sameFailures(p); n >= r.rec.Limits.StuckAfter && r.rec.Limits.StuckAfter > 0 {
		return n
	}
	return 0
}

// sameFailures counts the tries of a story that failed last in the same way.
func sameFailures(p *story.Progress) (n int) {
	last := ""
	for i := range slices.Backward(p.Tries) {
		try := &p.Tries[i]
		if try.Outcome != story.NotProven {
			continue
		}
		kind := failureKind(try)
		if n > 0 && kind != last {
			break
		}
		last = kind
		n++
	}
	return n
}

// failureKind is the common part of two failures that are the same but for numbers, such as times and lines.
func failureKind(try *story.Try) string {
	text := try.Failure
	if len(try.Checks) > 0 {
		if check := &try.Checks[len(try.Checks)-1]; !check.Passed {
			text += "\n" + check.Output
		}
	}
	return digits().ReplaceAllString(text, "#")
}

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(\.\d+)?`) })

// unstick lets another backend work on a story that is stuck, if the run reacts so.
func (r *execution) unstick(p *story.Progress) error {
	n := r.stuck(p)
	limits, last := &r.rec.Limits, p.Last()
	if n == 0 || last.Outcome == "" || limits.OnStuck != story.SwitchAgent || len(limits.Fallback) == 0 {
		return nil
	}
	was := r.backend()
	next := limits.Fallback[(slices.Index(limits.Fallback, was)+1)%len(limits.Fallback)]
	return r.use(p, was, next, fmt.Sprintf("failed %d times in the same way", n))
}

// failures counts the tries of a story that failed.
func failures(p *story.Progress) (n int) {
	for i := range p.Tries {
		if p.Tries[i].Outcome == story.NotProven {
			n++
		}
	}
	return n
}

// end records how a run ended.
func (r *execution) end(ctx context.Context, reason story.Reason, failure error) error {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	record := r.rec.Run
	if failure != nil {
		e := core.AsError(failure)
		reason, record.Error, record.ErrorCode = story.Error, secret.Mask(e.Error()), e.Code
	}
	events := r.closeSessions(ctx)
	if n := r.space.unseen(); n > 0 {
		events = append(events, story.Event{Type: story.Note, Text: fmt.Sprintf(
			"%s has %d tasks more than the run: commit them before you merge its branch, and run them then",
			record.Origin, n)})
	}
	record.Reason, record.State, record.Ended = reason, reason.State(), r.rec.now().UTC()
	record.Until = time.Time{}
	record.ElapsedMS += (record.Ended.Sub(r.began) - r.clock.Paused()).Milliseconds()
	if record.Error == "" && record.State == story.Failed {
		record.Error = r.why(reason)
	}
	last := ""
	for i := range record.Stories {
		last = cmp.Or(record.Stories[i].Commit, last)
	}
	// The record changes last, so that a caller that waits for the end finds all events.
	errs := core.Map(append(events, story.Event{
		Type: story.RunEnd, Reason: reason, Text: record.Error, Code: record.ErrorCode, Commit: last,
	}), r.rec.write)
	return errors.Join(append(errs, r.rec.record())...)
}

// printedLast is the last line that the verification of a story printed which failed; empty where none did.
func printedLast(p *story.Progress) string {
	last := p.Last()
	if last == nil || len(last.Checks) == 0 {
		return ""
	}
	check := &last.Checks[len(last.Checks)-1]
	if check.Passed {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(check.Output), "\n")
	return core.Excerpt(lines[len(lines)-1])
}

// why says in words why a run needs the user.
func (r *execution) why(reason story.Reason) string {
	given := ""
	for i := range r.rec.Stories {
		if p := &r.rec.Stories[i]; p.State == story.GivenUp {
			given = fmt.Sprintf("story %s: %s", p.ID, strings.ReplaceAll(p.Failure, "\n", "; "))
			if printed := printedLast(p); printed != "" {
				given += ": " + printed
			}
			break
		}
	}
	switch limits := &r.rec.Limits; reason {
	case story.Retries:
		return "no try of a story could be proven; " + given
	case story.NoProgress:
		return strings.TrimSuffix(fmt.Sprintf("%d tries in a row changed nothing; %s", limits.NoProgress, given), "; ")
	case story.TimeLimit:
		return "the time limit of " + core.ShortDuration(limits.TimeLimit) + " is over"
	case story.Budget:
		return fmt.Sprintf("the tries have cost $%.2f of $%.2f", r.rec.CostUSD, limits.BudgetUSD)
	case story.MaxIterations:
		return fmt.Sprintf("there were %d tries", limits.MaxIterations)
	case story.Conflicted:
		return "a conflict with other stories could not be resolved; " + given
	case story.Blocked:
		if given != "" {
			return "an agent is blocked; " + given
		}
		return "the stories that are left depend on others that cannot be done"
	}
	return given
}

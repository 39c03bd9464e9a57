package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// Rule is the treatment of a step that was interrupted and whose outcome is unknown.
type Rule string

// Halt stops and leaves it to the caller; Repeat treats it as undone, Assume as done.
const (
	Halt   Rule = "stop"
	Repeat Rule = "repeat"
	Assume Rule = "done"
)

// Runner runs what a directory holds.
type Runner struct {
	Directory *Directory
	Verbs     Verbs
	// Interrupted is the rule for steps that were interrupted with an unknown outcome; empty is Halt.
	Interrupted Rule
	// Now is the clock; nil is time.Now. Progress, if not nil, is called for each step
	// that begins, with the number of steps that have ended.
	Now      func() time.Time
	Progress func(step string, over, all int)
}

// errHalted ends a run at a step whose outcome is unknown.
var errHalted = errors.New("it is not known whether it was done")

// Run runs the remaining steps of a run, until ctx ends. It returns the run as recorded,
// and the error of the first step that stopped it, Conflict if a step was interrupted with
// an unknown outcome or the run is done, or Cancelled.
func (r *Runner) Run(ctx context.Context, id string) (*Run, error) {
	run, release, err := r.Directory.Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, stop := r.Directory.Cancellable(ctx, id)
	defer stop()
	if run.State == Succeeded {
		return run, &core.Error{
			Code: core.Conflict, Message: "the run " + id + " is done",
			Remedies: []core.Remedy{core.RemedyShowRun}, Subject: core.Subject{Run: id},
		}
	}
	p, err := Parse(run.File, run.Text)
	if err != nil {
		return run, err
	}
	v, _ := p.values(run.Session, run.Vars) // they fitted when the run was made
	run.again()
	run.State, run.PID, run.Ended = Running, os.Getpid(), time.Time{}
	if err := r.Directory.Save(run); err != nil {
		return run, err
	}
	j := &execution{Runner: r, run: run, pipeline: p, values: v}
	j.throttle = j.newThrottle()
	// A run that was cut off while it waited for the end of a usage limit waits on.
	if err = j.throttle.Wait(ctx, run.Until); err == nil {
		err = j.all(ctx)
	}
	run.State, run.Ended, run.Until = j.end(ctx, err), r.now(), time.Time{}
	return run, errors.Join(err, r.Directory.Save(run))
}

func (r *Runner) now() time.Time {
	if r.Now == nil {
		return time.Now().UTC()
	}
	return r.Now().UTC()
}

// execution is one run in progress.
type execution struct {
	*Runner
	run      *Run
	pipeline *Pipeline
	values   *values
	// throttle holds steps back that met a usage limit.
	throttle *run.Throttle
	// stopped is the error of the first step that stopped the pipeline.
	stopped error
}

// end is the state of the run once all returned.
func (j *execution) end(ctx context.Context, err error) State {
	switch {
	case errors.Is(err, errHalted):
		return Interrupted
	case ctx.Err() != nil:
		return Cancelled
	case err != nil:
		return Failed
	}
	return Succeeded
}

func (j *execution) all(ctx context.Context) error {
	for n, i := range j.pipeline.order() {
		step := &j.pipeline.Steps[i]
		kept := j.run.step(step.Name)
		if kept == nil {
			return core.Errorf(core.DecodeFailed, "the run has no record of step %s", step.Name)
		}
		if kept.State != Succeeded {
			if j.Progress != nil {
				j.Progress(step.Name, n, len(j.run.Steps))
			}
			if err := j.one(ctx, step, kept); err != nil {
				return err
			}
		}
		j.values.steps[step.Name] = kept.answer()
	}
	return j.stopped
}

// one completes a step. Its error ends the run; the failure of a step does not, since
// other steps may depend on it.
func (j *execution) one(ctx context.Context, step *Step, kept *StepRun) error {
	if kept.State == Interrupted {
		if over, err := j.recover(ctx, step, kept); over || err != nil {
			return errors.Join(err, j.Directory.Save(j.run))
		}
	}
	if why := j.passes(step); why != "" {
		kept.State, kept.Why = Skipped, why
		return j.Directory.Save(j.run)
	}
	err := j.try(ctx, step, kept)
	if ctx.Err() != nil {
		return errors.Join(run.CauseOf(ctx), j.Directory.Save(j.run))
	}
	if saved := j.Directory.Save(j.run); saved != nil {
		return saved
	}
	if err != nil && step.OnError == Stop && j.stopped == nil {
		j.stopped = inStep(step, core.InternalError, err)
	}
	return nil
}

// passes says why a step does not run; empty if it does.
func (j *execution) passes(step *Step) string {
	failed, unmet := "", ""
	for _, need := range step.Needs {
		switch kept := j.run.step(need); kept.State {
		case Failed:
			failed, unmet = need, need+" failed"
		case Skipped:
			unmet = need + " was skipped"
		}
	}
	if failed == "" && len(step.Needs) == 0 {
		for i := range j.run.Steps {
			if j.run.Steps[i].State == Failed {
				failed = j.run.Steps[i].Name
			}
		}
	}
	switch step.When {
	case Always:
		return ""
	case OnFailure:
		if failed == "" {
			return "nothing failed"
		}
		return ""
	case OnSuccess:
	}
	if unmet == "" && j.stopped != nil {
		return "the pipeline was stopped by a step that failed"
	}
	return unmet
}

// try calls a step's verb until it succeeds or its tries are used up.
func (j *execution) try(ctx context.Context, step *Step, kept *StepRun) error {
	kept.Started, kept.Why = j.now(), ""
	backend := ""
	for n := 0; ; n++ {
		answer, err := j.once(ctx, step, kept, backend)
		kept.Ended = j.now()
		if err == nil {
			kept.State, kept.Answer, kept.Error, kept.ErrorCode = Succeeded, answer, "", ""
			return nil
		}
		known := core.AsError(err)
		kept.State, kept.Error, kept.ErrorCode = Failed, known.Error(), string(known.Code)
		if ctx.Err() != nil {
			kept.State, kept.Why = Interrupted, "the run was cancelled"
		}
		if ctx.Err() != nil || !j.Verbs.Again(step.Verb, err) {
			return err
		}
		if next, limit := j.throttle.Next(ctx, backend, err); limit == nil {
			// What a limit held back is no try.
			backend = next
			n--
			continue
		}
		if n >= step.Retries || ctx.Err() != nil {
			return err
		}
		pause := time.NewTimer(step.Pause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// newThrottle returns what holds steps back at usage limits.
func (j *execution) newThrottle() *run.Throttle {
	return &run.Throttle{LimitPolicy: j.run.OnLimit, Now: j.now, Changed: func(until time.Time) error {
		j.run.Until = until
		return j.Directory.Save(j.run)
	}}
}

// once makes one call, and records it before it begins. A backend takes the place of the one that the step names;
// empty leaves it.
func (j *execution) once(ctx context.Context, step *Step, kept *StepRun, backend string) (Answer, error) {
	args, _, err := j.values.expand(step.Args)
	if err != nil {
		return nil, core.Errorf(core.InvalidInput, "%w", err)
	}
	if name := j.Verbs.BackendIn(step.Verb); name != "" && backend != "" {
		// Several backends are a panel, in which each answers for itself.
		if many, is := args[name].([]any); !is || len(many) < 2 {
			args[name] = backend
		}
	}
	kept.State, kept.Prompt = Running, j.Verbs.PromptID(step.Verb)
	kept.Attempts++
	if err := j.Directory.Save(j.run); err != nil {
		return nil, err
	}
	late := errors.New("late")
	if step.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, step.Timeout, late)
		defer stop()
	}
	answer, err := j.Verbs.Call(ctx, &Call{Verb: step.Verb, Args: args, Session: j.run.Session, Prompt: kept.Prompt})
	if err != nil && errors.Is(context.Cause(ctx), late) {
		err = &core.Error{
			Code: core.Timeout, Message: fmt.Sprintf("%s took longer than %s", step.Verb, step.Timeout),
			Details: core.AsError(err).Details, Err: err,
		}
	}
	return answer, err
}

// recover finds the outcome of a step that was cut off. Over is true if it was done;
// otherwise it may be run again. It returns Conflict if the outcome is unknown.
func (j *execution) recover(ctx context.Context, step *Step, kept *StepRun) (over bool, err error) {
	outcome, answer := Open, Answer(nil)
	switch {
	case step.Repeatable, j.Verbs.Reads(step.Verb):
		outcome = Undone
	case kept.Prompt != "":
		if outcome, answer, err = j.Verbs.Outcome(ctx,
			&Call{Verb: step.Verb, Session: j.run.Session, Prompt: kept.Prompt}); err != nil {
			return false, err
		}
	}
	if outcome == Open {
		switch j.Interrupted {
		case Repeat:
			outcome = Undone
		case Assume:
			outcome = Done
		case Halt, "":
			return false, j.halted(step, kept)
		}
	}
	if outcome == Undone {
		return false, nil
	}
	kept.State, kept.Answer, kept.Ended = Succeeded, answer, j.now()
	kept.Why = "it was done before the run was cut off"
	return true, nil
}

// halted returns the error of a step whose outcome is unknown.
func (j *execution) halted(step *Step, kept *StepRun) error {
	return &core.Error{
		Code: core.Conflict, Err: errHalted,
		Message: fmt.Sprintf("step %s (%s) had started before (%s), and it is not known whether it was done", step.Name,
			step.Verb, kept.Why),
		Remedies: []core.Remedy{core.RemedyResumeSteps}, Subject: core.Subject{Run: j.run.ID},
		Details: map[string]string{"id": j.run.ID, "step": kept.Name, "prompt": kept.Prompt},
	}
}

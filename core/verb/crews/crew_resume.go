package crews

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewResumeIn is the input of the verb crew-resume.
type CrewResumeIn struct {
	OfCrew
	MaxTurns   int           `min:"1" help:"How many turns it may take from now on; without it those that are left, or as many as the settings say if none is"`
	Timeout    time.Duration `help:"How long it may take from now on"`
	MaxCost    string        `help:"How much it may cost in all, in USD (2.50)"`
	Background bool          `help:"Run in the background, and answer immediately"`
	Stream     bool          `help:"Answer with each event as it comes"`
}

// Streaming reports whether the answer is to come piece by piece.
func (in CrewResumeIn) Streaming() bool { return in.Stream && !in.Background }

// Live reports whether a person sees the crew while it works.
func (in CrewResumeIn) Live() bool { return !in.Background }

var crewResume = registry.Define(registry.Spec[*verb.Env, CrewResumeIn, CrewOut]{
	Name: "crew-resume", Of: "run-resume", Group: verb.GroupCrew, Doing: "resuming",
	Short: "Continue a crew that is paused, was cut off, or ended",
	Long: "A paused crew continues in the process that runs it. Any other continues in this call: messages that " +
		"wait are " +
		"delivered, and agents that failed or were cut off are asked again; those that answered are not.",
	Scope: registry.Resource, Effect: registry.Writes, List: "told_user",
	Examples: []string{"k3x9ab2"},
	Errors:   crewRun.Errors, Run: registry.Whole(resumeCrew),
	Stream: registry.Stream[*verb.Env, CrewResumeIn, CrewOut]{Line: crewLine{}, Run: resumeCrew},
}).SeeAlso("crew-say", "run-cancel")

func resumeCrew(ctx context.Context, env *verb.Env, in CrewResumeIn, emit func(any) error) (CrewOut, error) {
	o, err := orchestratorOf(ctx, env)
	if err != nil {
		return CrewOut{}, err
	}
	c, err := o.Crews.Load(ctx, in.Crew)
	if err != nil {
		return CrewOut{}, err
	}
	if o.Directory.Running(c.ID) {
		return endPause(ctx, o, c)
	}
	more, err := in.more(ctx, &env.Local, o, c)
	if err != nil {
		return CrewOut{}, err
	}
	if in.Background {
		return detach(ctx, &env.Local, o, c, in.flags()...)
	}
	return carry(ctx, env, o, c, more, emit)
}

// endPause ends the pause of a crew that a process runs.
func endPause(ctx context.Context, o *orchestrator.Orchestrator, c *crew.Crew) (CrewOut, error) {
	asked, err := o.Crews.Control(ctx, c.ID)
	if err != nil {
		return CrewOut{}, err
	}
	if asked != store.PauseCrew {
		return CrewOut{}, run.ErrOf(core.Conflict, c.ID, "the crew "+c.ID+" is running", core.RemedyShowRun,
			core.RemedyCancelRun)
	}
	c.State = crew.Running
	return CrewOut{Crew: c, Outcome: []UserMessage{}, Background: true}, o.Crews.Ask(ctx, c.ID, store.Resume)
}

// flags returns the flags of the call that resumes in the background.
func (in CrewResumeIn) flags() []string {
	var flags []string
	if in.MaxTurns > 0 {
		flags = append(flags, "--max-turns="+strconv.Itoa(in.MaxTurns))
	}
	if in.Timeout > 0 {
		flags = append(flags, "--timeout="+in.Timeout.String())
	}
	if in.MaxCost != "" {
		flags = append(flags, "--max-cost="+in.MaxCost)
	}
	return flags
}

// more returns the additional limits of the crew. It fails if nothing is left to resume.
func (in CrewResumeIn) more(
	ctx context.Context, env *verb.Local, o *orchestrator.Orchestrator, c *crew.Crew,
) (orchestrator.More, error) {
	more := orchestrator.More{Timeout: in.Timeout}
	open, err := o.Open(ctx, c.ID)
	if err != nil {
		return more, err
	}
	if open == 0 && c.Turn >= 0 && c.State.Ended() && c.State != crew.Interrupted {
		e := run.ErrOf(core.Conflict, c.ID, "the crew "+c.ID+" has nothing to resume: no message waits")
		e.Hint = "Say something to it first: cupola crew say " + c.ID + " TEXT"
		return more, e
	}
	settings := env.Settings()
	// One that was cut off ends where it would have ended.
	left := c.Limits.MaxTurns - max(0, c.Turn)
	switch {
	case in.MaxTurns > 0:
		more.Turns = in.MaxTurns - left
	case left <= 0 && c.State.Ended() && c.State != crew.Interrupted:
		more.Turns = settings.Crew.MaxTurns - left
	}
	if in.MaxCost != "" {
		if more.CostUSD, err = verb.Dollars("--max-cost", in.MaxCost); err != nil {
			return more, err
		}
	}
	if spent, _ := c.CostUSD(); c.Limits.CostUSD > 0 && max(more.CostUSD, c.Limits.CostUSD) <= spent {
		e := run.ErrOf(core.BudgetExceeded, c.ID, "the crew "+c.ID+" has cost all that it may")
		e.Hint = "Give it more with --max-cost."
		return more, e
	}
	return more, nil
}

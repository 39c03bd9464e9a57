package crews

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewWaitIn struct {
	OfCrew
	Timeout time.Duration `default:"15m" help:"How long to wait"`
}

var crewWait = registry.Define(registry.Spec[*verb.Env, crewWaitIn, CrewOut]{
	Name: "crew-wait", Of: "run-wait", Group: verb.GroupCrew,
	Short: "Wait until a crew has ended, and show its messages to you",
	Scope: registry.Resource, Effect: registry.Reads, List: "told_user",
	Examples: []string{"k3x9ab2"},
	Errors: append([]core.Code{
		core.Timeout, core.BackendFailed, core.AuthFailed, core.RateLimited, core.NetworkError, core.ToolNotFound,
	}, codes...),
	Run: runCrewWait,
}).SeeAlso("run-show", "crew-replay")

func runCrewWait(ctx context.Context, env *verb.Env, in crewWaitIn) (CrewOut, error) {
	ctx, stop := run.Within(ctx, in.Timeout)
	defer stop()
	if _, err := Control(env).Wait(ctx, in.Crew); err != nil {
		return CrewOut{}, err
	}
	out, err := showOf(ctx, env, in.Crew)
	if err == nil {
		err = waitFailure(out)
	}
	return out, err
}

// waitFailure is the error of a crew that was waited for, with a code that crew-wait has.
func waitFailure(out CrewOut) error {
	e := core.AsError(failure(out))
	switch {
	case e == nil && out.State == crew.Interrupted:
		e = core.Errorf(core.BackendFailed, "the process of the crew %s ended before the crew did", out.ID)
		e.Remedies, e.Subject.Run = []core.Remedy{core.RemedyResumeRun}, out.ID
		return e
	case e == nil:
		return nil
	}
	switch e.Code {
	case core.AuthFailed, core.RateLimited, core.NetworkError, core.Timeout, core.ToolNotFound:
	default:
		e.Code = core.BackendFailed
	}
	return e
}

package runs

import (
	"cmp"
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runWaitIn struct {
	Runs    []string      `arg:"rest" required:"true" lister:"run-list" names:"record" help:"The runs: ids, or names for the newest runs with those names"`
	Timeout time.Duration `default:"4h" help:"How long to wait"`
}

type runWaitOut struct {
	// Runs are in the order in which they were named.
	Runs []RunRow `json:"runs"`
}

var runWait = registry.Define(registry.Spec[*verb.Env, runWaitIn, runWaitOut]{
	Name: "run-wait", Group: verb.GroupRuns, Short: "Wait until runs have ended",
	Long:  "Fails if one of them is not done, with all of them in the details.",
	Scope: registry.Resource, Effect: registry.Reads, List: "runs",
	Examples: []string{"a1b2c3d4"},
	Errors: append([]core.Code{
		core.Timeout, core.HealthFailed, core.BackendFailed, core.AuthFailed, core.RateLimited, core.NetworkError,
		core.BudgetExceeded, core.Conflict,
	}, codes...),
	Run: runRunWait,
}).SeeAlso("run-show", "run-list")

func runRunWait(ctx context.Context, env *verb.Env, in runWaitIn) (runWaitOut, error) {
	found := make([]run.Head, len(in.Runs))
	for i, word := range in.Runs {
		var err error
		if found[i], err = env.Runs.Find(word); err != nil {
			return runWaitOut{}, err
		}
	}
	limited, stop := run.Within(ctx, in.Timeout)
	defer stop()
	out := runWaitOut{Runs: []RunRow{}}
	var failed *run.Head
	for i := range found {
		h, err := controlOf(env, found[i].Kind).Wait(limited, found[i].ID)
		if h.ID != "" {
			h.CostUSD = verb.Rounded(h.CostUSD, 4)
			out.Runs = append(out.Runs, RunRow{Head: h})
		}
		if err != nil {
			return out, verb.WithDetails(err, out)
		}
		if h.State != run.Done && failed == nil {
			failed = &h
		}
	}
	if failed != nil {
		return out, verb.WithDetails(failure(failed), out)
	}
	return out, nil
}

// failure is the error of a run that has ended and is not done.
func failure(h *run.Head) error {
	code := core.BackendFailed
	switch h.ErrorCode {
	case core.AuthFailed, core.RateLimited, core.NetworkError, core.Timeout, core.BudgetExceeded, core.Conflict:
		code = h.ErrorCode
	default:
		if h.Kind == run.Story || h.Kind == run.Pipeline {
			code = core.HealthFailed
		}
	}
	became := map[run.State]string{
		run.Cancelled: "was cancelled", run.Interrupted: "was interrupted", run.NeedsYou: "needs you",
	}[h.State]
	e := core.Errorf(code, "the %s %s %s", h.Kind, h.ID, cmp.Or(became, string(h.State)))
	if why := cmp.Or(h.Needs, h.Error, h.Reason); why != "" {
		e.Message += ": " + why
	}
	e.Hint, e.Remedies, e.Subject = h.Hint, []core.Remedy{core.RemedyShowRun}, core.Subject{Run: h.ID}
	return e
}

// Lead leaves the hint of a failure as it is.
func (o runWaitOut) Lead() string { return "" }

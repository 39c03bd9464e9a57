package story

import (
	"cmp"
	"encoding/json"
	"time"

	"cupola/core/run"
)

// Limits keep a run from running without end, and are a section of the settings. Zero takes the usual value.
type Limits struct {
	// MaxRetries is how many tries of one story follow its first.
	MaxRetries int `json:"max_retries" toml:"max_retries" doc:"How many tries of a story follow its first; 0 is 3"`
	// MaxIterations is how many tries all stories have together.
	MaxIterations int `json:"max_iterations" toml:"max_iterations" doc:"How many tries all stories of a run have together; 0 is 50"`
	// NoProgress is how many tries in a row that change nothing end a run.
	NoProgress int `json:"no_progress" toml:"no_progress" doc:"After how many tries in a row that change and tick nothing a run of stories ends; 0 is 3"`
	// TimeLimit is how long one run may take, TryTimeout how long one agent has, and VerifyTimeout how long one
	// verification command has.
	TimeLimit     time.Duration `json:"time_limit_ms" toml:"time_limit" doc:"How long a run of stories may take; 0 is 4h"`
	TryTimeout    time.Duration `json:"try_timeout_ms" toml:"try_timeout" doc:"How long one agent may work on a story; 0 is 30m"`
	VerifyTimeout time.Duration `json:"verify_timeout_ms" toml:"verify_timeout" doc:"How long one verification command may take; 0 is 10m"`
	// BudgetUSD is how much all tries may cost, as far as their costs are known.
	BudgetUSD float64 `json:"budget_usd" toml:"budget_usd" doc:"How much a run of stories may cost, in USD, as far as that is known; 0 is 20" guard:"it says how much may be spent"`
	// Parallel is how many stories that do not depend on each other are worked on at once.
	Parallel int `json:"parallel" toml:"parallel" doc:"How many stories that do not depend on each other are worked on at once; 0 is 1"`
	// OnStuck is the reaction to StuckAfter tries of a story in a row that failed in the same way.
	OnStuck    OnStuck `json:"on_stuck" toml:"on_stuck" enum:"rethink,switch,retry" doc:"What happens when tries of a story fail again and again in the same way: rethink asks the next agent for another way, switch lets the next backend of the fallback list work, retry does nothing else"`
	StuckAfter int     `json:"stuck_after" toml:"stuck_after" doc:"After how many tries of a story in a row that fail in the same way it is stuck; 0 is 2"`
	run.LimitPolicy
}

// OnStuck is the reaction to a story whose tries fail again and again in the same way.
type OnStuck string

// The values of OnStuck: the prompt of the next agent demands another way, which another backend gets, too; or none.
const (
	Rethink     OnStuck = "rethink"
	SwitchAgent OnStuck = "switch"
	RetrySame   OnStuck = "retry"
)

// DefaultLimits are the limits where nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		MaxRetries: 3, MaxIterations: 50, NoProgress: 3, TimeLimit: 4 * time.Hour, TryTimeout: 30 * time.Minute,
		VerifyTimeout: 10 * time.Minute, BudgetUSD: 20, Parallel: 1,
		OnStuck: Rethink, StuckAfter: 2, LimitPolicy: run.LimitPolicy{OnLimit: run.WaitForReset},
	}
}

// Or returns the limits with those of others in place of the ones that are not set.
func (l Limits) Or(others Limits) Limits {
	return Limits{
		MaxRetries:    cmp.Or(l.MaxRetries, others.MaxRetries),
		MaxIterations: cmp.Or(l.MaxIterations, others.MaxIterations),
		NoProgress:    cmp.Or(l.NoProgress, others.NoProgress),
		TimeLimit:     cmp.Or(l.TimeLimit, others.TimeLimit),
		TryTimeout:    cmp.Or(l.TryTimeout, others.TryTimeout),
		VerifyTimeout: cmp.Or(l.VerifyTimeout, others.VerifyTimeout),
		BudgetUSD:     cmp.Or(l.BudgetUSD, others.BudgetUSD),
		Parallel:      cmp.Or(l.Parallel, others.Parallel),
		OnStuck:       cmp.Or(l.OnStuck, others.OnStuck),
		StuckAfter:    cmp.Or(l.StuckAfter, others.StuckAfter),
		LimitPolicy:   l.LimitPolicy.Or(others.LimitPolicy),
	}
}

// Settings are the settings of runs of stories.
type Settings struct {
	Limits
	Verify []string `toml:"verify" doc:"The commands that prove a story, each run in a shell; without any they are guessed from the project" guard:"they would run without being asked for"`
	Setup  []string `toml:"setup" doc:"The commands that run once in every new worktree of a run of stories, each in a shell" guard:"they would run without being asked for"`
}

// plainLimits are limits without methods.
type plainLimits Limits

// MarshalJSON writes times in milliseconds.
func (l Limits) MarshalJSON() ([]byte, error) {
	l.TimeLimit /= time.Millisecond
	l.TryTimeout /= time.Millisecond
	l.VerifyTimeout /= time.Millisecond
	return json.Marshal(plainLimits(l))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Limits) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*plainLimits)(l)); err != nil {
		return err
	}
	l.TimeLimit *= time.Millisecond
	l.TryTimeout *= time.Millisecond
	l.VerifyTimeout *= time.Millisecond
	return nil
}

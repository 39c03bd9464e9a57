package verb

import (
	"cupola/core/run"
	"cupola/core/verb/registry"
)

// AtLimit is the input of verbs that begin a run whose backends can meet a usage limit.
type AtLimit struct {
	OnLimit  string   `enum:"wait,switch,stop" help:"What happens at a usage limit: wait until it resets, switch to the next backend of --fallback, or stop; the settings say it without this"`
	Fallback []string `lister:"backends" help:"The backends that take over at a usage limit, in this order, separated by commas; implies --on-limit=switch"`
}

// Policy returns what the flags ask for, over the settings. It fails if it switches to nothing, or in panes, where an
// agent stays what it is.
func (o AtLimit) Policy(settings run.LimitPolicy, panes bool) (run.LimitPolicy, error) {
	policy := run.LimitPolicy{OnLimit: run.OnLimit(o.OnLimit), Fallback: o.Fallback}.Or(settings)
	if panes && policy.OnLimit == run.SwitchBackend {
		if o.OnLimit != "" || len(o.Fallback) > 0 {
			return policy, registry.Conflict("--on-limit=switch", "--stage=panes",
				"The agent of a pane stays what it is: it can wait.")
		}
		policy.OnLimit = run.WaitForReset
	}
	if policy.OnLimit == run.SwitchBackend && len(policy.Fallback) == 0 {
		return policy, registry.Missing("--on-limit=switch needs backends to switch to",
			"Name them with --fallback=codex,gemini.", "--fallback")
	}
	return policy, nil
}

package crews

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewDeleteIn struct {
	Crews     []string      `arg:"rest" lister:"crew-list" names:"record" help:"Ids of crews to remove"`
	OlderThan time.Duration `help:"Remove all crews that began longer ago than this"`
	registry.Preview
	registry.Consent
}

var crewDelete = registry.Define(registry.Spec[*verb.Env, crewDeleteIn, verb.Removed]{
	Name: "crew-delete", Of: "run-delete", Group: verb.GroupCrew, Short: "Remove crews with all that was said in them",
	Aliases: []string{"agentic delete"},
	Long:    "Transcripts of the backends, panes and worktrees stay. A crew that works is refused: stop it first.",
	Scope:   registry.Global, Effect: registry.Destroys,
	Examples: []string{"k3x9ab2 --dry-run"},
	Errors:   append([]core.Code{core.Conflict, core.Cancelled}, codes...), Run: runCrewDelete,
}).SeeAlso("run-list")

// Check sees that it is said what to remove, in one way.
func (in crewDeleteIn) Check() error {
	switch {
	case len(in.Crews) == 0 && in.OlderThan == 0:
		return registry.Missing("crew-delete needs ids or --older-than",
			"Usage: cupola crew delete ID... [flags]", "ID")
	case len(in.Crews) > 0 && in.OlderThan > 0:
		return registry.Conflict("--older-than", in.Crews[0])
	}
	return nil
}

func runCrewDelete(ctx context.Context, env *verb.Env, in crewDeleteIn) (verb.Removed, error) {
	ids := []string{}
	for _, id := range in.Crews {
		h, err := Control(env).Load(ctx, id)
		switch {
		case err != nil:
			return verb.Removed{}, err
		case !h.State.Ended():
			return verb.Removed{}, run.ErrRunning(&h)
		}
		ids = append(ids, id)
	}
	if in.OlderThan > 0 {
		all, err := crewsOf(env, run.Filter{})
		if err != nil {
			return verb.Removed{}, err
		}
		for i := range all {
			if env.Now().Sub(all[i].Started) > in.OlderThan && all[i].State.Ended() {
				ids = append(ids, all[i].ID)
			}
		}
	}
	may := verb.Permission{Verb: "crew-delete", In: in, Given: in.Given()}
	return verb.Remove(env.Who(), may, in.DryRun, ids, "Remove "+strings.Join(ids, ", ")+"?", func(id string) error {
		return Control(env).Remove(ctx, id)
	})
}

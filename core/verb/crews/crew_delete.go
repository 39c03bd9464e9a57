package crews

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewDeleteIn struct {
	Crews     []string      `arg:"rest" lister:"crew-list" names:"record" help:"Ids of crews to remove"`
	OlderThan time.Duration `help:"Remove all crews that began longer ago than this"`
	registry.Preview
	registry.Consent
}

type crewDeleteOut struct {
	// Removed are the ids; with --dry-run those that would be removed.
	Removed []string `json:"removed_ids"`
	DryRun  bool     `json:"dry_run"`
}

var crewDelete = registry.Define(registry.Spec[*verb.Env, crewDeleteIn, crewDeleteOut]{
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

func runCrewDelete(ctx context.Context, env *verb.Env, in crewDeleteIn) (crewDeleteOut, error) {
	o, err := OrchestratorOf(ctx, env)
	if err != nil {
		return crewDeleteOut{}, err
	}
	out := crewDeleteOut{DryRun: in.DryRun}
	for _, id := range in.Crews {
		c, err := o.Crews.Load(ctx, id)
		if err != nil {
			return crewDeleteOut{}, err
		}
		if o.Book.Running(c.ID) {
			return crewDeleteOut{}, &core.Error{
				Code: core.Conflict, Message: "the crew " + c.ID + " is running",
				Remedies: []core.Remedy{core.RemedyCancelRun}, Subject: core.Subject{Run: c.ID},
			}
		}
		out.Removed = append(out.Removed, c.ID)
	}
	if in.OlderThan > 0 {
		all, err := o.Crews.All(ctx, 0)
		if err != nil {
			return crewDeleteOut{}, err
		}
		for i := range all {
			if env.Now().Sub(all[i].Started) > in.OlderThan && !o.Book.Running(all[i].ID) {
				out.Removed = append(out.Removed, all[i].ID)
			}
		}
	}
	if in.DryRun || len(out.Removed) == 0 {
		return out, nil
	}
	may := verb.Permission{Verb: "crew-delete", In: in, Given: in.Given()}
	if err := may.Ask(env.Who(), "Remove "+strings.Join(out.Removed, ", ")+"?"); err != nil {
		return crewDeleteOut{}, err
	}
	for _, id := range out.Removed {
		if err := o.Remove(ctx, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Report shows a person what was removed.
func (o crewDeleteOut) Report() *report.Report {
	act := map[bool]string{true: "would remove ", false: "removed "}[o.DryRun]
	r := &report.Report{}
	for _, id := range o.Removed {
		r.AddLine(report.Text(act), report.Toned(report.Strong, id))
	}
	if len(o.Removed) == 0 {
		r.AddLine(report.Text("There is nothing to remove."))
	}
	return r
}

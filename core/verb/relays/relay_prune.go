package relays

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type relayPruneIn struct {
	Labels    []string      `arg:"rest" lister:"relay-labels" names:"record" help:"Labels of conversations to remove"`
	OlderThan time.Duration `help:"Remove all conversations that were not used for this long"`
	All       bool          `help:"Remove all conversations"`
	registry.Preview
	registry.Consent
}

type relayPruneOut struct {
	// Removed are the labels; with --dry-run those that would be removed.
	Removed []string `json:"removed_labels"`
	DryRun  bool     `json:"dry_run"`
}

var relayPrune = registry.Define(registry.Spec[*verb.Local, relayPruneIn, relayPruneOut]{
	Name: "relay-prune", Of: "run-prune --kind=relay", Group: verb.GroupRelay, Short: "Remove conversations of relays",
	Long: "Only Cupola's own record of a conversation is removed. The backend keeps its transcripts, and relays stay " +
		"on record.",
	Scope: registry.Global, Effect: registry.Destroys,
	Examples: []string{"--older-than=720h --dry-run"},
	Errors:   []core.Code{core.NotFound, core.IOError, core.PermissionDenied, core.Cancelled}, Run: runRelayPrune,
})

// Check sees that it is said what to remove, in one way.
func (in relayPruneIn) Check() error {
	switch {
	case len(in.Labels) == 0 && in.OlderThan == 0 && !in.All:
		return registry.Missing("relay-prune needs labels, --older-than or --all",
			"Usage: cupola relay-prune LABEL... [flags]", "LABEL")
	case in.All && (len(in.Labels) > 0 || in.OlderThan > 0):
		return registry.Conflict("--all", "what chooses some")
	case len(in.Labels) > 0 && in.OlderThan > 0:
		return registry.Conflict("--older-than", in.Labels[0])
	}
	return nil
}

func runRelayPrune(ctx context.Context, env *verb.Local, in relayPruneIn) (relayPruneOut, error) {
	labels := labelsOf(env)
	out := relayPruneOut{Removed: in.Labels, DryRun: in.DryRun}
	if len(in.Labels) == 0 {
		all, err := labels.All()
		if err != nil {
			return out, err
		}
		for i := range all {
			if in.All || env.Now().Sub(all[i].LastUsed) > in.OlderThan {
				out.Removed = append(out.Removed, all[i].Label)
			}
		}
	}
	if in.DryRun || len(out.Removed) == 0 {
		return out, nil
	}
	may := verb.Permission{Verb: "relay-prune", In: in, Given: in.Given()}
	if err := may.Ask(env.Who(), "Remove "+strings.Join(out.Removed, ", ")+"?"); err != nil {
		return relayPruneOut{}, err
	}
	return out, labels.Remove(ctx, out.Removed...)
}

func (o relayPruneOut) Report() *report.Report {
	verb := map[bool]string{true: "would remove ", false: "removed "}[o.DryRun]
	r := &report.Report{}
	for _, label := range o.Removed {
		r.AddLine(report.Text(verb), report.Toned(report.Strong, label))
	}
	if len(o.Removed) == 0 {
		r.AddLine(report.Text("There is nothing to remove."))
	}
	return r
}

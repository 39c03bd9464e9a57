package relays

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RelayCancelIn is the input of the verb relay-cancel.
type RelayCancelIn struct {
	Relay   string        `arg:"1" required:"true" lister:"relay-list" names:"record" help:"Id of a relay, or the label of a conversation for its newest"`
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var relayCancel = registry.Define(registry.Spec[*verb.Local, RelayCancelIn, RelayOut]{
	Name: "relay-cancel", Of: "run-cancel", Group: verb.GroupRelay, Doing: "cancelling",
	Short:   "Stop a relay, and the program that it asked",
	Aliases: []string{"job cancel"},
	Long:    "What was answered until then stays on record.",
	Scope:   registry.Resource, Effect: registry.Writes, List: "results",
	Examples: []string{"review"},
	Errors:   []core.Code{core.NotFound, core.Conflict, core.Timeout, core.IOError, core.PermissionDenied},
	Run: func(ctx context.Context, env *verb.Local, in RelayCancelIn) (RelayOut, error) {
		found, err := Directory(env).Find(in.Relay)
		if err != nil {
			return RelayOut{}, err
		}
		ctx, stop := run.Within(ctx, in.Timeout)
		defer stop()
		if err := Control(env).Stop(ctx, found.ID); err != nil {
			return relayOutOf(found), err
		}
		return shownOf(env, found.ID)
	},
}).SeeAlso("run-list", "run-show")

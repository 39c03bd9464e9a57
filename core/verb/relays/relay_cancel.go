package relays

import (
	"context"
	"time"

	"cupola/core"
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
		book := Book(env)
		found, err := book.Find(in.Relay)
		if err != nil {
			return RelayOut{}, err
		}
		limited, stop := verb.Within(ctx, in.Timeout)
		defer stop()
		record, err := book.Cancel(limited, found.ID, env.Now)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = core.Errorf(core.Timeout, "the relay %s has not ended within %s", found.ID, in.Timeout)
		}
		return relayOutOf(record), err
	},
}).SeeAlso("run-list", "run-show")

package relays

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type relayShowIn struct {
	Relay  string `arg:"1" required:"true" lister:"relay-list" names:"record" help:"Id of a relay, or the label of a conversation for its newest"`
	Follow bool   `help:"Show the answer as it comes, until the relay ends"`
}

// Streaming reports whether the answer is to come piece by piece.
func (in relayShowIn) Streaming() bool { return in.Follow }

var relayShow = registry.Define(registry.Spec[*verb.Local, relayShowIn, RelayOut]{
	Name: "relay-show", Of: "run-show", Group: verb.GroupRelay,
	Short:   "Show a relay with its answer, also while it runs",
	Aliases: []string{"job show"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "results",
	Examples: []string{"review", "review --follow"},
	Errors:   []core.Code{core.NotFound, core.IOError, core.PermissionDenied},
	Run: func(_ context.Context, env *verb.Local, in relayShowIn) (RelayOut, error) {
		return shownOf(env, in.Relay)
	},
	Stream: registry.Stream[*verb.Local, relayShowIn, RelayOut]{Line: relayLine{}, Run: followRelay},
}).SeeAlso("run-list", "run-wait")

func followRelay(ctx context.Context, env *verb.Local, in relayShowIn, emit func(any) error) (RelayOut, error) {
	directory := Directory(env)
	record, err := directory.Find(in.Relay)
	if err != nil {
		return RelayOut{}, err
	}
	var shown relayLines
	err = run.Follow(ctx, func() (bool, error) {
		record, err = directory.Load(record.ID)
		return err == nil && record.State.Ended(), err
	}, func(offset int64) ([]relay.Event, int64, error) {
		return directory.Events(record.ID, offset)
	}, func(event *relay.Event) error {
		if event.Type == stream.Done || event.Type == stream.Failed {
			return nil
		}
		return emit(shown.line(*event))
	})
	out := relayOutOf(record)
	out.shown = true
	return out, err
}

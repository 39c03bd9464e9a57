package relays

import (
	"cmp"
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/relay"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type relayWaitIn struct {
	Relays  []string      `arg:"rest" required:"true" lister:"relay-list" names:"record" help:"Ids of relays, or labels of conversations"`
	Timeout time.Duration `default:"10m" help:"How long to wait"`
}

type relayWaitOut struct {
	// Results are the relays, in the order in which they were named.
	Results []Answer `json:"results"`
}

var relayWait = registry.Define(registry.Spec[*verb.Local, relayWaitIn, relayWaitOut]{
	Name: "relay-wait", Of: "run-wait", Group: verb.GroupRelay, Short: "Wait until relays in the background have ended",
	Aliases: []string{"job wait"},
	Long:    "Fails if one of them did not answer, with all of them in the details.",
	Scope:   registry.Resource, Effect: registry.Reads, List: "results",
	Examples: []string{"review"},
	Errors: []core.Code{
		core.NotFound, core.Timeout, core.BackendFailed, core.AuthFailed, core.RateLimited, core.NetworkError,
		core.IOError, core.PermissionDenied,
	},
	Run: runRelayWait,
}).SeeAlso("run-list")

func runRelayWait(ctx context.Context, env *verb.Local, in relayWaitIn) (relayWaitOut, error) {
	directory := Directory(env)
	ids := make([]string, len(in.Relays))
	for i, word := range in.Relays {
		record, err := directory.Find(word)
		if err != nil {
			return relayWaitOut{}, err
		}
		ids[i] = record.ID
	}
	limited, stop := run.Within(ctx, in.Timeout)
	defer stop()
	out := relayWaitOut{Results: make([]Answer, 0, len(ids))}
	var failed *relay.Record
	for _, id := range ids {
		_, late := Control(env).Wait(limited, id)
		record, err := directory.Load(id)
		if err != nil {
			return out, err
		}
		out.Results = append(out.Results, Answer{Record: *record})
		if late != nil {
			return out, verb.WithDetails(late, out)
		}
		if record.State != relay.Done && failed == nil {
			failed = record
		}
	}
	if failed != nil {
		became := map[relay.State]string{
			relay.Cancelled: "was cancelled", relay.Interrupted: "was interrupted",
		}[failed.State]
		e := core.Errorf(codeOfRelay(failed), "the relay %s to %s %s: %s", failed.ID, failed.Backend,
			cmp.Or(became, string(failed.State)), failed.Error)
		e.Hint, e.Details = failed.Hint, out
		return out, e
	}
	return out, nil
}

// codeOfRelay is the code of a relay that did not answer, among those that relay-wait has.
func codeOfRelay(record *relay.Record) core.Code {
	switch record.ErrorCode {
	case core.AuthFailed, core.RateLimited, core.NetworkError, core.Timeout, core.Cancelled:
		return record.ErrorCode
	}
	return core.BackendFailed
}

// Lead leaves the hint of a failure as it is.
func (o relayWaitOut) Lead() string { return "" }

// Report shows the relays.
func (o relayWaitOut) Report() *report.Report {
	r := &report.Report{}
	for i := range o.Results {
		o.Results[i].report(r, false)
	}
	return r
}

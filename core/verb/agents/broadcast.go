package agents

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// BroadcastIn is the input of the verb broadcast.
type BroadcastIn struct {
	Prompt string `arg:"1" help:"The prompt; - reads it from standard input"`
	Msg    string `help:"The prompt, as a flag"`
	Filter string `default:"*" names:"sessions" help:"Only sessions whose name matches this pattern, such as api-*"`
	sending
}

// BroadcastOut is the answer of the verb broadcast.
type BroadcastOut struct {
	// Filter is the pattern that the sessions match.
	Filter string `json:"filter,omitempty"`
	// Sessions has one row per session that the prompt went to.
	Sessions []broadcastRow `json:"sessions" minimal:"name,failed"`
	SendOut
}

// broadcastRow counts the outcome of the prompt in one session.
type broadcastRow struct {
	Session string `json:"name"`
	SendSummary
}

var broadcast = registry.Define(registry.Spec[verb.OnFleet, BroadcastIn, BroadcastOut]{
	Name: "broadcast", Of: "send", Group: verb.GroupAgents, Doing: "sending to",
	Short: "Deliver a prompt to the agents of all sessions, or of those whose names match",
	Long: "It is one prompt with one id, delivered as 'send' does. Panes are named by address, such as api.1. " +
		"Sessions without matching panes are skipped.",
	Scope: registry.Global, Effect: registry.Answers, OnTerminals: true,
	Examples: []string{"'say hello' --filter='a*'", "--msg='commit what you have' --dry-run"},
	List:     "deliveries",
	Errors:   sendErrors, Run: runBroadcast,
})

// Next suggests what to do next.
func (o BroadcastOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	return append(afterSending(&o.SendOut),
		verb.NextAction("status", "See what the agents do now", "status"))
}

// Check sees that there is one prompt, and that the filter is a pattern.
func (in BroadcastIn) Check() error {
	if in.Prompt != "" && in.Msg != "" {
		return registry.Conflict("--msg", "a prompt as an argument")
	}
	if _, err := path.Match(in.Filter, ""); err != nil {
		return &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("--filter: %q is not a pattern", in.Filter),
			Hint: "* matches any text, ? one character, [ab] one of them.",
		}
	}
	return in.fits(in.Prompt + in.Msg)
}

// isPattern reports whether the word for a session is a pattern for the names of several.
func isPattern(session string) bool { return strings.ContainsAny(session, "*?") }

func runBroadcast(ctx context.Context, deps verb.OnFleet, in BroadcastIn) (BroadcastOut, error) {
	sent, err := in.sendMany(ctx, deps, in.Prompt+in.Msg, "", in.Filter)
	out := BroadcastOut{Filter: in.Filter, Sessions: bySession(sent.Deliveries), SendOut: sent}
	if failed := new(core.Error); errors.As(err, &failed) {
		if _, partly := failed.Details.(SendOut); partly {
			failed.Details = out
		}
	}
	return out, err
}

// sendMany delivers a message to the sessions whose names match a pattern. Id names the prompt; empty makes one.
func (in *sending) sendMany(ctx context.Context, deps verb.OnFleet, msg, id, pattern string) (SendOut, error) {
	target := deps.Acting(ctx, verb.WithTeam(verb.TargetOf("", in.OfPanes, in.All, in.Exclude), in.TeamMembers), true)
	return in.send(ctx, deps, msg, deliver.Request{ID: id, Target: target, Filter: pattern})
}

// bySession counts deliveries session by session, in the order in which they come.
func bySession(deliveries []DeliveryRow) []broadcastRow {
	rows := []broadcastRow{}
	for from := 0; from < len(deliveries); {
		to := from
		for to < len(deliveries) && deliveries[to].Session == deliveries[from].Session {
			to++
		}
		rows = append(rows, broadcastRow{deliveries[from].Session, CountDeliveries(deliveries[from:to])})
		from = to
	}
	return rows
}

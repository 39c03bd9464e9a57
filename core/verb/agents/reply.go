package agents

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ReplyIn is the input of the verb reply.
type ReplyIn struct {
	registry.InSession
	Since         registry.Since `since:"time" help:"Only agents whose last message was written since this time"`
	IncludeBodies bool           `help:"Include the turn's tool calls and their results"`
	registry.OfPanes
}

type replyOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Replies has one row per agent.
	Replies []replyRow `json:"replies"`

	// bodies is true if what tools were given and answered is there.
	bodies bool
}

// replyRow is the last message of one agent.
type replyRow struct {
	_ struct{} `minimal:"session,ordinal,text,source,complete"`
	_ struct{} `standard:"session,ordinal,agent,state,text,source,complete"`
	verb.PaneRow
	// The tools have no input and output without --include-bodies.
	conversation.Message
}

var reply = registry.Define(registry.Spec[verb.OnFleet, ReplyIn, replyOut]{
	Name: "reply", Group: verb.GroupAgents, Short: "Show an agent's last complete message",
	Long: "Read from the agent's own transcript if there is one, or else from its screen, below the last prompt; " +
		"source says which, and complete says whether the turn has ended and all of the message is there; why says " +
		"what is missing otherwise. Where several conversations may be the agent's own, certain is false, sessions " +
		"lists them, the likeliest first, and nothing is complete. What an agent that has ended said last comes from " +
		"its transcript too.",
	Scope: registry.Session, Effect: registry.Reads, List: "replies",
	Examples: []string{"api.1", "api --since=1h --include-bodies"},
	Errors:   []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable},
	Run:      runReply,
}).SeeAlso("tail", "health")

func runReply(ctx context.Context, deps verb.OnFleet, in ReplyIn) (replyOut, error) {
	since := in.Since.AsTime(deps.Env.Now())
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	replies, err := deps.Fleet.Conversations.Replies(ctx, target)
	if err != nil {
		return replyOut{}, err
	}
	out := replyOut{Filters: verb.Echo(target), bodies: in.IncludeBodies}
	for i := range replies {
		r := &replies[i]
		deps.Fleet.Announcer.Looked(ctx, core.SeenPane{PaneRef: r.PaneRef, Status: r.Status})
		if r.At.Before(since) {
			if r.At.IsZero() && r.Text != "" {
				deps.Env.Warn(r.Address() +
					": when it wrote its last message is not known, so --since leaves it out")
			}
			continue
		}
		out.Replies = append(out.Replies, replyRowOf(r, in.IncludeBodies))
	}
	return out, nil
}

func replyRowOf(r *conversation.Reply, bodies bool) replyRow {
	row := replyRow{PaneRow: verb.RowAt(r.PaneRef, &r.Status), Message: r.Message}
	row.Variant = cmp.Or(r.Model, row.Variant)
	if !bodies {
		row.Tools = slices.Clone(row.Tools)
		for i := range row.Tools {
			row.Tools[i].Input, row.Tools[i].Output = "", ""
		}
	}
	return row
}

// Replied returns the text of the message of the first agent, empty if there is none, and what is missing of it.
func (o replyOut) Replied() (text, missing string) {
	if len(o.Replies) == 0 {
		return "", ""
	}
	return o.Replies[0].Text, o.Replies[0].Why
}

func (o replyOut) Hints() *registry.Hints {
	hints := &registry.Hints{}
	for _, row := range o.Replies {
		if !row.Complete && row.Why != "" {
			hints.Warnings = append(hints.Warnings, row.Address()+": "+row.Why)
		}
	}
	return hints
}

// Next offers what the tools were given and answered, where that was left out.
func (o replyOut) Next() []registry.Action {
	var called []core.PaneRef
	for i := range o.Replies {
		if row := &o.Replies[i]; len(row.Tools) > 0 && !o.bodies {
			called = append(called, row.PaneRef)
		}
	}
	actions := verb.Suggest(verb.Places(called), "reply", "See what its tools were given and what they answered")
	for i := range actions {
		actions[i].Command += " --include-bodies"
	}
	return actions
}

func (o replyOut) Report() *report.Report {
	r := &report.Report{}
	for _, row := range o.Replies {
		head := row.Address() + " " + row.Agent
		if row.Source != "" {
			head += " (" + row.Source + ")"
		}
		block := report.Block{Heading: head}
		if row.Text != "" {
			block.Quote = row.Text + "\n"
		}
		r.Add(block)
		var notes []report.Line
		if n := len(row.Tools); n > 0 {
			notes = append(notes,
				report.Line{report.Toned(report.Dim, fmt.Sprintf("after %s", verb.Plural(n, "tool call")))})
		}
		if row.Why != "" {
			notes = append(notes, report.Line{report.Toned(report.Warn, row.Why)})
		}
		if len(notes) > 0 {
			r.Add(report.Block{Lines: notes})
		}
	}
	return r
}

package agents

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/record/store"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type ackIn struct {
	ID      string        `arg:"1" required:"true" names:"record" help:"Tracking id from send --track, or a session or pane for the newest prompt there"`
	Timeout time.Duration `default:"30s" help:"How long to wait"`
	Poll    time.Duration `default:"200ms" help:"How often to look"`
}

type ackOut struct {
	// ID is the prompt's, At when it was sent.
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Acked is true once every pane took it up.
	Acked bool `json:"acked"`
	// Panes has one row per pane that it went to.
	Panes []ackRow `json:"panes"`
}

// ackRow is the outcome of the prompt at one pane.
type ackRow struct {
	_ struct{} `minimal:"session,ordinal,acked" table:"PANE,AGENT,TAKEN UP,OUTCOME,STATE,WHAT WAS SEEN"`
	verb.PaneRow
	// Acked is true once the agent has the prompt: it left the composer, was
	// queued, or went into the running turn.
	Acked bool `json:"acked" table:"TAKEN UP,word,empty=not yet"`
	core.Result
}

var ack = registry.Define(registry.Spec[verb.OnRecords, ackIn, ackOut]{
	Name: "ack", Group: verb.GroupAgents, Short: "Wait until a prompt has been taken up",
	Long: "Follows the record of a prompt until every agent it went to has taken it up. A prompt that was refused, " +
		"or was not seen to arrive, fails at once.",
	Scope: registry.Resource, Effect: registry.Reads, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "ack", Flags: []string{"poll", "timeout"}},
	Examples:   []string{"1jfs2tq0c-2kq7xw4mzd", "web"},
	Errors: append([]core.Code{
		core.NotFound, core.Timeout, core.DeliveryFailed, core.StoreError, core.StoreLocked, core.MigrationFailed,
	}, verb.Observing...),
	Run: runAck,
}).SeeAlso("history", "attention")

func runAck(ctx context.Context, deps verb.OnRecords, in ackIn) (ackOut, error) {
	id, err := NewestOf(ctx, deps.Records, deps.Server, in.ID)
	if err != nil {
		return ackOut{}, err
	}
	ctx, stop := verb.Within(ctx, in.Timeout)
	defer stop()
	look := time.NewTicker(max(in.Poll, 10*time.Millisecond))
	defer look.Stop()
	var out ackOut
	for {
		prompt, err := store.PromptsIn(deps.Records).One(ctx, id)
		switch {
		case err != nil && ctx.Err() == context.DeadlineExceeded:
			return out, unacked(deps.Env, in, id, out)
		case err != nil:
			return out, err
		}
		if out, err = acked(ctx, deps, &prompt); out.Acked || err != nil {
			return out, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			if ctx.Err() == context.DeadlineExceeded {
				return out, unacked(deps.Env, in, id, out)
			}
			return out, ctx.Err()
		}
	}
}

// unacked is the error of a prompt that was not taken up in time.
func unacked(env *verb.Env, in ackIn, id string, out ackOut) error {
	in.ID = id
	err := &core.Error{
		Code: core.Timeout, Message: "the prompt was not taken up in time", Details: out,
		Actions: []string{env.Catalog.Find("ack").Command(in)},
	}
	for _, row := range out.Panes[:min(verb.MostPlaces, len(out.Panes))] {
		if !row.Acked && row.State != "" {
			err.Actions = append(err.Actions, shell.Line("cupola", "tail", row.Address()))
		}
	}
	return err
}

// NewestOf returns the id of a prompt: the one that is given, or the newest that
// went to a session or pane of a server.
func NewestOf(ctx context.Context, records *store.Store, server, word string) (string, error) {
	if _, err := store.PromptsIn(records).One(ctx, word); err == nil || core.AsError(err).Code != core.NotFound {
		return word, err
	}
	for _, query := range []store.PromptQuery{
		{Server: server, Session: word, Last: 1},
		{Server: server, Panes: []string{word}, Last: 1},
	} {
		newest, err := store.PromptsIn(records).Find(ctx, query)
		if err != nil {
			return "", err
		}
		if len(newest.Prompts) > 0 {
			return newest.Prompts[0].ID, nil
		}
	}
	return "", &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no prompt %q is on record, and none went to a session or pane of "+
			"that name", word),
		Hint: "See 'cupola history'.", Actions: []string{"cupola history"},
	}
}

// acked says how far a prompt came at each of its panes. It fails where it did not
// arrive.
func acked(ctx context.Context, deps verb.OnRecords, prompt *core.Prompt) (ackOut, error) {
	out := ackOut{ID: prompt.ID, At: prompt.At, Text: prompt.Text, Acked: len(prompt.Deliveries) > 0}
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return out, err
	}
	failed := false
	for i := range prompt.Deliveries {
		d := &prompt.Deliveries[i]
		row := ackRow{PaneRow: verb.PaneRow{PaneRef: d.PaneRef}, Result: d.Result}
		if pane := snap.Pane(d.Pane); pane != nil && prompt.Server == deps.Server {
			row.PaneRow = verb.RowOf(pane)
		}
		failed = failed || d.Outcome.Failed()
		row.Acked = d.Outcome != core.Open && !d.Outcome.Failed()
		out.Acked = out.Acked && row.Acked
		out.Panes = append(out.Panes, row)
	}
	if failed {
		return out, &core.Error{
			Code: core.DeliveryFailed, Message: "the prompt did not arrive at every pane", Details: out,
		}
	}
	return out, nil
}

// Next suggests what comes after a prompt that was taken up.
func (o ackOut) Next() []registry.Action {
	var agents []core.PaneRef
	for i := range o.Panes {
		if row := &o.Panes[i]; row.State != "" && row.Kind.IsAgent() {
			agents = append(agents, row.PaneRef)
		}
	}
	at := verb.Places(agents)
	return append(
		verb.Suggest(at, "wait", "Wait until the work is done"),
		verb.Suggest(at, "reply", "Read the last message")...)
}

// Report shows how far the prompt came, also with a failure.
func (o ackOut) Report() *report.Report { return report.TableOf(o.Panes, time.Time{}, "").Report() }

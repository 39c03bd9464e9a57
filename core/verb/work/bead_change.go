package work

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// beadChanged is the answer of verbs that change an item.
type beadChanged struct {
	Project string `json:"project"`
	// Tool is the program that changed it.
	Tool string `json:"tool"`
	// Item is as the tool gave it back.
	Item changedRow `json:"item"`
	// Unblocked are the ids of the items that became ready by it.
	Unblocked []string `json:"unblocked"`

	// did says for people what was done to it.
	did  string
	next []registry.Action
}

// changedRow is an item after a change. What does not apply is absent.
type changedRow struct {
	bead.Brief
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

func changed(w *work, item *bead.Item, did string) beadChanged {
	return beadChanged{
		Project: w.place.Root, Tool: w.tool.Name, Item: changedRow{Brief: item.Brief, UpdatedAt: item.Updated},
		did: did,
	}
}

// workToChange is workOf for verbs that need the tool. It fails without one.
func workToChange(ctx context.Context, env *verb.Env, in verb.InProject) (*work, error) {
	if _, err := env.BeadTool(); err != nil {
		return nil, err
	}
	return workOf(ctx, env, in)
}

// Next suggests what was made possible.
func (o beadChanged) Next() []registry.Action { return o.next }

// Report says what was done, and what is ready now.
func (o beadChanged) Report() *report.Report {
	r := report.Say(report.Toned(report.Good, o.did+" "), report.Toned(report.Strong, o.Item.ID),
		report.Text("  "+o.Item.Title))
	r.Next = core.Map(o.Unblocked, func(id string) report.Tip { return verb.Tip("it is ready now", "bead-claim", id) })
	return r
}

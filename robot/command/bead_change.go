package command

import (
	"context"
	"time"

	"cupola/core/bead"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
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
}

// changedRow is an item after a change. What does not apply is absent.
type changedRow struct {
	bead.Brief
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

func changed(w *work, item *bead.Item) beadChanged {
	return beadChanged{
		Project: w.place.Root, Tool: w.tool.Name, Item: changedRow{Brief: item.Brief, UpdatedAt: item.Updated},
	}
}

// workToChange is workOf for verbs that need the tool. It fails without one.
func workToChange(ctx context.Context, deps *registry.Deps, in inProject) (*work, error) {
	if _, err := deps.BeadTool(); err != nil {
		return nil, err
	}
	return workOf(ctx, deps, in)
}

func changedReport(did string, out beadChanged) *report.Report {
	r := report.Say(report.Toned(report.Good, did+" "), report.Toned(report.Strong, out.Item.ID),
		report.Text("  "+out.Item.Title))
	for _, id := range out.Unblocked {
		r.Next = append(r.Next, report.Tip{Command: shell.Line("cupola", "bead-claim", id), Does: "it is ready now"})
	}
	return r
}

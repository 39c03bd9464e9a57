package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"
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

type beadClaimIn struct {
	ID       string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Assignee string `help:"Who claims it (default: you, as bd knows you)"`
	verb.InProject
}

var beadClaim = registry.Define(registry.Spec[*verb.Env, beadClaimIn, beadChanged]{
	Name: "bead-claim", Group: verb.GroupWork, Short: "Claim a work item",
	Long: "Uses bd or br to set the assignee and mark the item as in progress. An item that is assigned to " +
		"another assignee, closed or blocked is refused.",
	Scope: registry.Resource, Effect: registry.Writes, Examples: []string{"bd-1 --assignee=cc_1"},
	Errors: changingBeads, Run: runBeadClaim,
})

func runBeadClaim(ctx context.Context, env *verb.Env, in beadClaimIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
	if err != nil {
		return beadChanged{}, err
	}
	if err := w.claimable(in.ID); err != nil {
		return beadChanged{}, err
	}
	item, err := w.tool.Claim(ctx, w.place, in.ID, in.Assignee)
	if err != nil {
		return beadChanged{}, err
	}
	return changed(w, item, cmp.Or(item.Assignee, "you")+" took"), nil
}

// claimable says why an item cannot be taken; nil if it can.
func (w *work) claimable(id string) error {
	item, err := w.set.Find(id)
	if err != nil {
		return err
	}
	blockers := w.graph.Blockers(id)
	e := &core.Error{Code: core.Conflict, Actions: []string{"cupola bead-list --ready"}}
	switch {
	case item.Done():
		e.Message, e.Hint = id+" is closed", "Choose one that is ready."
	case len(blockers) > 0:
		e.Message, e.Hint = fmt.Sprintf("%s waits for %s", id, strings.Join(blockers, ", ")),
			"Do that first, or remove the dependency with 'bd dep remove'."
		e.Details = map[string]any{"blocked_by": blockers}
	default:
		return nil
	}
	return e
}

type beadCloseIn struct {
	ID     string `arg:"1" required:"true" lister:"bead-list" help:"The work item's id"`
	Reason string `empty:"none" help:"What was done"`
	verb.InProject
}

var beadClose = registry.Define(registry.Spec[*verb.Env, beadCloseIn, beadChanged]{
	Name: "bead-close", Group: verb.GroupWork, Short: "Close a work item",
	Long:  "Uses bd or br. The answer lists the items that this makes ready.",
	Scope: registry.Resource, Effect: registry.Writes, Examples: []string{"bd-1 --reason=done"},
	Errors: changingBeads, Run: runBeadClose,
})

func runBeadClose(ctx context.Context, env *verb.Env, in beadCloseIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
	if err != nil {
		return beadChanged{}, err
	}
	if _, err := w.set.Find(in.ID); err != nil {
		return beadChanged{}, err
	}
	freed := w.graph.FreedBy(in.ID)
	item, err := w.tool.Close(ctx, w.place, in.ID, in.Reason)
	if err != nil {
		return beadChanged{}, err
	}
	out := changed(w, item, "Closed")
	out.Unblocked = append(out.Unblocked, freed...)
	return out, nil
}

type beadCreateIn struct {
	Title       string   `required:"true" help:"What has to be done, in one line"`
	Description string   `empty:"none" help:"Background and details; - reads them from standard input"`
	Type        string   `help:"Type: task, bug, feature, epic, chore, or one of your own (default: task)"`
	Priority    string   `enum:"0,1,2,3,4,P0,P1,P2,P3,P4" help:"Priority; 0 is the most urgent (default: 2)"`
	Assignee    string   `help:"Who should do it"`
	Labels      []string `help:"Labels, separated by commas"`
	DependsOn   []string `help:"Ids of items that must be done first"`
	Parent      string   `help:"Id of the item it is part of"`
	verb.InProject
}

var beadCreate = registry.Define(registry.Spec[*verb.Env, beadCreateIn, beadChanged]{
	Name: "bead-create", Group: verb.GroupWork, Short: "Create a work item",
	Long:  "Uses bd or br, which assign the id.",
	Scope: registry.Global, Effect: registry.Writes,
	Examples: []string{"--title='Check the input' --type=bug --priority=1 --depends-on=bd-1"},
	Errors:   append([]core.Code{core.InvalidInput}, changingBeads...), Run: runBeadCreate,
})

// Check sees that the title is one.
func (in beadCreateIn) Check() error {
	if strings.TrimSpace(in.Title) == "" || strings.ContainsAny(in.Title, "\n\r") {
		return core.Errorf(core.InvalidInput, "--title: it must be one line of text")
	}
	return nil
}

func runBeadCreate(ctx context.Context, env *verb.Env, in beadCreateIn) (beadChanged, error) {
	w, err := workToChange(ctx, env, in.InProject)
	if err != nil {
		return beadChanged{}, err
	}
	for _, id := range append(append([]string{}, in.DependsOn...), in.Parent) {
		if _, err := w.set.Find(id); id != "" && err != nil {
			return beadChanged{}, err
		}
	}
	description := in.Description
	if description == "-" {
		if description, err = env.Stdin(); err != nil {
			return beadChanged{}, err
		}
	}
	item, err := w.tool.Create(ctx, w.place, &bead.Draft{
		Title: in.Title, Description: description, Type: in.Type, Priority: strings.TrimPrefix(in.Priority, "P"),
		Assignee: in.Assignee, Labels: in.Labels, DependsOn: in.DependsOn, Parent: in.Parent,
	})
	if err != nil {
		return beadChanged{}, err
	}
	out := changed(w, item, "Created")
	out.next = []registry.Action{verb.NextAction("claim", "Take it", "bead-claim", item.ID)}
	return out, nil
}

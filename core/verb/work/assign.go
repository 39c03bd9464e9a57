package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/system/plainfile"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type assignIn struct {
	registry.InSession
	Bead     string              `help:"The work item's id (default: the first that triage recommends)"`
	Each     bool                `help:"Give one to every idle agent, not to one"`
	Order    string              `default:"impact" enum:"impact,ready,stale,balanced" help:"With --each: which items come first: those that block most, the most urgent, the longest untouched, or each of these in turn, to the agents that have gone longest without a prompt"`
	Strategy string              `default:"least-loaded" enum:"least-loaded,first-available,round-robin,sticky,random" help:"How to choose the agent (see 'cupola route --help')"`
	Template registry.TextOrFile `help:"Prompt template: a file or a text, with fields such as {id} {title} {description} {acceptance} {labels}"`
	Skip     []string            `names:"panes" help:"Leave out these panes: ordinals, %IDs or agent names"`
	assignTo
}

type assignOut struct {
	origin
	DryRun   bool   `json:"dry_run"`
	Strategy string `json:"strategy"`
	// Assignments has one row per work item that was given to an agent, or was to be.
	Assignments []assignment `json:"assignments"`
	Assigned    int          `json:"assigned"`
	Failed      int          `json:"failed"`
	// Idle counts agents that could have taken another, Left items that were ready and
	// were not assigned.
	Idle int `json:"idle"`
	Left int `json:"left"`
}

var assign = registry.Define(registry.Spec[verb.OnFleet, assignIn, assignOut]{
	Name: "assign", Group: verb.GroupWork, Short: "Give work items to idle agents",
	Long: "Chooses an idle agent, claims the item for it through bd or br, and sends it the prompt. If the prompt is " +
		"not delivered, the claim is undone. Without bd and br, the prompt is sent but nothing is claimed, and a " +
		"warning says so. The assignee is the pane's address. The answer reports on every item; so do the details " +
		"of a failure.",
	Scope: registry.Session, Effect: registry.Writes, List: "assignments",
	Examples: []string{
		"api --bead=bd-1 --dry-run", "api --each --dry-run", "api --bead=bd-1 --template='echo {id}'",
	},
	Errors: assigning, Run: runAssign,
})

// Check sees that no item is named for every agent.
func (in assignIn) Check() error {
	if in.Each && in.Bead != "" {
		return registry.Conflict("--each", "--bead")
	}
	return nil
}

// assigning are the codes that assign and bulk-assign may fail with.
var assigning = append(append([]core.Code{
	core.NotReady, core.DeliveryFailed, core.StoreError, core.StoreLocked,
	core.MigrationFailed,
}, changingBeads...),
	core.EngineUnavailable, core.PaneNotFound, core.AgentNotFound, core.Ambiguous)

func runAssign(ctx context.Context, deps verb.OnFleet, in assignIn) (assignOut, error) {
	if in.Each {
		return giveEach(ctx, deps, in.Session, in.Order, string(in.Template), in.Skip, in.assignTo)
	}
	w, g, err := in.begin(ctx, deps, in.Session, in.Strategy, string(in.Template), in.Skip)
	if err != nil {
		return assignOut{}, err
	}
	item, err := w.toAssign(in.Bead)
	if err != nil {
		return assignOut{}, err
	}
	g.items = []*bead.Item{item}
	return w.give(ctx, deps, g)
}

// giveEach gives each idle agent of a session one item.
func giveEach(ctx context.Context, deps verb.OnFleet, session, order, template string, skip []string, to assignTo) (
	assignOut, error,
) {
	w, g, err := to.begin(ctx, deps, session, order, template, skip)
	if err != nil {
		return assignOut{}, err
	}
	g.items = w.unassigned(order)
	if len(g.items) == 0 {
		return assignOut{}, nothingReady()
	}
	return w.give(ctx, deps, g)
}

// toAssign is the item to assign: the one named, which must not wait for
// anything, or the best one.
func (w *work) toAssign(id string) (*bead.Item, error) {
	if id == "" {
		ready := w.unassigned("impact")
		if len(ready) == 0 {
			return nil, nothingReady()
		}
		return ready[0], nil
	}
	if err := w.claimable(id); err != nil {
		return nil, err
	}
	item, err := w.set.Find(id)
	if err == nil && item.Assignee != "" {
		return nil, &core.Error{
			Code: core.Conflict, Message: fmt.Sprintf("%s is %s's", id, item.Assignee),
			Hint:    "Choose another, or take it from them with 'bd update --assignee='.",
			Actions: []string{"cupola bead-list --ready"},
		}
	}
	return item, err
}

func nothingReady() error {
	return &core.Error{
		Code: core.NotReady, Message: "no work item is both ready and unassigned", Hint: "See what is in the way.",
		Actions: []string{"cupola triage", "cupola plan"},
	}
}

// usualPrompt is the default prompt for an item.
const usualPrompt = `Work on {id}: {title}

{description}

{acceptance}

When it is done, run: cupola bead-close {id} --reason="what was done"`

// promptOf is the template: a file's, or the text itself.
func promptOf(given string) (string, error) {
	template := given
	switch text, err := plainfile.Read(given, plainfile.Text); {
	case given == "":
		template = usualPrompt
	case err == nil:
		template = string(text)
	// This can only be a path, not a prompt.
	case !strings.ContainsAny(given, " \n{") && errors.Is(err, fs.ErrNotExist):
		return "", &core.Error{
			Code: core.InvalidInput, Message: "--template: there is no file " + given,
			Hint: "Name a file, or give a text with {id} or {title} in it.", Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return "", core.Errorf(core.IOError, "--template: %w", err)
	}
	if strings.TrimSpace(template) == "" {
		return "", core.Errorf(core.InvalidInput, "--template: %s is empty", given)
	}
	if err := bead.CheckPrompt(template); err != nil {
		e := core.AsError(err)
		e.Message = "--template: " + e.Message
		return "", e
	}
	return template, nil
}

func (o assignOut) Next() []registry.Action {
	var took []core.PaneRef
	for i := range o.Assignments {
		if row := &o.Assignments[i]; !o.DryRun && row.Prompted {
			took = append(took, row.pane())
		}
	}
	return verb.Suggest(verb.Places(took), "wait", "Wait until it is done")
}

// Report shows the outcome of each item, also with a failure.
func (o assignOut) Report() *report.Report {
	r := report.TableOf(o.Assignments, time.Time{}, "nothing was assigned").Report()
	if rest := []string{verb.Plural(o.Idle, "idle agent"), verb.Plural(o.Left, "ready item")}; o.Idle > 0 ||
		o.Left > 0 {
		r.AddLine(report.Toned(report.Dim, strings.Join(rest, " and ")+" left"))
	}
	return r
}

type bulkAssignIn struct {
	registry.InSession
	Strategy string              `default:"impact" enum:"impact,ready,stale,balanced" alias:"!bulk-strategy" help:"Which items come first: those that block most, the most urgent, the longest untouched, or each of these in turn"`
	Template registry.TextOrFile `alias:"!prompt-template" help:"Prompt template: a file or a text, with fields such as {id} {title} {description} {acceptance} {labels}"`
	Skip     []string            `alias:"!skip-panes" names:"panes" help:"Leave out these panes: ordinals, %IDs or agent names"`
	assignTo
}

var bulkAssign = registry.Define(registry.Spec[verb.OnFleet, bulkAssignIn, assignOut]{
	Name: "bulk-assign", Of: "assign --each", Group: verb.GroupWork, Short: "Give a work item to every idle agent",
	Long: "Each idle agent gets one ready, unassigned item, as 'assign' would give it. The strategy balanced also " +
		"starts with the agents " +
		"that have gone longest without a prompt. The answer reports on every item; so do the details of a failure.",
	Scope: registry.Session, Effect: registry.Writes, List: "assignments",
	Examples: []string{"api --dry-run", "api --strategy=balanced --template='echo {id}'"},
	Errors:   assigning, Run: runBulkAssign,
})

func runBulkAssign(ctx context.Context, deps verb.OnFleet, in bulkAssignIn) (assignOut, error) {
	return giveEach(ctx, deps, in.Session, in.Strategy, string(in.Template), in.Skip, in.assignTo)
}

package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
)

// originAssign is where prompts of these verbs come from, in the journal.
const originAssign = "assign"

// assignment is a work item and the agent that it was given to.
type assignment struct {
	_     struct{} `minimal:"id,address,outcome" standard:"id,title,address,agent,claimed,outcome,why"`
	_     struct{} `table:"ID,TO,AGENT,CLAIMED,OUTCOME,TITLE"`
	ID    string   `json:"id" table:"ID,strong"`
	Title string   `json:"title" table:"TITLE,flex"`
	// Address is the agent's, and the item's assignee.
	Address string    `json:"address,omitempty" names:"session" table:"TO"`
	Agent   string    `json:"agent,omitempty" table:"AGENT"`
	Kind    core.Kind `json:"kind,omitempty"`
	// Claimed is true if the item is now the agent's.
	Claimed bool `json:"claimed" table:"CLAIMED,word,empty=no"`
	// Prompted is true if the agent has the prompt; Outcome is the outcome of the delivery, unclaimed where the item
	// could not be claimed and nothing was sent.
	Prompted bool         `json:"prompted"`
	Outcome  core.Outcome `json:"outcome,omitempty" table:"OUTCOME,word,with=Why"`
	Why      string       `json:"why,omitempty"`
	// SendID names the prompt in the history; absent where none was sent.
	SendID string `json:"send_id,omitempty"`
	Prompt string `json:"prompt,omitempty"`
}

// pane is the agent's, as far as its address says.
func (a *assignment) pane() core.PaneRef {
	session, number, _ := strings.Cut(a.Address, ".")
	ordinal, _ := strconv.Atoi(number)
	return core.PaneRef{Session: session, Ordinal: ordinal}
}

// assignTo says which agents may be given something, and how.
type assignTo struct {
	Type []string          `help:"Only agents of these kinds (claude or cc, codex or cod, ...)"`
	Dir  registry.ReadPath `help:"Folder of the project (default: the session's folder)"`
	registry.OverBudget
	registry.Preview
}

// begin reads the project's items, and makes the giving of none of them to the
// agents of a session that are meant.
func (to assignTo) begin(
	ctx context.Context,
	deps verb.OnFleet,
	session, strategy, prompt string,
	skip []string,
) (*work,
	*giving, error,
) {
	template, err := promptOf(prompt)
	if err != nil {
		return nil, nil, err
	}
	agents, dir, err := to.recipients(ctx, deps, session, strategy, skip)
	if err != nil {
		return nil, nil, err
	}
	w, err := workOf(ctx, deps.Env, verb.InProject{Dir: cmp.Or(to.Dir, registry.ReadPath(dir))})
	return w, &giving{
		template: template, strategy: strategy, dryRun: to.DryRun, overBudget: to.OverrideBudget,
		agents: agents,
	}, err
}

// recipients are the agents that have nothing to do, the one to take first first,
// and the folder in which the session works.
func (to assignTo) recipients(ctx context.Context, deps verb.OnFleet, session, strategy string, skip []string) (
	[]agents.Candidate, string, error,
) {
	target := deps.Acting(ctx, verb.TargetOf(session, registry.OfPanes{Type: to.Type}, false, skip), true).ForPrompts()
	snap, panes, err := deps.Fleet.Overview.Chosen(ctx, target, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, "", err
	}
	found := core.Map(panes, func(pane *core.Pane) agents.Candidate { return agents.CandidateOf(pane, snap) })
	if strategy == "round-robin" || strategy == "sticky" || strategy == "balanced" {
		if err := agents.Prompted(ctx, deps, session, found); err != nil {
			return nil, "", err
		}
	}
	if strategy == "balanced" {
		strategy = "round-robin"
	}
	agents.Order(found, strategy)
	idle := slices.DeleteFunc(found, func(c agents.Candidate) bool { return agents.Tier(c.Score) < 2 })
	if len(idle) == 0 {
		return nil, "", &core.Error{
			Code: core.NotReady, Message: "no agent of " + session + " is idle",
			Hint:    "Wait until one is, or add one.",
			Actions: []string{shell.Line("cupola", "wait", session, "--any"), "cupola attention"},
		}
	}
	return idle, verb.FolderOf(panes), nil
}

// unassigned are the items that could be given to an agent, in the order of a
// strategy. What has open parts is no work of its own.
func (w *work) unassigned(strategy string) []*bead.Item {
	unclaimedOf := func(items []*bead.Item) []*bead.Item {
		return slices.DeleteFunc(items,
			func(item *bead.Item) bool { return item.Assignee != "" || w.graph.HasOpenParts(item.ID) })
	}
	ready := unclaimedOf(w.graph.Ready())
	byImpact, byAge := unclaimedOf(w.recommended()), slices.Clone(ready)
	slices.SortStableFunc(byImpact,
		func(a, b *bead.Item) int { return w.graph.Gain(b.ID).All - w.graph.Gain(a.ID).All })
	slices.SortStableFunc(byAge, func(a, b *bead.Item) int { return a.Updated.Compare(b.Updated) })
	switch strategy {
	case "impact":
		return byImpact
	case "stale":
		return byAge
	case "balanced":
		return inTurn(byImpact, ready, byAge)
	}
	return ready
}

// inTurn takes one of each list after the other, each item once.
func inTurn(lists ...[]*bead.Item) []*bead.Item {
	mixed, seen := []*bead.Item{}, map[string]bool{}
	for i := range lists[0] {
		for _, list := range lists {
			if item := list[i]; !seen[item.ID] {
				seen[item.ID] = true
				mixed = append(mixed, item)
			}
		}
	}
	return mixed
}

// giving pairs items with agents: the first item with the first agent, and so on.
type giving struct {
	template, strategy string
	dryRun, overBudget bool
	items              []*bead.Item
	agents             []agents.Candidate
}

// give claims each item, sends its prompt, and takes the claim back where the
// prompt was not delivered. Claims are made one after the other, for tools lock
// their files; agents are sent their prompts side by side.
func (w *work) give(ctx context.Context, deps verb.OnFleet, g *giving) (assignOut, error) {
	if w.tool == nil && !g.dryRun {
		deps.Env.Warn("neither bd nor br is installed, so that nothing is claimed")
	}
	n := min(len(g.items), len(g.agents))
	out := assignOut{
		origin: w.origin, DryRun: g.dryRun, Strategy: g.strategy, Assignments: make([]assignment, n),
		Idle: len(g.agents) - n, Left: len(g.items) - n,
	}
	for i := range out.Assignments {
		out.Assignments[i] = w.assignment(g.items[i], &g.agents[i], g.template)
		w.prepare(ctx, deps.Fleet, &out.Assignments[i], g)
	}
	if !g.dryRun {
		w.deliver(ctx, deps.Fleet, out.Assignments, g.overBudget)
	}
	err := out.count()
	return out, err
}

func (w *work) assignment(item *bead.Item, to *agents.Candidate, template string) assignment {
	row := assignment{ID: item.ID, Title: item.Title, Address: to.Address(), Agent: to.Agent, Kind: to.Kind}
	row.Prompt = item.Prompt(template, bead.Recipient{Agent: to.Agent, Session: to.Session, Project: w.place.Root})
	return row
}

// prepare makes sure that the agent would take the prompt, and claims the item.
func (w *work) prepare(ctx context.Context, f *fleet.Fleet, row *assignment, g *giving) {
	sent, err := f.Sender.Send(ctx,
		deliver.Request{
			Target: resolve.Target{Session: row.Address}, Text: row.Prompt, DryRun: true, OverrideBudget: g.overBudget,
		})
	row.take(&sent, err)
	if err != nil || g.dryRun || w.tool == nil {
		return
	}
	if _, err := w.tool.Claim(ctx, w.place, row.ID, row.Address); err != nil {
		row.Outcome, row.Why = unclaimed, err.Error()
		return
	}
	row.Claimed = true
}

// unclaimed is the outcome where an item could not be claimed and nothing was sent.
const unclaimed core.Outcome = "unclaimed"

// take notes the outcome of a prompt; err says why there was no delivery.
func (a *assignment) take(sent *deliver.Sent, err error) {
	if len(sent.Deliveries) == 0 {
		a.Outcome, a.Prompted = core.Refused, false
		if err != nil {
			a.Why = err.Error()
		}
		return
	}
	d := &sent.Deliveries[0]
	a.Outcome, a.Why = d.Outcome, ""
	a.Prompted = !d.Outcome.Failed() && d.Outcome != core.Planned
	if d.Outcome.Failed() {
		a.Why = d.Saw()
	}
}

// deliver sends the prompts that prepare found could be sent.
func (w *work) deliver(ctx context.Context, f *fleet.Fleet, rows []assignment, overBudget bool) {
	var all sync.WaitGroup
	for i := range rows {
		row := &rows[i]
		if row.Outcome != core.Planned {
			continue
		}
		all.Go(func() {
			sent, err := f.Sender.Send(ctx,
				deliver.Request{
					Target: resolve.Target{Session: row.Address}, Text: row.Prompt, Origin: originAssign,
					OverrideBudget: overBudget,
				})
			row.take(&sent, err)
			row.SendID = sent.ID
		})
	}
	all.Wait()
	// A started act is finished, also where the caller has left.
	ending := context.WithoutCancel(ctx)
	for i := range rows {
		row := &rows[i]
		if !row.Claimed || row.Prompted {
			continue
		}
		if err := w.tool.Release(ending, w.place, row.ID); err != nil {
			row.Why += "; it is still claimed: " + err.Error()
			continue
		}
		row.Claimed = false
	}
}

// count counts the rows, and is the failure of those that failed.
func (o *assignOut) count() error {
	for i := range o.Assignments {
		row := &o.Assignments[i]
		switch {
		case row.Prompted, o.DryRun && row.Outcome == core.Planned:
			o.Assigned++
		default:
			o.Failed++
		}
	}
	if o.Failed == 0 {
		return nil
	}
	items := verb.Plural(len(o.Assignments), "item")
	e := &core.Error{
		Code:    core.DeliveryFailed,
		Message: fmt.Sprintf("%d of %s could not be given to an agent", o.Failed, items),
		Details: *o, Actions: []string{"cupola bead-list --ready", "cupola status"},
	}
	if len(o.Assignments) == 1 {
		row := &o.Assignments[0]
		e.Message = fmt.Sprintf("%s could not be given to %s: %s", row.ID, row.Address, row.Why)
		if row.Outcome == unclaimed {
			e.Code = core.Conflict
		}
	}
	return e
}

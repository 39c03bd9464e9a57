package work

import (
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

type planIn struct {
	Links bool `help:"Also which items wait for which, and which wait for each other in a circle"`
	verb.InProject
	registry.Page `default:"limit=100"`
}

type planOut struct {
	origin
	verb.Paged
	Summary planSummary `json:"summary"`
	// Items has one row per item that is not done, in an order in which they can
	// be done; those that wait for each other in a circle come last.
	Items []planRow `json:"items"`
	// Graph is which items wait for which, with --links.
	Graph *graphOut `json:"graph,omitempty"`
}

// planSummary counts work items.
type planSummary struct {
	Open       int `json:"open"`
	Ready      int `json:"ready"`
	InProgress int `json:"in_progress"`
	Blocked    int `json:"blocked"`
	// Steps is how many items the longest chain has, Tracks how many groups of items
	// have nothing to do with each other.
	Steps  int `json:"steps"`
	Tracks int `json:"tracks"`
	// InCircles counts items that can never be started as things are.
	InCircles int `json:"in_circles"`
}

// planRow is the position of an item in the plan.
type planRow struct {
	_ struct{} `minimal:"step_number,track,id,title" standard:"step_number,track,id,title,priority,ready,blocked_by"`
	_ struct{} `table:"STEP,TRACK,ID,PRIORITY,STATE,UNBLOCKS,TITLE"`
	// Step is 1 for what waits for nothing, and one more than the last step of what
	// an item waits for; 0 in a circle.
	Step int `json:"step_number" table:"STEP"`
	// Track counts from 1; items of different tracks never wait for each other.
	Track int `json:"track" table:"TRACK,dim"`
	bead.Brief
	Ready     bool     `json:"ready"`
	BlockedBy []string `json:"blocked_by"`
	Unblocks  int      `json:"unblocks" table:"UNBLOCKS"`
}

var plan = registry.Define(registry.Spec[*verb.Env, planIn, planOut]{
	Name: "plan", Group: verb.GroupWork, Short: "Order the work items",
	Long: "--links adds which items wait for which. " +
		"Items of one step can be done in parallel; items of different tracks never wait for each other. " +
		"Computed from the items themselves.",
	Scope: registry.Global, Effect: registry.Reads, List: "items",
	Examples: []string{"", "--limit=5", "--links --limit=2"},
	Errors:   readingBeads, Run: runPlan,
}).SeeAlso("triage", "bead-list")

func runPlan(ctx context.Context, env *verb.Env, in planIn) (planOut, error) {
	w, err := workOf(ctx, env, in.InProject)
	if err != nil {
		return planOut{}, err
	}
	tracks, count := w.graph.Tracks()
	out := planOut{origin: w.origin, Summary: w.summary()}
	out.Summary.Tracks = count
	rows := core.Map(w.graph.Plan(), func(item *bead.Item) planRow {
		return planRow{
			Step: w.graph.Depth(item.ID), Track: tracks[item.ID], Brief: item.Brief, Ready: w.graph.IsReady(item.ID),
			BlockedBy: w.graph.Blockers(item.ID), Unblocks: w.graph.Gain(item.ID).All,
		}
	})
	out.Items, out.Paged = verb.Cut(rows, in.Page)
	if in.Links {
		graph := w.graphOf(graphFilter{}, in.Page)
		out.Graph = &graph
	}
	return out, nil
}

// summary counts what people work on; Tracks is left to the caller.
func (w *work) summary() planSummary {
	var s planSummary
	for _, item := range w.graph.Open() {
		if !item.Work() {
			continue
		}
		s.Open++
		depth := w.graph.Depth(item.ID)
		s.Steps = max(s.Steps, depth)
		switch {
		case depth == 0:
			s.InCircles++
			s.Blocked++
		case w.graph.IsReady(item.ID):
			s.Ready++
		case len(w.graph.Blockers(item.ID)) > 0:
			s.Blocked++
		}
		if item.Status == bead.InProgress {
			s.InProgress++
		}
	}
	return s
}

func (o planOut) Report() *report.Report {
	s := o.Summary
	words := fmt.Sprintf("%s to do, %d ready, %d in progress, %d blocked; %s at least, %s", verb.Plural(s.Open, "item"),
		s.Ready, s.InProgress, s.Blocked, verb.Plural(s.Steps, "step"), verb.Plural(s.Tracks, "track"))
	r := report.TableOf(o.Items, time.Time{}, "nothing is left to do").Report()
	r.AddLine(report.Toned(report.Dim, words))
	if o.Graph != nil {
		r.Blocks = append(r.Blocks, o.Graph.Report().Blocks...)
	}
	return r
}

// Cell says whether an item can be taken.
func (r *planRow) Cell(title string) (report.Cell, bool) {
	switch {
	case title != "STATE":
		return report.Cell{}, false
	case r.Step == 0:
		return report.Toned(report.Bad, "waits in a circle"), true
	}
	return beadState(r.Status, r.Ready, r.BlockedBy), true
}

// graphFilter chooses work items.
type graphFilter struct {
	All bool `json:"all,omitempty" help:"Include closed items"`
}

type graphIn struct {
	graphFilter
	verb.InProject
	registry.Page `default:"limit=100"`
}

type graphOut struct {
	Filters graphFilter `json:"filters,omitzero"`
	origin
	verb.Paged
	// Nodes has one row per work item: the most urgent first, then the oldest.
	Nodes []graphNode `json:"nodes"`
	// Edges are the links between the nodes shown.
	Edges []graphEdge `json:"edges"`
	// CriticalPath is the longest chain of open items, what can be done first first.
	CriticalPath []string `json:"critical_path"`
	// Cycles are items that wait for each other in a circle, each circle once.
	Cycles [][]string `json:"cycles"`
	// Missing are ids that links lead to and that no item has.
	Missing []string `json:"missing"`
}

// graphNode is a work item.
type graphNode struct {
	_        struct{}    `minimal:"id,title,depth" standard:"id,title,status,priority,ready,depth,unblocks"`
	_        struct{}    `table:"ID,DEPTH,UNBLOCKS,STATE,WAITS FOR,TITLE"`
	ID       string      `json:"id" table:"ID,strong"`
	Title    string      `json:"title" table:"TITLE,flex"`
	Status   bead.Status `json:"status" table:"STATE"`
	Priority int         `json:"priority"`
	Type     string      `json:"type"`
	Ready    bool        `json:"ready"`
	// Depth counts the open items of the longest chain that ends here; 0 for items
	// that are done or in a circle.
	Depth int `json:"depth" table:"DEPTH"`
	// Unblocks counts the open items that wait for this one, directly or not.
	Unblocks int `json:"unblocks" table:"UNBLOCKS"`
	// WaitsFor are the items among these that hold it up.
	WaitsFor []string `json:"-" table:"WAITS FOR,warn"`
}

// graphEdge is a link: From has it, To is where it leads.
type graphEdge struct {
	_    struct{}  `minimal:"from,to,kind"`
	From string    `json:"from"`
	To   string    `json:"to"`
	Kind bead.Kind `json:"kind"`
	// Blocking is true if From has to wait for To now.
	Blocking bool `json:"blocking"`
}

var graph = registry.Define(registry.Spec[*verb.Env, graphIn, graphOut]{
	Name: "graph", Of: "plan --links", Group: verb.GroupWork, Short: "Show which work items wait for which",
	Long: "Only the links blocks, conditional-blocks and waits-for count. A part of an item waits for everything its " +
		"parent waits for. Computed from the items themselves.",
	Scope: registry.Global, Effect: registry.Reads, List: "nodes",
	Examples: []string{"", "--all"},
	Errors:   readingBeads, Run: runGraph,
}).SeeAlso("plan", "triage")

func runGraph(ctx context.Context, env *verb.Env, in graphIn) (graphOut, error) {
	w, err := workOf(ctx, env, in.InProject)
	if err != nil {
		return graphOut{}, err
	}
	return w.graphOf(in.graphFilter, in.Page), nil
}

// graphOf shows which items wait for which.
func (w *work) graphOf(filter graphFilter, page registry.Page) graphOut {
	items := w.graph.Open()
	if filter.All {
		items = w.graph.All()
	}
	out := graphOut{
		Filters: filter, origin: w.origin, Cycles: w.graph.Cycles(), Missing: w.graph.Missing(),
	}
	shown, paged := verb.Cut(items, page)
	out.Paged = paged
	there := map[string]bool{}
	for _, item := range shown {
		there[item.ID] = true
		out.Nodes = append(out.Nodes, graphNode{
			ID: item.ID, Title: item.Title, Status: item.Status, Priority: item.Priority, Type: item.Type,
			Ready: w.graph.IsReady(item.ID), Depth: w.graph.Depth(item.ID), Unblocks: w.graph.Gain(item.ID).All,
		})
	}
	for i, item := range shown {
		for _, link := range item.Links {
			if there[link.To] {
				blocking := link.Kind.Blocks() && !item.Done() && !w.graph.Item(link.To).Done()
				out.Edges = append(out.Edges,
					graphEdge{From: item.ID, To: link.To, Kind: link.Kind, Blocking: blocking})
				if blocking {
					out.Nodes[i].WaitsFor = append(out.Nodes[i].WaitsFor, link.To)
				}
			}
		}
	}
	out.CriticalPath = append(out.CriticalPath, idsOf(w.path)...)
	return out
}

func idsOf(items []*bead.Item) []string {
	return core.Map(items, func(item *bead.Item) string { return item.ID })
}

func (o graphOut) Report() *report.Report {
	r := report.TableOf(o.Nodes, time.Time{}, "no work item").Report()
	if len(o.CriticalPath) > 1 {
		r.Add(report.Block{
			Heading: "Longest chain",
			Lines:   []report.Line{{report.Text(strings.Join(o.CriticalPath, " -> "))}},
		})
	}
	r.Add(circles(o.Cycles))
	if len(o.Missing) > 0 {
		r.AddLine(report.Toned(report.Warn,
			"links lead to items that do not exist: "+strings.Join(o.Missing, ", ")))
	}
	return r
}

// Cell says whether an item can be taken.
func (n *graphNode) Cell(title string) (report.Cell, bool) {
	if title != "STATE" {
		return report.Cell{}, false
	}
	return beadState(n.Status, n.Ready, nil), true
}

package work

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

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

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core/bead"
	"cupola/core/report"
	"cupola/robot/registry"
)

type beadListIn struct {
	Status   []string `help:"Only these statuses, separated by commas, or all (default: all but closed)"`
	Priority []string `enum:"0,1,2,3,4,P0,P1,P2,P3,P4" help:"Only these priorities; 0 is the most urgent"`
	Assignee string   `help:"Only items assigned to this person; - is unassigned"`
	Type     []string `help:"Only these types (task, bug, feature, epic, chore, ...)"`
	Label    []string `help:"Only items with all these labels"`
	Query    string   `help:"Only items whose text contains this"`
	Ready    bool     `help:"Only items that can be started now"`
	Blocked  bool     `help:"Only items that are blocked"`
	inProject
	registry.Page
}

type beadListOut struct {
	origin
	paged
	Filters beadFilters `json:"filters,omitzero"`
	// Items has a row a work item: the most urgent first, then the oldest.
	Items []beadRow `json:"items"`
}

// beadFilters echoes what was asked for.
type beadFilters struct {
	Status   []string `json:"status,omitempty"`
	Priority []string `json:"priority,omitempty"`
	Assignee string   `json:"assignee,omitempty"`
	Type     []string `json:"type,omitempty"`
	Label    []string `json:"label,omitempty"`
	Query    string   `json:"query,omitempty"`
	Ready    bool     `json:"ready,omitempty"`
	Blocked  bool     `json:"blocked,omitempty"`
}

var beadList = registry.Define(registry.Spec[beadListIn, beadListOut]{
	Name: "bead-list", Group: groupWork, Short: "List work items",
	Long: "Reads the project's .beads folder, found by looking upward from this folder, from --dir, or from where " +
		"a session works. Unreadable lines are skipped and counted in a warning. If the items are in a database, bd " +
		"is asked for them.",
	Scope: registry.Global, Effect: registry.Reads, List: "items",
	Deprecated: registry.Prefixed{Prefix: "beads", Flags: []string{"assignee", "limit", "priority", "status", "type"}},
	Schema:     "beads_list", Default: beadListIn{Page: registry.Page{Limit: 100}},
	Examples: []beadListIn{
		{Page: registry.Page{Limit: 100}},
		{Ready: true, Priority: []string{"0", "1"}, Page: registry.Page{Limit: 10}},
	},
	Errors: readingBeads,
	Run:    runBeadList, Human: beadListReport,
	Hints: func(_ beadListIn, out beadListOut) *registry.Hints { return pageHints(out.Pagination) },
}).SeeAlso("triage", "plan")

func runBeadList(ctx context.Context, deps *registry.Deps, in beadListIn) (beadListOut, error) {
	w, err := workOf(ctx, deps, in.inProject)
	if err != nil {
		return beadListOut{}, err
	}
	if err := registry.CheckEnum("status", in.Status,
		w.known(append([]string{anyStatus}, bead.Statuses...),
			func(i *bead.Item) string { return string(i.Status) })); err != nil {
		return beadListOut{}, err
	}
	if err := registry.CheckEnum("type", in.Type,
		w.known([]string{"task", "bug", "feature", "epic", "chore"},
			func(i *bead.Item) string { return i.Type })); err != nil {
		return beadListOut{}, err
	}
	rows := []beadRow{}
	for _, item := range w.graph.All() {
		if row := w.row(item); in.wants(item, &row) {
			rows = append(rows, row)
		}
	}
	shown, page := cut(rows, in.Page)
	return beadListOut{
		origin: w.origin, paged: page, Items: shown,
		Filters: beadFilters{
			Status: set(in.Status), Priority: set(in.Priority), Assignee: in.Assignee,
			Type: set(in.Type), Label: set(in.Label), Query: in.Query, Ready: in.Ready, Blocked: in.Blocked,
		},
	}, nil
}

// anyStatus asks for items of every status.
const anyStatus = "all"

// known are the usual words for something and those that items use, each once.
func (w *work) known(usual []string, of func(*bead.Item) string) []string {
	words := slices.Clone(usual)
	for i := range w.items {
		if word := of(&w.items[i]); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

func (in *beadListIn) wants(item *bead.Item, row *beadRow) bool {
	ofPriority := func(p string) bool { return strings.TrimPrefix(p, "P") == fmt.Sprint(item.Priority) }
	switch {
	case len(in.Status) == 0 && item.Done(),
		len(in.Status) > 0 && !slices.Contains(in.Status, string(row.Status)) && !slices.Contains(in.Status, anyStatus),
		len(in.Priority) > 0 && !slices.ContainsFunc(in.Priority, ofPriority),
		in.Assignee == "-" && item.Assignee != "",
		in.Assignee != "" && in.Assignee != "-" && in.Assignee != item.Assignee,
		len(in.Type) > 0 && !slices.Contains(in.Type, item.Type), in.Ready && !row.Ready,
		in.Blocked && len(row.BlockedBy) == 0:
		return false
	}
	for _, label := range in.Label {
		if !slices.Contains(item.Labels, label) {
			return false
		}
	}
	if in.Query == "" {
		return true
	}
	words := strings.ToLower(item.ID + "\n" + strings.Join(item.Texts(), "\n"))
	return strings.Contains(words, strings.ToLower(in.Query))
}

func beadListReport(_ beadListIn, out beadListOut) *report.Report {
	r := report.TableOf(out.Items, time.Time{}, "no such work item").Report()
	if out.HasMore {
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Dim,
			fmt.Sprintf("%d of %d", out.Count, out.TotalMatches))}}})
	}
	return r
}

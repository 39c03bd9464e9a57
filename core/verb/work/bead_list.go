package work

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core/bridge/bead"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// beadFilters choose work items.
type beadFilters struct {
	Status   []string `json:"status,omitempty" help:"Only these statuses, separated by commas, or all (default: all but closed)"`
	Priority []string `json:"priority,omitempty" enum:"0,1,2,3,4,P0,P1,P2,P3,P4" help:"Only these priorities; 0 is the most urgent"`
	Assignee string   `json:"assignee,omitempty" help:"Only items assigned to this person; - is unassigned"`
	Type     []string `json:"type,omitempty" help:"Only these types (task, bug, feature, epic, chore, ...)"`
	Label    []string `json:"label,omitempty" help:"Only items with all these labels"`
	Query    string   `json:"query,omitempty" help:"Only items whose text contains this"`
	Ready    bool     `json:"ready,omitempty" help:"Only items that can be started now"`
	Blocked  bool     `json:"blocked,omitempty" help:"Only items that are blocked"`
}

type beadListIn struct {
	beadFilters
	verb.InProject
	registry.Page `default:"limit=100"`
}

type beadListOut struct {
	origin
	verb.Paged
	Filters beadFilters `json:"filters,omitzero"`
	// Items has one row per work item: the most urgent first, then the oldest.
	Items []beadRow `json:"items"`
}

var beadList = registry.Define(registry.Spec[*verb.Env, beadListIn, beadListOut]{
	Name: "bead-list", Group: verb.GroupWork, Short: "List work items",
	Long: "Reads the project's .beads folder, found by looking upward from this folder, from --dir, or from where " +
		"a session works. Unreadable lines are skipped and counted in a warning. If the items are in a database, bd " +
		"is asked for them.",
	Scope: registry.Global, Effect: registry.Reads, List: "items",
	Deprecated: registry.Prefixed{Prefix: "beads", Flags: []string{"assignee", "limit", "priority", "status", "type"}},
	Schema:     "beads_list",
	Examples:   []string{"", "--priority=0,1 --ready --limit=10"},
	Errors:     readingBeads, Run: runBeadList,
}).SeeAlso("triage", "plan")

func runBeadList(ctx context.Context, env *verb.Env, in beadListIn) (beadListOut, error) {
	w, err := workOf(ctx, env, in.InProject)
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
	shown, page := verb.Cut(rows, in.Page)
	return beadListOut{origin: w.origin, Paged: page, Items: shown, Filters: in.beadFilters}, nil
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

func (o beadListOut) Report() *report.Report {
	r := report.TableOf(o.Items, time.Time{}, "no such work item").Report()
	if o.HasMore {
		r.AddLine(report.Toned(report.Dim,
			fmt.Sprintf("%d of %d", o.Count, o.TotalMatches)))
	}
	return r
}

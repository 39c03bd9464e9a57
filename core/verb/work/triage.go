package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core/bridge/bead"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type triageIn struct {
	verb.InProject
	registry.Page `default:"limit=10"`
}

type triageOut struct {
	origin
	verb.Paged
	Summary planSummary `json:"summary"`
	// Recommendations has one row per item that is ready and has no open parts, the
	// best to take first.
	Recommendations []triageRow `json:"recommendations"`
	// Bottlenecks are the items that are not ready and that most others wait for.
	Bottlenecks []bottleneck `json:"bottlenecks"`
	// Stale are the items in progress that did not change for a week.
	Stale []staleRow `json:"stale"`
	// Cycles are items that wait for each other in a circle.
	Cycles [][]string `json:"cycles"`
}

// triageRow is an item that could be started, and the reason to.
type triageRow struct {
	_        struct{} `minimal:"rank,id,title" standard:"rank,id,title,priority,score,why,command"`
	_        struct{} `table:"RANK,ID,SCORE,WHO,TITLE,WHY"`
	Rank     int      `json:"rank" table:"RANK"`
	ID       string   `json:"id" table:"ID,strong"`
	Title    string   `json:"title" table:"TITLE,flex"`
	Priority int      `json:"priority"`
	Type     string   `json:"type"`
	Assignee string   `json:"assignee,omitempty" table:"WHO,empty=-"`
	// Score is the sum of the reasons for it; Why lists them.
	Score       int    `json:"score" table:"SCORE"`
	UnblocksNow int    `json:"unblocks_now"`
	Unblocks    int    `json:"unblocks"`
	Why         string `json:"why,omitempty" table:"WHY,dim,flex"`
	Command     string `json:"command,omitempty" names:"command"`
}

// bottleneck is an item that others wait for.
type bottleneck struct {
	_         struct{}    `minimal:"id,title,unblocks"`
	ID        string      `json:"id"`
	Title     string      `json:"title"`
	Status    bead.Status `json:"status"`
	Assignee  string      `json:"assignee,omitempty"`
	BlockedBy []string    `json:"blocked_by"`
	Unblocks  int         `json:"unblocks"`
}

// staleRow is an assigned item that does not change.
type staleRow struct {
	_         struct{}  `minimal:"id,title,days"`
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Assignee  string    `json:"assignee,omitempty"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	// Days is for how many whole days it has not changed.
	Days int `json:"days"`
}

// stale is after how long an item in progress is stale.
const stale = 7 * 24 * time.Hour

// mostBottlenecks is how many are named.
const mostBottlenecks = 10

var triage = registry.Define(registry.Spec[*verb.Env, triageIn, triageOut]{
	Name: "triage", Group: verb.GroupWork, Short: "Recommend the next work item",
	Long: "An item scores 40 for priority 0 and 10 less for each lower priority, up to 40 for the items waiting for " +
		"it, 10 if it heads the longest chain, and up to 10 for its age. Items with open parts are left out. " +
		"Computed from the items themselves.",
	Scope: registry.Global, Effect: registry.Reads, List: "recommendations",
	Deprecated: registry.Prefixed{Prefix: "triage", Flags: []string{"limit"}},
	Examples:   []string{"", "--limit=1"},
	Errors:     readingBeads, Run: runTriage,
}).SeeAlso("bead-list", "plan")

func runTriage(ctx context.Context, env *verb.Env, in triageIn) (triageOut, error) {
	w, err := workOf(ctx, env, in.InProject)
	if err != nil {
		return triageOut{}, err
	}
	_, tracks := w.graph.Tracks()
	out := triageOut{
		origin: w.origin, Summary: w.summary(),
		Cycles: w.graph.Cycles(),
	}
	out.Summary.Tracks = tracks
	rows := []triageRow{}
	for i, item := range w.recommended() {
		row := w.recommend(item)
		row.Rank = i + 1
		rows = append(rows, row)
	}
	out.Recommendations, out.Paged = verb.Cut(rows, in.Page)
	for _, item := range w.graph.Open() {
		if gain := w.graph.Gain(item.ID); gain.All > 0 && !w.graph.IsReady(item.ID) {
			out.Bottlenecks = append(out.Bottlenecks, bottleneck{
				ID: item.ID, Title: item.Title, Status: item.Status, Assignee: item.Assignee,
				BlockedBy: w.graph.Blockers(item.ID), Unblocks: gain.All,
			})
		}
		if still := w.now.Sub(item.Updated); item.Status == bead.InProgress && !item.Updated.IsZero() &&
			still >= stale {
			out.Stale = append(out.Stale, staleRow{
				ID: item.ID, Title: item.Title, Assignee: item.Assignee, UpdatedAt: item.Updated,
				Days: int(still.Hours() / 24),
			})
		}
	}
	slices.SortStableFunc(out.Bottlenecks, func(a, b bottleneck) int { return b.Unblocks - a.Unblocks })
	out.Bottlenecks = out.Bottlenecks[:min(mostBottlenecks, len(out.Bottlenecks))]
	slices.SortStableFunc(out.Stale, func(a, b staleRow) int { return b.Days - a.Days })
	return out, nil
}

// recommended are the items that are ready, the best to take first. What has open
// parts is no work of its own.
func (w *work) recommended() []*bead.Item {
	ready := slices.DeleteFunc(w.graph.Ready(), func(item *bead.Item) bool { return w.graph.HasOpenParts(item.ID) })
	score := make(map[string]int, len(ready))
	for _, item := range ready {
		score[item.ID] = w.recommend(item).Score
	}
	slices.SortStableFunc(ready, func(a, b *bead.Item) int { return score[b.ID] - score[a.ID] })
	return ready
}

// recommend scores an item that is ready.
func (w *work) recommend(item *bead.Item) triageRow {
	gain := w.graph.Gain(item.ID)
	row := triageRow{
		ID: item.ID, Title: item.Title, Priority: item.Priority, Type: item.Type, Assignee: item.Assignee,
		UnblocksNow: gain.Now, Unblocks: gain.All, Score: 10 * (bead.LeastUrgent - item.Priority),
		Command: shell.Line("cupola", "bead-claim", item.ID),
	}
	why := []string{fmt.Sprintf("priority %d", item.Priority)}
	if gain.All > 0 {
		row.Score += min(40, 10*gain.Now+5*(gain.All-gain.Now))
		why = append(why, verb.Plural(gain.All, "item")+" waiting for it")
	}
	if len(w.path) > 1 && w.path[0].ID == item.ID {
		row.Score += 10
		why = append(why, fmt.Sprintf("first of a chain of %d", len(w.path)))
	}
	if days := int(w.now.Sub(item.Created).Hours() / 24); !item.Created.IsZero() && days > 0 {
		row.Score += min(10, days/7)
		why = append(why, verb.Plural(days, "day")+" old")
	}
	row.Why = strings.Join(why, ", ")
	return row
}

func (o triageOut) Next() []registry.Action {
	var next []registry.Action
	if len(o.Recommendations) > 0 {
		best := &o.Recommendations[0]
		next = append(next, verb.NextAction("show", "Read the best item", "bead-show", best.ID),
			registry.Action{Action: "claim", Description: "Take it", Command: best.Command})
	}
	if len(o.Cycles) > 0 {
		next = append(next, verb.NextAction("graph", "See which items wait for which", "graph"))
	}
	return next
}

func (o triageOut) Report() *report.Report {
	r := (&report.Report{}).Add(report.Block{
		Heading: "Take next",
		Table:   report.TableOf(o.Recommendations, time.Time{}, "nothing to take"),
	})
	var lines []report.Line
	for _, row := range o.Bottlenecks {
		state := string(row.Status)
		if len(row.BlockedBy) > 0 {
			state = "waits for " + strings.Join(row.BlockedBy, ",")
		}
		lines = append(lines, report.Line{
			report.Toned(report.Warn, row.ID),
			report.Text(fmt.Sprintf("  %s waiting for it; %s  ", verb.Plural(row.Unblocks, "item"), state)),
			report.Toned(report.Dim, row.Title),
		})
	}
	if len(lines) > 0 {
		r.Add(report.Block{Heading: "In the way", Lines: lines})
	}
	lines = nil
	for _, row := range o.Stale {
		lines = append(lines, report.Line{
			report.Toned(report.Warn, row.ID),
			report.Text(fmt.Sprintf("  %s, not updated for %s  ", cmp.Or(row.Assignee, "unassigned"),
				verb.Plural(row.Days, "day"))), report.Toned(report.Dim, row.Title),
		})
	}
	if len(lines) > 0 {
		r.Add(report.Block{Heading: "Stale", Lines: lines})
	}
	return r.Add(circles(o.Cycles))
}

// circles shows items that wait for each other.
func circles(cycles [][]string) report.Block {
	block := report.Block{}
	for _, cycle := range cycles {
		block.Heading = "Circles"
		block.Lines = append(block.Lines,
			report.Line{report.Toned(report.Bad, strings.Join(cycle, " waits for ")+" waits for "+cycle[0])})
	}
	return block
}

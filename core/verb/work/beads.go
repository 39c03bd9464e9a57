package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/git/commits"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// origin says where work items come from.
type origin struct {
	// Project is the folder whose items they are.
	Project string `json:"project"`
	// Source is jsonl where their files were read, or the name of the tool that was
	// asked.
	Source string `json:"source,omitempty"`
	// Broken counts lines of the files that could not be read; the warnings name them.
	Broken int `json:"broken_lines"`
}

// readingBeads are the codes that verbs of work items may fail with.
var readingBeads = []core.Code{core.ProjectNotFound, core.SessionNotFound, core.IOError, core.PermissionDenied}

// changingBeads are the codes of verbs that change items.
var changingBeads = append([]core.Code{
	core.ToolNotFound, core.NotFound, core.Conflict, core.BackendFailed,
	core.Timeout,
}, readingBeads...)

// work is a project's items and what follows from them.
type work struct {
	origin
	place bead.Project
	items []bead.Item
	set   *bead.Set
	graph *bead.Graph
	// path is the longest chain of open items.
	path []*bead.Item
	// tool is nil where none is installed.
	tool *bead.Tool
	now  time.Time
}

// workOf reads the items of a project. What could not be read of them is a
// warning of the answer.
func workOf(ctx context.Context, env *verb.Env, in verb.InProject) (*work, error) {
	dir, err := in.Folder(ctx, env)
	if err != nil {
		return nil, err
	}
	place, err := bead.Locate(dir)
	if err != nil {
		return nil, err
	}
	return workAt(ctx, env, place)
}

func workAt(ctx context.Context, env *verb.Env, place bead.Project) (*work, error) {
	tool, err := env.BeadTool()
	if err != nil && core.AsError(err).Code != core.ToolNotFound {
		return nil, err
	}
	set, warning, err := bead.Load(ctx, place, tool)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		env.Warn(warning)
	}
	const maxFaults = 3
	for i, fault := range set.Faults {
		if i == maxFaults {
			env.Warn(fmt.Sprintf("%d more lines were left out", len(set.Faults)-maxFaults))
			break
		}
		env.Warn(fmt.Sprintf("%s, line %d was left out: %s", fault.File, fault.Line, fault.Why))
	}
	w := &work{place: place, items: set.Items, set: set, tool: tool, now: env.Now().UTC()}
	w.origin = origin{Project: place.Root, Source: cmp.Or(set.Tool, "jsonl"), Broken: len(set.Faults)}
	w.graph = bead.NewGraph(set.Items, w.now)
	w.path = w.graph.CriticalPath()
	return w, nil
}

// history reads the repository that the project is in.
func (w *work) history(ctx context.Context) (*commits.Log, error) {
	return commits.Read(ctx, w.place.Root, commits.Request{})
}

// beadRow is one work item. What does not apply is absent.
type beadRow struct {
	_ struct{} `minimal:"id,title,status,priority" table:"ID,PRIORITY,STATE,WHO,TITLE"`
	_ struct{} `standard:"id,title,status,priority,type,assignee,ready,blocked_by"`
	bead.Brief
	Labels []string `json:"labels"`
	// Ready is true if work on it can begin now.
	Ready bool `json:"ready"`
	// BlockedBy are ids.
	BlockedBy []string `json:"blocked_by"`
	// UnblocksNow counts the items that would be ready if this one were closed,
	// Unblocks all that wait for it directly or through others.
	UnblocksNow int       `json:"unblocks_now"`
	Unblocks    int       `json:"unblocks"`
	Parent      string    `json:"parent,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
	ClosedAt    time.Time `json:"closed_at,omitzero"`
}

func (w *work) row(item *bead.Item) beadRow {
	gain := w.graph.Gain(item.ID)
	return beadRow{
		Brief: item.Brief, Labels: item.Labels, Ready: w.graph.IsReady(item.ID), BlockedBy: w.graph.Blockers(item.ID),
		UnblocksNow: gain.Now, Unblocks: gain.All, Parent: item.Parent(),
		CreatedAt: item.Created, UpdatedAt: item.Updated, ClosedAt: item.Closed,
	}
}

// Cell says of an open item whether it can be taken.
func (r *beadRow) Cell(title string) (report.Cell, bool) {
	if title != "STATE" {
		return report.Cell{}, false
	}
	return beadState(r.Status, r.Ready, r.BlockedBy), true
}

// beadState shows the status of an item and, of an open one, whether it can be taken.
func beadState(status bead.Status, ready bool, blockedBy []string) report.Cell {
	switch {
	case ready:
		return report.Toned(report.Good, "ready")
	case len(blockedBy) > 0:
		return report.Toned(report.Warn, "blocked by "+strings.Join(blockedBy, ","))
	case status == bead.Closed:
		return report.Toned(report.Dim, string(status))
	}
	return report.Text(string(status))
}

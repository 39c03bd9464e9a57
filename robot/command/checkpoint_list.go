package command

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/checkpoint"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type checkpointListIn struct {
	registry.OfSession
	registry.Page
}

type checkpointListOut struct {
	Filters sessionFilter `json:"filters,omitzero"`
	// Path is the folder that holds them.
	Path string `json:"path"`
	// Checkpoints has a row a checkpoint, the newest first.
	Checkpoints []checkpointRow `json:"checkpoints"`
	// Bytes is what all that were found hold.
	Bytes int64 `json:"bytes"`
	paged

	at time.Time
}

// checkpointRow is one checkpoint. What does not apply is empty.
type checkpointRow struct {
	_       struct{} `minimal:"name,session,at" standard:"name,session,at,note,agent_count,changed,bytes"`
	Name    string   `json:"name"`
	Session string   `json:"session"`
	At      string   `json:"at"`
	Note    string   `json:"note,omitempty"`
	Panes   int      `json:"pane_count"`
	Agents  int      `json:"agent_count"`
	Prompts int      `json:"prompt_count"`
	// Trees counts git trees, Changed the files that had changed in them.
	Trees   int   `json:"tree_count"`
	Changed int   `json:"changed"`
	Bytes   int64 `json:"bytes"`
	// Fault says why it cannot be read; absent if it can.
	Fault string `json:"fault,omitempty"`
}

var checkpointList = registry.Define(registry.Spec[checkpointListIn, checkpointListOut]{
	Name: "checkpoint-list", Group: groupKeep, Short: "List recorded sessions",
	Aliases: []string{"checkpoints", "checkpoint show"},
	Scope:   registry.Global, Effect: registry.Reads, List: "checkpoints",
	Default:  checkpointListIn{Page: registry.Page{Limit: 100}},
	Examples: []checkpointListIn{{Page: registry.Page{Limit: 100}}, {OfSession: registry.OfSession{Session: "api"}, Page: registry.Page{Limit: 10}}},
	Errors:   []core.Code{core.SessionNotFound, core.CheckpointFailed, core.PermissionDenied, core.StoreError, core.StoreLocked, core.MigrationFailed},
	Run:      runCheckpointList,
	Hints:    func(_ checkpointListIn, out checkpointListOut) *registry.Hints { return pageHints(out.Pagination) },
	Next: func(_ checkpointListIn, out checkpointListOut) []registry.Action {
		for _, row := range out.Checkpoints {
			if row.Fault == "" {
				return []registry.Action{{Action: "restore", Description: "See what restoring the newest would start", Command: shell.Line("cupola", "restore", row.Name, "--as="+row.Session+"-again", "--dry-run")}}
			}
		}
		return nil
	},
	Human: func(_ checkpointListIn, out checkpointListOut) *report.Report { return checkpointListReport(out) },
}).SeeAlso("status", "history")

func runCheckpointList(ctx context.Context, deps *registry.Deps, in checkpointListIn) (checkpointListOut, error) {
	root := deps.Paths.Checkpoints()
	entries, err := checkpoint.List(root)
	if err != nil {
		return checkpointListOut{}, err
	}
	recorded := make([]string, len(entries))
	for i := range entries {
		recorded[i] = entries[i].Session
	}
	if in.Session, err = onRecord(ctx, deps, in.Session, recorded...); err != nil {
		return checkpointListOut{}, err
	}
	out := checkpointListOut{Filters: sessionFilter{in.Session}, Path: root, at: deps.Now()}
	var rows []checkpointRow
	for i := range entries {
		if in.Session == "" || entries[i].Session == in.Session {
			rows = append(rows, checkpointRowOf(&entries[i]))
			out.Bytes += entries[i].Bytes
		}
	}
	out.Checkpoints, out.paged = cut(rows, in.Page)
	return out, nil
}

func checkpointRowOf(e *checkpoint.Entry) checkpointRow {
	row := checkpointRow{
		Name: e.Name, Session: e.Session, At: stamp(e.At), Note: e.Note, Panes: len(e.Panes), Prompts: e.Prompts, Trees: len(e.Trees),
		Bytes: e.Bytes, Fault: e.Fault,
	}
	for i := range e.Panes {
		if e.Panes[i].Kind != "" {
			row.Agents++
		}
	}
	for i := range e.Trees {
		row.Changed += e.Trees[i].Changed
	}
	return row
}

func checkpointListReport(out checkpointListOut) *report.Report {
	table := &report.Table{
		Columns: report.Columns("CHECKPOINT", "SESSION", "AGE", "AGENTS", "CHANGED", "SIZE", "NOTE"),
		Empty:   none(out.Filters != sessionFilter{}, "no checkpoints; 'cupola checkpoint SESSION' makes one"),
	}
	table.Columns[3].Right, table.Columns[4].Right, table.Columns[5].Right, table.Columns[6].Flex = true, true, true, true
	for i := range out.Checkpoints {
		row := &out.Checkpoints[i]
		note := report.Text(row.Note)
		if row.Fault != "" {
			note = report.Toned(report.Bad, row.Fault)
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, row.Name), report.Text(row.Session), ago(row.At, out.at), report.Text(fmt.Sprint(row.Agents)),
			report.Text(fmt.Sprint(row.Changed)), report.Toned(report.Dim, bytesOf(row.Bytes)), note,
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}

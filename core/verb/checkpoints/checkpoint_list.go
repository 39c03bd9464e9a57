package checkpoints

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/record/checkpoint"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type checkpointListIn struct {
	registry.OfSession
	registry.Page `default:"limit=100"`
}

type checkpointListOut struct {
	Filters registry.OfSession `json:"filters,omitzero"`
	// Path is the folder that holds them.
	Path string `json:"path"`
	// Checkpoints has one row per checkpoint, the newest first.
	Checkpoints []checkpointRow `json:"checkpoints" empty:"no checkpoints; 'cupola checkpoint SESSION' makes one" filtered:"nothing fits the filters"`
	// Bytes is the size of all checkpoints that were found.
	Bytes int64 `json:"bytes"`
	verb.Paged
}

// checkpointRow is one checkpoint. What does not apply is empty.
type checkpointRow struct {
	_       struct{}  `minimal:"name,session,at" standard:"name,session,at,note,agent_count,changed,bytes"`
	_       struct{}  `table:"CHECKPOINT,SESSION,AGE,AGENTS,CHANGED,SIZE,NOTE"`
	Name    string    `json:"name" table:"CHECKPOINT,strong"`
	Session string    `json:"session" names:"session" table:"SESSION"`
	At      time.Time `json:"at" table:"AGE,dim,ago"`
	Note    string    `json:"note,omitempty" table:"NOTE,flex"`
	Panes   int       `json:"pane_count"`
	Agents  int       `json:"agent_count" table:"AGENTS"`
	Prompts int       `json:"prompt_count"`
	// Trees counts git trees, Changed the files that had changed in them.
	Trees   int  `json:"tree_count"`
	Changed int  `json:"changed" table:"CHANGED"`
	Bytes   size `json:"bytes" table:"SIZE,dim"`
	// Fault is the reason why it cannot be read; absent if it can.
	Fault string `json:"fault,omitempty"`
}

var checkpointList = registry.Define(registry.Spec[*verb.Env, checkpointListIn, checkpointListOut]{
	Name: "checkpoint-list", Group: verb.GroupKeep, Short: "List recorded sessions",
	Aliases: []string{"checkpoints", "checkpoint show"},
	Scope:   registry.Global, Effect: registry.Reads, List: "checkpoints",
	Examples: []string{"", "--session=api --limit=10"},
	Errors: []core.Code{
		core.SessionNotFound, core.CheckpointFailed, core.PermissionDenied, core.StoreError,
		core.StoreLocked, core.MigrationFailed,
	},
	Run: runCheckpointList,
}).SeeAlso("status", "history")

func (o checkpointListOut) Next() []registry.Action {
	for _, row := range o.Checkpoints {
		if row.Fault == "" {
			return verb.NextOnly("restore", "See what restoring the newest would start", "restore", row.Name,
				"--as="+row.Session+"-again", "--dry-run")
		}
	}
	return nil
}

func runCheckpointList(ctx context.Context, env *verb.Env, in checkpointListIn) (checkpointListOut, error) {
	root := env.Paths.Checkpoints()
	entries, err := checkpoint.List(root)
	if err != nil {
		return checkpointListOut{}, err
	}
	recorded := core.Map(entries, func(e checkpoint.Entry) string { return e.Session })
	if in.Session, err = verb.SessionOnRecord(ctx, env, in.Session, recorded...); err != nil {
		return checkpointListOut{}, err
	}
	out := checkpointListOut{Filters: in.OfSession, Path: root}
	var rows []checkpointRow
	for i := range entries {
		if in.Session == "" || entries[i].Session == in.Session {
			rows = append(rows, checkpointRowOf(&entries[i]))
			out.Bytes += entries[i].Bytes
		}
	}
	out.Checkpoints, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

func checkpointRowOf(e *checkpoint.Entry) checkpointRow {
	row := checkpointRow{
		Name: e.Name, Session: e.Session, At: e.At, Note: e.Note, Panes: len(e.Panes), Prompts: e.Prompts,
		Trees: len(e.Trees), Bytes: size(e.Bytes), Fault: e.Fault,
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

// Cell shows what is wrong with a checkpoint in place of its note.
func (r *checkpointRow) Cell(title string) (report.Cell, bool) {
	if title == "NOTE" && r.Fault != "" {
		return report.Toned(report.Bad, r.Fault), true
	}
	return report.Cell{}, false
}

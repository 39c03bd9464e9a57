package pipelines

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/run/pipeline"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// pipelineFilters choose runs.
type pipelineFilters struct {
	registry.OfSession
	State []string `json:"state,omitempty" enum:"running,done,failed,cancelled,interrupted" help:"Only runs in these states, separated by commas"`
}

type pipelineListIn struct {
	pipelineFilters
	registry.Page `default:"limit=100"`
}

type pipelineListOut struct {
	Filters pipelineFilters `json:"filters,omitzero"`
	// Runs has one row per run, the newest first.
	Runs []pipelineRow `json:"runs" empty:"no pipeline was ever run" filtered:"nothing fits the filters"`
	verb.Paged
}

// pipelineRow is one run. What does not apply is empty.
type pipelineRow struct {
	_         struct{}       `minimal:"id,state" standard:"id,state,session,started_at,step_count,done,step"`
	_         struct{}       `table:"RUN,STATE,SESSION,AGE,DONE,AT STEP"`
	ID        string         `json:"id" table:"RUN,strong"`
	Name      string         `json:"name"`
	State     pipeline.State `json:"state" table:"STATE,word"`
	Session   string         `json:"session,omitempty" names:"session" table:"SESSION"`
	StartedAt time.Time      `json:"started_at,omitzero" table:"AGE,dim,ago"`
	EndedAt   time.Time      `json:"ended_at,omitzero"`
	// Steps counts all, Done those that succeeded; Step is the one that runs, failed or was cut off.
	Steps int    `json:"step_count"`
	Done  int    `json:"done"`
	Step  string `json:"step,omitempty" table:"AT STEP,dim"`
	File  string `json:"file,omitempty"`
}

var pipelineList = registry.Define(registry.Spec[*verb.Env, pipelineListIn, pipelineListOut]{
	Name: "pipeline-list", Of: "run-list --kind=pipeline", Group: verb.GroupPipes, Short: "List pipeline runs",
	Aliases: []string{"pipelines"},
	Scope:   registry.Global, Effect: registry.Reads, List: "runs",
	Examples: []string{"", "--state=running,interrupted"},
	Errors: []core.Code{
		core.SessionNotFound, core.IOError, core.PermissionDenied, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runPipelineList,
}).SeeAlso("status", "history")

func runPipelineList(ctx context.Context, env *verb.Env, in pipelineListIn) (pipelineListOut, error) {
	runs, err := Directory(&env.Local).All()
	if err != nil {
		return pipelineListOut{}, err
	}
	ran := core.Map(runs, func(r pipeline.Run) string { return r.Session })
	if in.Session, err = verb.SessionOnRecord(ctx, env, in.Session, ran...); err != nil {
		return pipelineListOut{}, err
	}
	var rows []pipelineRow
	for i := range runs {
		run := &runs[i]
		if in.Session != "" && run.Session != in.Session ||
			len(in.State) > 0 && !slices.Contains(in.State, string(run.State)) {
			continue
		}
		row := pipelineRow{
			ID: run.ID, Name: run.Name, State: run.State, Session: run.Session, StartedAt: run.Started,
			EndedAt: run.Ended, Steps: len(run.Steps), File: run.File,
		}
		for j := range run.Steps {
			switch run.Steps[j].State {
			case pipeline.Succeeded:
				row.Done++
			case pipeline.Running, pipeline.Failed, pipeline.Interrupted:
				row.Step = run.Steps[j].Name
			}
		}
		rows = append(rows, row)
	}
	shown, page := verb.Cut(rows, in.Page)
	return pipelineListOut{Filters: in.pipelineFilters, Runs: shown, Paged: page}, nil
}

// Cell shows how far the run is.
func (r *pipelineRow) Cell(title string) (report.Cell, bool) {
	if title == "DONE" {
		return report.Text(fmt.Sprintf("%d of %d", r.Done, r.Steps)), true
	}
	return report.Cell{}, false
}

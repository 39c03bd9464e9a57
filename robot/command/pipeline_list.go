package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/pipeline"
	"cupola/core/report"
	"cupola/robot/registry"
)

type pipelineListIn struct {
	registry.OfSession
	State []string `enum:"running,done,failed,cancelled,interrupted" help:"Only runs in these states, separated by commas"`
	registry.Page
}

type pipelineListOut struct {
	Filters pipelineFilters `json:"filters,omitzero"`
	// Runs has a row a run, the newest first.
	Runs []pipelineRow `json:"runs"`
	paged

	at time.Time
}

// pipelineFilters echoes what was asked for.
type pipelineFilters struct {
	Session string   `json:"session,omitempty"`
	State   []string `json:"state,omitempty"`
}

// pipelineRow is one run. What does not apply is empty.
type pipelineRow struct {
	_         struct{}       `minimal:"id,state" standard:"id,state,session,started_at,step_count,done,step"`
	_         struct{}       `table:"RUN,STATE,SESSION,AGE,DONE,AT STEP"`
	ID        string         `json:"id" table:"RUN,strong"`
	Name      string         `json:"name"`
	State     pipeline.State `json:"state" table:"STATE,word"`
	Session   string         `json:"session,omitempty" table:"SESSION"`
	StartedAt time.Time      `json:"started_at,omitzero" table:"AGE,dim,ago"`
	EndedAt   time.Time      `json:"ended_at,omitzero"`
	// Steps are all, Done those that succeeded; Step is the one that runs, failed
	// or was cut off.
	Steps int    `json:"step_count"`
	Done  int    `json:"done"`
	Step  string `json:"step,omitempty" table:"AT STEP,dim"`
	File  string `json:"file,omitempty"`
}

var pipelineList = registry.Define(registry.Spec[pipelineListIn, pipelineListOut]{
	Name: "pipeline-list", Group: groupPipes, Short: "List pipeline runs",
	Aliases: []string{"pipelines"},
	Scope:   registry.Global, Effect: registry.Reads, List: "runs",
	Default: pipelineListIn{Page: registry.Page{Limit: 100}},
	Examples: []pipelineListIn{
		{Page: registry.Page{Limit: 100}},
		{State: []string{"running", "interrupted"}, Page: registry.Page{Limit: 100}},
	},
	Errors: []core.Code{
		core.SessionNotFound, core.IOError, core.PermissionDenied, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run:   runPipelineList,
	Hints: func(_ pipelineListIn, out pipelineListOut) *registry.Hints { return pageHints(out.Pagination) },
	Human: func(_ pipelineListIn, out pipelineListOut) *report.Report { return pipelineListReport(out) },
}).SeeAlso("status", "history")

func runPipelineList(ctx context.Context, deps *registry.Deps, in pipelineListIn) (pipelineListOut, error) {
	runs, err := (pipeline.Book{Dir: deps.Paths.Pipelines()}).All()
	if err != nil {
		return pipelineListOut{}, err
	}
	ran := make([]string, len(runs))
	for i := range runs {
		ran[i] = runs[i].Session
	}
	if in.Session, err = onRecord(ctx, deps, in.Session, ran...); err != nil {
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
	shown, page := cut(rows, in.Page)
	return pipelineListOut{
		Filters: pipelineFilters{Session: in.Session, State: set(in.State)}, Runs: shown, paged: page, at: deps.Now(),
	}, nil
}

func pipelineListReport(out pipelineListOut) *report.Report {
	filtered := out.Filters.Session != "" || len(out.Filters.State) > 0
	return report.TableOf(out.Runs, out.at, none(filtered, "no pipeline was ever run")).Report()
}

// Cell shows how far the run is.
func (r *pipelineRow) Cell(title string) (report.Cell, bool) {
	if title == "DONE" {
		return report.Text(fmt.Sprintf("%d of %d", r.Done, r.Steps)), true
	}
	return report.Cell{}, false
}

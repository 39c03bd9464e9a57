package pipelines

import (
	"cmp"
	"fmt"
	"time"

	"cupola/core/run/pipeline"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// Directory is where runs of pipelines are on record.
func Directory(env *verb.Local) *pipeline.Directory {
	return pipeline.DirectoryIn(env.Paths.Pipelines(), env.Runs, env.Settings().Store.Age())
}

// PipelineOut is one run of a pipeline.
type PipelineOut struct {
	// ID names the run; absent in a dry run.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	// Session is the session of steps that name none.
	Session string `json:"session,omitempty" names:"session"`
	// State is running, done, failed, cancelled or interrupted; planned in a dry
	// run, and none where nothing ever ran.
	State pipeline.State `json:"state"`
	// DryRun and Background are as they were asked for; of a run on record it is not known.
	DryRun     bool `json:"dry_run"`
	Background bool `json:"background,omitempty"`
	// PID is the process that runs it, or did last.
	PID int `json:"pid,omitempty"`
	// Log took what the run printed in the background; absent where it never ran there.
	Log       string    `json:"log,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// Steps are in the order in which they run.
	Steps   []pipelineStep `json:"steps"`
	Summary stepSummary    `json:"summary"`
	// Failure is the report of a failed step's verb; absent without.
	Failure any `json:"failure,omitempty"`

	hints *registry.Hints
	next  []registry.Action
}

// pipelineStep is one step. What does not apply is absent, and so is its answer without --verbose.
type pipelineStep struct {
	_ struct{} `minimal:"name,state" standard:"name,verb,state,why,attempts,error_code,error"`
	_ struct{} `table:"STEP,VERB,STATE,TOOK,WHAT"`
	pipeline.StepRun
	// Command is the command that a step of a dry run would run, as a shell would write it.
	Command string `json:"command,omitempty" names:"command-line"`
}

// stepSummary counts steps by state.
type stepSummary struct {
	Steps   int `json:"steps"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Left    int `json:"left"`
}

func pipelineOutOf(run *pipeline.Run, directory *pipeline.Directory, verbose bool) PipelineOut {
	out := PipelineOut{
		ID: run.ID, Name: run.Name, File: run.File, Session: run.Session, State: run.State, PID: run.PID,
		Log: directory.Log(run.ID), StartedAt: run.Started, EndedAt: run.Ended,
	}
	for _, step := range run.Steps {
		if step.State == pipeline.Running && run.State != pipeline.Running {
			step.State = pipeline.Interrupted
		}
		if !verbose {
			step.Answer = nil
		}
		out.add(pipelineStep{StepRun: step})
	}
	return out
}

// plannedSteps returns the steps that a pipeline would run.
func plannedSteps(p *pipeline.Pipeline, run *pipeline.Run, verbs *stepVerbs) PipelineOut {
	out := PipelineOut{Name: p.Name, File: run.File, Session: run.Session, State: "planned", DryRun: true}
	for _, call := range p.Calls(run.Session, run.Vars) {
		step := pipeline.StepRun{Name: call.Step, Verb: call.Verb, State: pipeline.Pending}
		out.add(pipelineStep{StepRun: step, Command: verbs.line(&call.Call)})
	}
	return out
}

func (o *PipelineOut) add(row pipelineStep) {
	o.Steps = append(o.Steps, row)
	o.Summary.Steps++
	switch row.State {
	case pipeline.Succeeded:
		o.Summary.Done++
	case pipeline.Failed:
		o.Summary.Failed++
	case pipeline.Skipped:
		o.Summary.Skipped++
	default:
		o.Summary.Left++
	}
}

// Hints say how far the run got.
func (o PipelineOut) Hints() *registry.Hints { return o.hints }

// Next says what can be done about the run.
func (o PipelineOut) Next() []registry.Action { return o.next }

// counted is the run with a hint how far it got.
func (o PipelineOut) counted() PipelineOut {
	s := o.Summary
	summary := fmt.Sprintf("%s: %d of %s done, %d failed, %d skipped, %d left", o.State, s.Done,
		verb.Plural(s.Steps, "step"), s.Failed, s.Skipped, s.Left)
	o.hints = &registry.Hints{Summary: summary}
	return o
}

// Report shows every step, also with a failure.
func (o PipelineOut) Report() *report.Report {
	name := report.Toned(report.Strong, cmp.Or(o.ID, o.Name))
	r := report.Say(name, report.Text(" "), report.Toned(report.ToneOf(string(o.State)), string(o.State)))
	return r.AddTable("", report.TableOf(o.Steps, time.Time{}, "no steps"))
}

// Cell shows how long the step took, and what one of a dry run would run.
func (s *pipelineStep) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "TOOK":
		took := report.Toned(report.Dim, "")
		if !s.Ended.IsZero() {
			took.Text = report.Age(s.Started, s.Ended)
		}
		return took, true
	case title == "WHAT" && s.Command != "":
		return report.Toned(report.Dim, s.Command), true
	}
	return report.Cell{}, false
}

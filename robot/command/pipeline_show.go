package command

import (
	"cmp"
	"fmt"
	"time"

	"cupola/core/pipeline"
	"cupola/core/report"
	"cupola/robot/registry"
)

// pipelineOut is one run of a pipeline.
type pipelineOut struct {
	// ID names the run; absent in a dry run.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	// Session is that of steps that name none.
	Session string `json:"session,omitempty"`
	// State is running, done, failed, cancelled or interrupted; planned in a dry
	// run, and none where nothing ever ran.
	State string `json:"state"`
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
	// Failure is what the verb of a step that failed told of it; absent without.
	Failure any `json:"failure,omitempty"`
}

// pipelineStep is one step. What does not apply is empty.
type pipelineStep struct {
	_    struct{} `minimal:"name,state" standard:"name,verb,state,why,attempts,error_code,error"`
	_    struct{} `table:"STEP,VERB,STATE,TOOK,WHAT"`
	Name string   `json:"name" table:"STEP,strong"`
	Verb string   `json:"verb" table:"VERB"`
	// Command is what a step of a dry run would run, as a shell would write it.
	Command string `json:"command,omitempty"`
	// State is pending, running, done, failed, skipped or interrupted.
	State string `json:"state" table:"STATE,word"`
	// Why says why it was skipped or cut off.
	Why       string    `json:"why,omitempty"`
	Attempts  int       `json:"attempts"`
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// Prompt is the id of the prompt that it sent.
	Prompt    string `json:"prompt,omitempty"`
	Error     string `json:"error,omitempty" table:"WHAT,dim,flex,or=Why,or=Command"`
	ErrorCode string `json:"error_code,omitempty"`
	// Answer is what its verb answered; absent without --verbose, and where it has not
	// answered.
	Answer map[string]any `json:"answer,omitempty"`
}

// stepSummary counts steps by state.
type stepSummary struct {
	Steps   int `json:"steps"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Left    int `json:"left"`
}

func pipelineOutOf(run *pipeline.Run, book pipeline.Book, verbose bool) pipelineOut {
	out := pipelineOut{
		ID: run.ID, Name: run.Name, File: run.File, Session: run.Session, State: string(run.State), PID: run.PID,
		Log: book.Log(run.ID), StartedAt: run.Started, EndedAt: run.Ended,
		Steps: make([]pipelineStep, 0, len(run.Steps)),
	}
	for i := range run.Steps {
		s := &run.Steps[i]
		row := pipelineStep{
			Name: s.Name, Verb: s.Verb, State: string(s.State), Why: s.Why, Attempts: s.Attempts,
			StartedAt: s.Started, EndedAt: s.Ended, Prompt: s.Prompt, Error: s.Error,
			ErrorCode: s.ErrorCode, Answer: map[string]any{},
		}
		if s.State == pipeline.Running && run.State != pipeline.Running {
			row.State = string(pipeline.Interrupted)
		}
		if verbose && s.Answer != nil {
			row.Answer = s.Answer
		}
		out.add(row)
	}
	return out
}

// plannedSteps are what a pipeline would run.
func plannedSteps(p *pipeline.Pipeline, run *pipeline.Run, verbs *stepVerbs) pipelineOut {
	out := pipelineOut{
		Name: p.Name, File: run.File, Session: run.Session, State: "planned", DryRun: true,
		Steps: []pipelineStep{},
	}
	for _, call := range p.Calls(run.Session, run.Vars) {
		out.add(pipelineStep{
			Name: call.Step, Verb: call.Verb, State: string(pipeline.Pending),
			Command: verbs.line(&call.Call), Answer: map[string]any{},
		})
	}
	return out
}

func (o *pipelineOut) add(row pipelineStep) {
	o.Steps = append(o.Steps, row)
	o.Summary.Steps++
	switch pipeline.State(row.State) {
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

func (o pipelineOut) hints() *registry.Hints {
	s := o.Summary
	summary := fmt.Sprintf("%s: %d of %s done, %d failed, %d skipped, %d left", o.State, s.Done,
		plural(s.Steps, "step"), s.Failed, s.Skipped, s.Left)
	return &registry.Hints{Summary: summary}
}

// Report shows every step, also beside a failure.
func (o pipelineOut) Report() *report.Report {
	name := report.Toned(report.Strong, cmp.Or(o.ID, o.Name))
	r := report.Say(name, report.Text(" "), report.Toned(report.ToneOf(o.State), o.State))
	return r.Add(report.Block{Table: report.TableOf(o.Steps, time.Time{}, "no steps")})
}

// took is how long something took, for people; empty where it has not ended.
func took(from, to time.Time) string {
	if to.IsZero() {
		return ""
	}
	return age(from, to)
}

// Cell shows how long the step took.
func (s *pipelineStep) Cell(title string) (report.Cell, bool) {
	if title == "TOOK" {
		return report.Toned(report.Dim, took(s.StartedAt, s.EndedAt)), true
	}
	return report.Cell{}, false
}

package pipeline

import (
	"encoding/json"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// State is the state of a run or a step.
type State = run.State

// The states of runs, and of steps. A run is Interrupted if its process ended without recording a result, a step if its
// process ended or was cancelled while it ran.
const (
	Pending     = run.Pending
	Running     = run.Running
	Succeeded   = run.Done
	Failed      = run.Failed
	Cancelled   = run.Cancelled
	Interrupted = run.Interrupted
	// Skipped is a state of steps alone.
	Skipped State = "skipped"
)

// runVersion is the version of written records. Newer ones are not read.
const runVersion = 1

// Run is one run of a pipeline, as recorded on disk.
type Run struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	// File is the path of the pipeline, Text its content when the run began: later
	// changes of the file do not affect the run.
	File    string            `json:"file"`
	Text    string            `json:"text"`
	Session string            `json:"session"`
	Vars    map[string]string `json:"vars"`
	// Dir is the folder that the run's calls start from.
	Dir   string `json:"dir"`
	State State  `json:"state"`
	// PID is the process that runs it, or did last.
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
	// Ended is zero while it runs.
	Ended time.Time `json:"ended_at,omitzero"`
	// Until is when the usage limit resets that it waits for, and OnLimit says whether it does; zero while it waits for
	// none.
	Until   time.Time       `json:"waits_until,omitzero"`
	OnLimit run.LimitPolicy `json:"limit_policy,omitzero"`
	// Limits are the permissions of the callers that had it run; each holds for every step.
	Limits []json.RawMessage `json:"limits,omitempty"`
	// Steps are in the order in which they run.
	Steps []StepRun `json:"steps"`
}

// Head summarises it without its steps. A run that waits for a decision on a step whose outcome is unknown is
// interrupted on record, with its end.
func (r *Run) Head() run.Head {
	h := run.Head{
		ID: r.ID, Kind: run.Pipeline, Name: r.Name, Title: r.File, Dir: r.Dir, State: r.State, Session: r.Session,
		Total: len(r.Steps), PID: r.PID, Started: r.Started, Ended: r.Ended, CostKnown: true,
	}
	h.Until = h.State.Waits(r.Until)
	cut := ""
	for i := range r.Steps {
		switch s := &r.Steps[i]; s.State {
		case Succeeded, Skipped:
			h.Done++
		case Interrupted:
			cut = s.Name
		case Failed:
			if h.Error == "" && r.State == Failed {
				h.Error, h.ErrorCode = s.Name+": "+s.Error, core.Code(s.ErrorCode)
			}
		}
	}
	switch {
	case r.State != Interrupted:
	case run.Begins(r.PID, r.Started):
		h.State = run.Pending
	case !r.Ended.IsZero():
		h.State, h.Reason = run.NeedsYou, "unknown_outcome"
		h.Needs = "whether the step " + cut + " was done"
	}
	return h
}

// Trim drops the text of the pipeline, and the answers of its steps.
func (r *Run) Trim() {
	r.Text, r.Limits, r.Steps = "", nil, slices.Clone(r.Steps)
	for i := range r.Steps {
		r.Steps[i].Answer = nil
	}
}

// Valid returns an error for a record of a version that is not known.
func (r *Run) Valid() error { return run.Readable("a run", r.Version, runVersion) }

// Interrupt notes that its process ended without saying how it went.
func (r *Run) Interrupt() { r.State = Interrupted }

// Cancel notes that it was cancelled. A step that ran is cut off.
func (r *Run) Cancel(at time.Time) {
	r.cutOff()
	r.State, r.Ended = Cancelled, at
}

// StepRun is the outcome of one step.
type StepRun struct {
	Name  string `json:"name" table:"STEP,strong"`
	Verb  string `json:"verb" table:"VERB"`
	State State  `json:"state" table:"STATE,word"`
	// Why is the reason why it was skipped or interrupted.
	Why string `json:"why,omitempty"`
	// Attempts counts how often it was tried.
	Attempts int       `json:"attempts"`
	Started  time.Time `json:"started_at,omitzero"`
	Ended    time.Time `json:"ended_at,omitzero"`
	// Prompt is the id of the prompt that it sent last.
	Prompt    string `json:"prompt,omitempty"`
	Error     string `json:"error,omitempty" table:"WHAT,dim,flex,or=Why"`
	ErrorCode string `json:"error_code,omitempty"`
	// Answer is the answer of the verb; nil if it failed.
	Answer Answer `json:"answer,omitempty"`
}

// answer is the part that later steps may refer to.
func (s *StepRun) answer() map[string]any {
	all := map[string]any{"state": string(s.State), "error": s.Error, "error_code": s.ErrorCode}
	for name, value := range s.Answer {
		all[name] = value
	}
	return all
}

// step returns the record of a step.
func (r *Run) step(name string) *StepRun {
	for i := range r.Steps {
		if r.Steps[i].Name == name {
			return &r.Steps[i]
		}
	}
	return nil
}

// again makes the steps of a run that is taken up again wait for their turn: all
// but those that succeeded. Those that were cut off, or sent a prompt, keep what is
// known of them.
func (r *Run) again() {
	r.cutOff()
	for i := range r.Steps {
		s := &r.Steps[i]
		switch s.State {
		case Failed:
			if s.Prompt != "" {
				s.State, s.Why = Interrupted, "it failed"
				continue
			}
			fallthrough
		case Skipped:
			*s = StepRun{Name: s.Name, Verb: s.Verb, State: Pending, Attempts: s.Attempts}
		}
	}
}

// cutOff marks the step that ran when the run's process ended.
func (r *Run) cutOff() {
	for i := range r.Steps {
		if r.Steps[i].State == Running {
			r.Steps[i].State, r.Steps[i].Why = Interrupted, "it was cut off"
		}
	}
}

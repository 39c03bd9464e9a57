package agents

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/core/fleet/deliver"
	"cupola/core/record/store"
	"cupola/core/system/plainfile"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// SendIn is the input of the verb send.
type SendIn struct {
	registry.InSession
	Msg string `arg:"2" help:"The prompt; - reads it from standard input"`
	sending

	// id names the prompt; empty makes one.
	id string
}

// Named returns the input with the id of its prompt.
func (in SendIn) Named(id string) SendIn {
	in.id = id
	return in
}

// SendOut is the answer of the verb send.
type SendOut struct {
	// ID names this send; empty if it was to be tracked and is not on record.
	ID string `json:"id"`
	// TrackingID is the id that 'ack' takes; absent without --track.
	TrackingID string `json:"tracking_id,omitempty"`
	// Unrecorded is the reason why the history lacks this send; absent if it does not.
	Unrecorded string       `json:"unrecorded,omitempty"`
	Bytes      int          `json:"bytes"`
	DryRun     bool         `json:"dry_run"`
	Filters    verb.Filters `json:"filters,omitzero"`
	// Deliveries has one row per pane: delivered, queued, steered, typed, planned,
	// refused or unconfirmed, with the evidence.
	Deliveries []DeliveryRow `json:"deliveries"`
	Summary    SendSummary   `json:"summary"`
	// Wait is how far the agents came with --wait; absent without.
	Wait *waitedFor `json:"wait,omitempty"`
}

// SendSummary counts panes by outcome.
type SendSummary struct {
	Panes     int `json:"pane_count"`
	Delivered int `json:"delivered"`
	Queued    int `json:"queued"`
	Steered   int `json:"steered"`
	Failed    int `json:"failed"`
	// Planned counts those that would be typed into, of a dry run.
	Planned int `json:"planned"`
}

// Send declares the verb send.
var Send = registry.Define(registry.Spec[verb.OnFleet, SendIn, SendOut]{
	Name: "send", Group: verb.GroupAgents, Doing: "sending to", Short: "Deliver a prompt to agents",
	Aliases: []string{"submit", "prompt send", "session send", "agent send"},
	Long: "Checks each pane, pastes the text, sees it arrive, presses Enter, sees it submitted, and reports the " +
		"outcome for each pane. Panes that must not be typed into are refused: an open dialog, a draft, " +
		"copy mode, an agent that has gone. SESSION may be a pattern for the names of several, such as api-* or *: " +
		"it is one prompt with one id, and sessions without matching panes are skipped.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true,
	Examples: []string{
		"api.1 'say done' --wait --timeout=1m",
		"api 'run the tests' --panes=1 --dry-run",
		"api 'echo hello' --all",
		"'a*' 'say hello' --dry-run",
	},
	List:   "deliveries",
	Errors: sendErrors, Run: runSend,
})

// Check sees that there is one prompt.
func (in SendIn) Check() error {
	if in.Msg == "" && in.MsgFile == "" && in.Palette == "" && in.Replay == "" {
		missing := noMessage()
		missing.Hint += " For example: " + shell.Line("cupola", "send", in.Session, "run the tests")
		return missing
	}
	return in.fits(in.Msg)
}

func runSend(ctx context.Context, deps verb.OnFleet, in SendIn) (SendOut, error) {
	if isPattern(in.Session) && !slices.Contains(deps.Env.Sessions(ctx), in.Session) {
		return in.sendMany(ctx, deps, in.Msg, in.id, in.Session)
	}
	target := deps.Acting(ctx, verb.WithTeam(verb.TargetOf(in.Session, in.OfPanes, in.All, in.Exclude),
		in.TeamMembers), true)
	return in.send(ctx, deps, in.Msg, deliver.Request{ID: in.id, Target: target})
}

// text returns the prompt from wherever it is to come.
func (in *sending) text(ctx context.Context, env *verb.Env, msg string) (string, error) {
	if in.Replay != "" {
		records, err := env.Store(ctx)
		if err != nil {
			return "", err
		}
		prompt, err := store.PromptsIn(records).One(ctx, in.Replay)
		return prompt.Text, err
	}
	if in.Palette == "" {
		return message(env, msg, string(in.MsgFile))
	}
	prompts, err := palette.Load(env.Location)
	if err != nil {
		return "", err
	}
	found, err := palette.Find(prompts, in.Palette)
	if err != nil {
		return "", err
	}
	return found.Fill(in.Fill)
}

// fits sees that the prompt comes from one place, and that it can be waited for.
func (in *sending) fits(msg string) error {
	switch {
	case in.Replay != "" && msg != "":
		return registry.Conflict("--replay", "--msg")
	case in.Replay != "" && in.Palette != "":
		return registry.Conflict("--replay", "--palette")
	case in.Replay != "" && in.MsgFile != "":
		return registry.Conflict("--replay", "--msg-file")
	case in.Palette != "" && msg != "":
		return registry.Conflict("--palette", "--msg")
	case in.Palette == "" && len(in.Fill) > 0:
		return registry.Missing("--fill is of a saved prompt", "Give its --palette.", "--palette")
	case in.Palette != "" && in.MsgFile != "":
		return registry.Conflict("--palette", "--msg-file")
	case msg != "" && in.MsgFile != "":
		return registry.Conflict("--msg", "--msg-file")
	case msg == "" && in.MsgFile == "" && in.Palette == "" && in.Replay == "":
		return noMessage()
	case in.Wait && in.NoEnter:
		return registry.Conflict("--wait", "--no-enter", "Nothing begins to work without Enter.")
	}
	return nil
}

// message returns the prompt from a flag, a file or standard input.
func message(env *verb.Env, msg, file string) (string, error) {
	switch {
	case file != "" && file != "-":
		text, err := plainfile.Read(file, plainfile.Record)
		if errors.Is(err, os.ErrNotExist) {
			return "", &core.Error{
				Code: core.InvalidInput, Message: "--msg-file: " + file + " does not exist", Err: err,
			}
		} else if err != nil {
			return "", core.Errorf(core.IOError, "--msg-file: %w", err)
		}
		return string(text), nil
	case msg == "-" || file == "-":
		return env.Stdin()
	case msg == "":
		return "", noMessage()
	}
	return msg, nil
}

func noMessage() *core.Error {
	return registry.Missing("the prompt is missing",
		"Give it in quotes as the last argument, with --msg-file or --palette, or as - to read standard input.",
		"--msg")
}

// CountDeliveries counts deliveries by their outcome.
func CountDeliveries(deliveries []DeliveryRow) SendSummary {
	s := SendSummary{Panes: len(deliveries)}
	for _, d := range deliveries {
		switch {
		case d.Outcome == core.Delivered:
			s.Delivered++
		case d.Outcome == core.Queued:
			s.Queued++
		case d.Outcome == core.Steered:
			s.Steered++
		case d.Outcome == core.Planned:
			s.Planned++
		case d.Outcome.Failed():
			s.Failed++
		}
	}
	return s
}

// Next suggests what to do next.
func (o SendOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	return afterSending(&o)
}

// Undelivered are the panes that did not take the prompt.
func (o SendOut) Undelivered() []core.PaneRef {
	var refs []core.PaneRef
	for i := range o.Deliveries {
		if o.Deliveries[i].Outcome.Failed() {
			refs = append(refs, o.Deliveries[i].PaneRef)
		}
	}
	return refs
}

// Report shows the outcome at each pane, also with a failure.
func (o SendOut) Report() *report.Report {
	r := report.TableOf(o.Deliveries, time.Time{}, "").Report()
	if o.Wait != nil {
		o.Wait.shown(r)
	}
	return r
}

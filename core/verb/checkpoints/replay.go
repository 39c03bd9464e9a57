package checkpoints

import (
	"context"
	"errors"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/registry"
)

// originReplay is the origin of prompts that were sent again.
const originReplay = "replay"

// ReplayIn is the input of the verb replay.
type ReplayIn struct {
	Session string `arg:"1" names:"session" help:"Session or pane to send it to (default: where it went)"`
	ID      string `names:"record" help:"Id of the prompt, as 'cupola history' lists it (default: the newest to the session)"`
	registry.OfPanes
	registry.OverBudget
	When string `default:"ready" enum:"ready,now" help:"When to send to an agent that takes prompts into its running turn: wait until it is idle, or send now"`
	registry.Preview

	// id names the prompt; empty makes one.
	id string
}

// Named returns the input with the id of its prompt.
func (in ReplayIn) Named(id string) ReplayIn {
	in.id = id
	return in
}

type replayOut struct {
	// ID names this send, Of the prompt that was sent again.
	ID string `json:"id"`
	Of string `json:"of"`
	// SentAt is when it was sent before.
	SentAt time.Time `json:"sent_at"`
	Text   string    `json:"text"`
	// Unrecorded is the reason why the history lacks this send; absent if it does not.
	Unrecorded string       `json:"unrecorded,omitempty"`
	DryRun     bool         `json:"dry_run"`
	Filters    verb.Filters `json:"filters,omitzero"`
	// Deliveries has one row per pane, as those of send.
	Deliveries []agents.DeliveryRow `json:"deliveries"`
	Summary    agents.SendSummary   `json:"summary"`
}

// Replay declares the verb replay.
var Replay = registry.Define(registry.Spec[verb.OnRecords, ReplayIn, replayOut]{
	Name: "replay", Of: "send", Group: verb.GroupKeep, Short: "Send a prompt from the history again",
	Long: "Delivers a recorded prompt as 'send' would: to the panes it went to, or, if you name another session, " +
		"to the agents there.",
	Scope: registry.Session, Effect: registry.Answers, List: "deliveries",
	Deprecated: registry.Prefixed{Prefix: "replay", Flags: []string{"dry-run", "id"}},
	Examples:   []string{"web", "web --dry-run"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.NotFound, core.DeliveryFailed,
		core.BudgetExceeded, core.EngineUnavailable, core.StoreError, core.StoreLocked, core.MigrationFailed,
		core.PermissionDenied,
	},
	Run: runReplay,
})

// Check sees that a prompt is named.
func (in ReplayIn) Check() error {
	if in.Session != "" || in.ID != "" {
		return nil
	}
	return &core.Error{
		Code: core.MissingRequired, Message: "replay needs --id or a session", Hint: "See 'cupola history'.",
		Actions: []string{"cupola history"}, Details: map[string]any{"missing": []string{"--id"}},
	}
}

func runReplay(ctx context.Context, deps verb.OnRecords, in ReplayIn) (replayOut, error) {
	if in.Session != "" {
		if _, _, err := deps.Chosen(ctx, verb.TargetOf(in.Session, registry.OfPanes{}, true, nil)); err != nil {
			return replayOut{}, err
		}
	}
	prompt, err := promptToReplay(ctx, deps, in)
	if err != nil {
		return replayOut{}, err
	}
	target := deps.Acting(ctx, replayTarget(&prompt, in), true)
	sent, err := deps.Fleet.Sender.Send(ctx, deliver.Request{
		ID: in.id, Target: target, Text: prompt.Text, Now: in.When == "now", OverrideBudget: in.OverrideBudget,
		DryRun: in.DryRun, Origin: originReplay, Progress: deps.Env.Progress,
	})
	out := replayOut{
		ID: sent.ID, Of: prompt.ID, SentAt: prompt.At, Text: prompt.Text, Unrecorded: sent.Unrecorded,
		DryRun: in.DryRun, Filters: verb.Echo(target), Deliveries: agents.DeliveryRows(sent.Deliveries),
		Summary: agents.CountDeliveries(agents.DeliveryRows(sent.Deliveries)),
	}
	if failed := new(core.Error); errors.As(err, &failed) && failed.Code == core.DeliveryFailed {
		failed.Details = out
	}
	return out, err
}

// promptToReplay is the prompt to send again: by its id, or the newest that went
// to the session or pane.
func promptToReplay(ctx context.Context, deps verb.OnRecords, in ReplayIn) (core.Prompt, error) {
	id := in.ID
	if id == "" {
		var err error
		if id, err = agents.NewestOf(ctx, deps.Records, deps.Server, in.Session); err != nil {
			return core.Prompt{}, err
		}
	}
	return store.PromptsIn(deps.Records).One(ctx, id)
}

// replayTarget is where a prompt goes: to its own panes, unless others are named.
func replayTarget(prompt *core.Prompt, in ReplayIn) resolve.Target {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	if in.Session != "" && in.Session != prompt.Session {
		return target
	}
	target.Session = prompt.Session
	if len(in.Panes) == 0 && len(in.Type) == 0 {
		for i := range prompt.Deliveries {
			target.Panes = append(target.Panes, strconv.Itoa(prompt.Deliveries[i].Ordinal))
		}
	}
	return target
}

// Report shows the outcome at each pane, also with a failure.
func (o replayOut) Report() *report.Report {
	r := report.Say(report.Text("Again: "), report.Toned(report.Dim, o.Text))
	return r.AddRows("", o.Deliveries, time.Time{})
}

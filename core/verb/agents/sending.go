package agents

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// sending is how a prompt is sent, to one session or to many.
type sending struct {
	MsgFile registry.ReadPath `help:"Read the prompt from a file"`
	Palette string            `help:"Send the saved prompt with this key; 'cupola palette' lists them"`
	Fill    []string          `whole:"true" help:"With --palette: the value of a field ${NAME} of it, as NAME=VALUE; repeat for more"`
	Replay  string            `names:"record" help:"Send this prompt of the history again; 'cupola history' lists them"`
	registry.OfPanes
	registry.TeamMembers
	registry.UserPanes
	registry.Excluded
	registry.OverBudget
	When         string        `default:"ready" enum:"ready,now" help:"When to send to an agent that takes prompts into its running turn: wait until it is idle, or send now"`
	NoEnter      bool          `help:"Leave the text in the agent's composer"`
	ReplaceDraft bool          `help:"First clear the draft there"`
	Force        bool          `help:"Type also where an unknown program may take the text for something else: at a password, a question, in a pager, on the whole screen"`
	Command      bool          `help:"Send a command of the agent's own, such as /compact or !ls, as it is; without it a prompt stays text"`
	Track        bool          `help:"Return an id for 'ack', which waits until the prompt has been taken up"`
	Wait         bool          `help:"Wait until those that received it are idle again; with no agent to wait for nothing is sent"`
	Timeout      time.Duration `default:"5m" help:"How long to wait with --wait (90s, 5m; a bare number is seconds); 0 never gives up"`
	registry.Preview
}

// sendErrors are the error codes of sending.
var sendErrors = append([]core.Code{
	core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.DeliveryFailed, core.BudgetExceeded,
	core.StoreError, core.StoreLocked, core.MigrationFailed, core.NotFound, core.ConfigInvalid, core.NotReady,
	core.Timeout, core.IOError,
}, core.EngineUnavailable, core.PermissionDenied)

// startsWithin is how long an agent that took a prompt may take until it is seen
// to work. One that is idle all that time has answered already.
const startsWithin = 3 * time.Second

// send delivers a message to the panes that the request names, and waits if asked to.
func (in *sending) send(ctx context.Context, deps verb.OnFleet, msg string, request deliver.Request) (SendOut,
	error,
) {
	text, err := in.text(ctx, deps.Env, msg)
	if err != nil {
		return SendOut{}, err
	}
	request.Text, request.NoEnter, request.ReplaceDraft, request.Now = text, in.NoEnter, in.ReplaceDraft,
		in.When == "now"
	request.Timeout, request.Command, request.Force = in.Timeout, in.Command, in.Force
	request.Origin, request.Await, request.Progress = deps.Env.Origin, in.Wait, deps.Env.Progress
	request.DryRun, request.Track, request.OverrideBudget = in.DryRun, in.Track, in.OverrideBudget
	sent, err := deps.Fleet.Sender.Send(ctx, request)
	out := SendOut{
		ID: sent.ID, Unrecorded: sent.Unrecorded, Bytes: sent.Bytes, DryRun: in.DryRun,
		Filters:    verb.Echo(request.Target),
		Deliveries: DeliveryRows(sent.Deliveries), Summary: CountDeliveries(DeliveryRows(sent.Deliveries)),
	}
	if in.DryRun {
		warnOfShells(deps.Env, out.Deliveries)
	}
	switch {
	case in.DryRun || !in.Track:
	case sent.Unrecorded == "":
		out.TrackingID = sent.ID
	default:
		out.ID = ""
		deps.Env.Warn("'ack' cannot follow this prompt, for it is not on record: " + sent.Unrecorded)
	}
	if failed := new(core.Error); errors.As(err, &failed) && failed.Code == core.DeliveryFailed {
		failed.Details = out
	}
	if err == nil && in.Wait && !in.DryRun {
		err = out.await(ctx, deps, in.Timeout, sent.Await)
	}
	return out, err
}

// warnOfShells says which panes hold no agent, so that a prompt to them may be run
// as a command.
func warnOfShells(env *verb.Env, deliveries []DeliveryRow) {
	for i := range deliveries {
		if d := &deliveries[i]; d.Outcome == core.Planned && d.Kind == "" {
			env.Warn(d.Address() + " holds no agent: a shell there would run the text as a command")
		}
	}
}

// await waits until the panes that took the prompt are idle, as far as they must be
// waited for. The others are skipped.
func (o *SendOut) await(ctx context.Context, deps verb.OnFleet, timeout time.Duration, panes []core.PaneRef) error {
	waited := &waitedFor{}
	o.Wait = waited
	request := await.Request{WorkWithin: startsWithin, Timeout: timeout, Progress: deps.Env.Progress}
	var waitedOn []core.PaneRef
	var kinds []core.Kind
	for _, d := range o.Deliveries {
		if slices.Contains(panes, d.PaneRef) && d.Outcome != core.Typed {
			waitedOn, kinds = append(waitedOn, d.PaneRef), append(kinds, d.Kind)
			request.Target.Panes = append(request.Target.Panes, string(d.Pane))
		} else {
			waited.Skipped = append(waited.Skipped, d.PaneRow)
		}
	}
	if len(request.Target.Panes) == 0 {
		return nil
	}
	warnUnreadable(deps.Env, waitedOn, kinds, timeout)
	result, err := deps.Fleet.Waiter.Wait(ctx, request)
	if result != nil {
		waited.fill(result)
	}
	more := longer(err, timeout)
	err = waited.ended(err, *o, func(pending []string) []string {
		return core.Map(pending[:min(verb.MostPlaces, len(pending))], func(place string) string {
			return deps.Env.Catalog.Find("wait").Command(waitIn{
				AnySession: registry.AnySession{Session: place},
				Timeout:    more,
			})
		})
	})
	if ended := new(core.Error); errors.As(err, &ended) {
		ended.Message = "the prompt was delivered, but " + ended.Error()
		if len(waited.Needs) > 0 {
			ended.Hint = "Do not send it again. " + waited.decide() + " Then wait for it and read its reply."
		} else {
			ended.Hint = "Do not send it again: wait for the agent, or look at its pane, and read its reply."
		}
	}
	return err
}

// BroadcastIn is the input of the verb broadcast.
type BroadcastIn struct {
	Prompt string `arg:"1" help:"The prompt; - reads it from standard input"`
	Msg    string `help:"The prompt, as a flag"`
	Filter string `default:"*" names:"sessions" help:"Only sessions whose name matches this pattern, such as api-*"`
	sending
}

// BroadcastOut is the answer of the verb broadcast.
type BroadcastOut struct {
	// Filter is the pattern that the sessions match.
	Filter string `json:"filter,omitempty"`
	// Sessions has one row per session that the prompt went to.
	Sessions []broadcastRow `json:"sessions" minimal:"name,failed"`
	SendOut
}

// broadcastRow counts the outcome of the prompt in one session.
type broadcastRow struct {
	Session string `json:"name"`
	SendSummary
}

var broadcast = registry.Define(registry.Spec[verb.OnFleet, BroadcastIn, BroadcastOut]{
	Name: "broadcast", Of: "send", Group: verb.GroupAgents, Doing: "sending to",
	Short: "Deliver a prompt to the agents of all sessions, or of those whose names match",
	Long: "It is one prompt with one id, delivered as 'send' does. Panes are named by address, such as api.1. " +
		"Sessions without matching panes are skipped.",
	Scope: registry.Global, Effect: registry.Answers, OnTerminals: true,
	Examples: []string{"'say hello' --filter='a*'", "--msg='commit what you have' --dry-run"},
	List:     "deliveries",
	Errors:   sendErrors, Run: runBroadcast,
})

// Next suggests what to do next.
func (o BroadcastOut) Next() []registry.Action {
	if o.DryRun {
		return nil
	}
	return append(afterSending(&o.SendOut),
		verb.NextAction("status", "See what the agents do now", "status"))
}

// Check sees that there is one prompt, and that the filter is a pattern.
func (in BroadcastIn) Check() error {
	if in.Prompt != "" && in.Msg != "" {
		return registry.Conflict("--msg", "a prompt as an argument")
	}
	if _, err := path.Match(in.Filter, ""); err != nil {
		return &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("--filter: %q is not a pattern", in.Filter),
			Hint: "* matches any text, ? one character, [ab] one of them.",
		}
	}
	return in.fits(in.Prompt + in.Msg)
}

// isPattern reports whether the word for a session is a pattern for the names of several.
func isPattern(session string) bool { return strings.ContainsAny(session, "*?") }

func runBroadcast(ctx context.Context, deps verb.OnFleet, in BroadcastIn) (BroadcastOut, error) {
	sent, err := in.sendMany(ctx, deps, in.Prompt+in.Msg, "", in.Filter)
	out := BroadcastOut{Filter: in.Filter, Sessions: bySession(sent.Deliveries), SendOut: sent}
	if failed := new(core.Error); errors.As(err, &failed) {
		if _, partly := failed.Details.(SendOut); partly {
			failed.Details = out
		}
	}
	return out, err
}

// sendMany delivers a message to the sessions whose names match a pattern. Id names the prompt; empty makes one.
func (in *sending) sendMany(ctx context.Context, deps verb.OnFleet, msg, id, pattern string) (SendOut, error) {
	target := deps.Acting(ctx, verb.WithTeam(verb.TargetOf("", in.OfPanes, in.All, in.Exclude), in.TeamMembers), true)
	return in.send(ctx, deps, msg, deliver.Request{ID: id, Target: target, Filter: pattern})
}

// bySession counts deliveries session by session, in the order in which they come.
func bySession(deliveries []DeliveryRow) []broadcastRow {
	rows := []broadcastRow{}
	for from := 0; from < len(deliveries); {
		to := from
		for to < len(deliveries) && deliveries[to].Session == deliveries[from].Session {
			to++
		}
		rows = append(rows, broadcastRow{deliveries[from].Session, CountDeliveries(deliveries[from:to])})
		from = to
	}
	return rows
}

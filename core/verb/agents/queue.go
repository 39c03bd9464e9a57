package agents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"cupola/core"
	"cupola/core/fleet/queue"
	"cupola/core/fleet/resolve"
	"cupola/core/record/undo"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// QueueIn is the input of the verb queue.
type QueueIn struct {
	registry.AnySession
	Msg string `arg:"2" help:"The prompt to queue; - reads it from standard input"`
	registry.OfPanes
	Command bool   `help:"It is a command of the agent's own, such as /compact; without it a prompt stays text"`
	At      int    `min:"1" help:"Its position at its agent; 1 is next"`
	Edit    string `names:"record" help:"Instead: give the queued prompt with this id the text of --msg"`
	Move    string `names:"record" help:"Instead: move the one with this id to the position --at, or behind those of the agent that is named"`
	Drop    string `names:"record" help:"Instead: drop the one with this id, or all of the agents that are named"`
	registry.Preview
}

// dropAll drops all prompts of some agents.
const dropAll = "all"

// OnlyShows reports whether the call lists the queued prompts.
func (in QueueIn) OnlyShows() bool {
	return in.Msg == "" && in.Edit == "" && in.Move == "" && in.Drop == ""
}

// QueueOut is the answer of the verb queue.
type QueueOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	DryRun  bool         `json:"dry_run"`
	// Queue has the prompts, of each agent in their order: those that wait, or that were queued, changed or dropped.
	Queue []QueueRow `json:"queue" empty:"no prompt waits" filtered:"no prompt waits there"`

	did string
}

// QueueRow is one queued prompt.
type QueueRow struct {
	_ struct{} `minimal:"session,ordinal,position,id,text" standard:"session,ordinal,agent,position,id,at,text,outcome,why"`
	_ struct{} `table:"PANE,AGENT,#,ID,QUEUED,HOW FAR,PROMPT"`
	core.QueuedPrompt
}

// Cell shows the pane, the agent, and how far the prompt is.
func (r *QueueRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "PANE":
		return report.Toned(report.Strong, r.Address()), true
	case "AGENT":
		return report.Text(r.Agent), true
	case "HOW FAR":
		tone := report.Dim
		if r.Gone || r.Held() || r.AfterInterrupt() {
			tone = report.Warn
		}
		return report.Toned(tone, r.Words()), true
	}
	return report.Cell{}, false
}

var queued = registry.Define(registry.Spec[verb.OnFleet, QueueIn, QueueOut]{
	Name: "queue", Group: verb.GroupAgents, Doing: "queueing for", Short: "Queue prompts for agents that work",
	Long: "A queued prompt is delivered by itself once its agent is idle, after those before it, while a dashboard, " +
		"a server or a watch runs; until then it can be changed, moved and dropped. It survives the end of every " +
		"process. An agent that shows a dialog or a draft is tried again. Behind a turn that was interrupted the " +
		"queue waits until the next turn ends, or you queue, move or change a prompt. If it is not certain that one " +
		"arrived, it and those behind it wait for you: --edit sends it again, --drop does not. It is bound to its " +
		"pane, also through a restart of the agent; prompts of a pane that is gone stay listed, and --move gives " +
		"them to another agent.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "queue",
	Examples: []string{"api.1 'now run the tests' --dry-run", "", "api"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.NotFound, core.Conflict, core.Ambiguous,
		core.EngineUnavailable, core.Timeout, core.StoreError, core.StoreLocked, core.MigrationFailed,
		core.PermissionDenied,
	},
	Run: runQueue,
}).SeeAlso("send", "history")

// Check sees that there is one thing to do.
func (in QueueIn) Check() error {
	given := []string{}
	for _, one := range []struct{ flag, value string }{
		{"--edit", in.Edit}, {"--move", in.Move}, {"--drop", in.Drop},
	} {
		if one.value != "" {
			given = append(given, one.flag)
		}
	}
	switch {
	case len(given) > 1:
		return registry.Conflict(given[0], given[1])
	case in.Edit != "" && in.Msg == "":
		return registry.Missing("--edit needs the new text", "Give it with --msg.", "--msg")
	case in.Msg != "" && (in.Move != "" || in.Drop != ""):
		return registry.Conflict("--msg", given[0])
	case in.At != 0 && (in.OnlyShows() || in.Edit != "" || in.Drop != ""):
		return registry.Missing("--at is of a prompt that is queued or moved", "Give a prompt, or --move=ID.", "--msg")
	case in.Command && (in.Msg == "" || in.Edit != ""):
		return registry.Missing("--command is of a prompt that is queued", "Give the prompt.", "--msg")
	case in.Move != "" && in.At == 0 && in.Session == "":
		return registry.Missing("where the prompt moves is missing", "Give --at, or an agent.", "--at")
	case in.Session == "" && (in.Msg != "" && in.Edit == "" || in.Drop == dropAll):
		missing := registry.Missing("the agent is missing", "", "SESSION")
		missing.Hint = "For example: " + shell.Line("cupola", "queue", "api.1", "run the tests")
		return missing
	}
	return nil
}

func runQueue(ctx context.Context, deps verb.OnFleet, in QueueIn) (out QueueOut, err error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	if !in.OnlyShows() {
		target = deps.Acting(ctx, target, true)
	}
	out = QueueOut{Filters: verb.Echo(target), DryRun: in.DryRun}
	q := deps.Fleet.Queue
	var text string
	if in.Msg != "" {
		if text, err = message(deps.Env, in.Msg, ""); err != nil {
			return out, err
		}
	}
	var changed core.QueuedPrompt
	var found []core.QueuedPrompt
	done := "would have "
	if !in.DryRun {
		done = ""
	}
	switch {
	case in.OnlyShows():
		if found, err = q.List(ctx, target); err == nil {
			warnBeside(ctx, deps, target)
		}
	case in.Edit != "":
		changed, err = q.Edit(ctx, in.Edit, text, in.DryRun)
		out.did = done + "changed a prompt of " + changed.Address()
	case in.Move != "":
		if in.At > 0 {
			target = resolve.Target{} // only its host is meant
		}
		changed, err = q.Move(ctx, in.Move, in.At, target, in.DryRun)
		out.did = done + "moved a prompt of " + changed.Address() + " to position " + strconv.Itoa(changed.Position)
	case in.Drop != "":
		found, err = in.drop(ctx, q, target)
		out.did = done + "dropped " + verb.Plural(len(found), "queued prompt")
		recordDropped(ctx, deps.Env, out.did, found, in.DryRun)
	default:
		found, err = q.Add(ctx, queue.Request{
			Target: target, Text: text, Command: in.Command, At: in.At, Origin: deps.Env.Origin, DryRun: in.DryRun,
		})
	}
	if changed.ID != "" && err == nil {
		found = []core.QueuedPrompt{changed}
	}
	out.Queue = core.Map(found, func(q core.QueuedPrompt) QueueRow { return QueueRow{QueuedPrompt: q} })
	if in.Msg != "" && in.Edit == "" {
		out.did = done + "queued for " + verb.PanesNamed(out.Queue)
	}
	if err == nil && in.Drop == "" && len(out.Queue) > 0 {
		warnUnkept(ctx, deps)
	}
	return out, err
}

// drop drops one prompt, or all of some agents.
func (in *QueueIn) drop(ctx context.Context, q *queue.Queue, target resolve.Target) ([]core.QueuedPrompt, error) {
	if in.Drop != dropAll {
		one, err := q.Drop(ctx, in.Drop, in.DryRun)
		if err != nil {
			return nil, err
		}
		return []core.QueuedPrompt{one}, nil
	}
	all, err := q.List(ctx, target)
	if err != nil {
		return nil, err
	}
	var dropped []core.QueuedPrompt
	for i := range all {
		one, err := q.Drop(ctx, all[i].ID, in.DryRun)
		if err != nil {
			return dropped, err
		}
		one.Position = all[i].Position
		dropped = append(dropped, one)
	}
	return dropped, nil
}

// recordDropped lets a drop be undone.
func recordDropped(ctx context.Context, env *verb.Env, did string, dropped []core.QueuedPrompt, dryRun bool) {
	if len(dropped) == 0 || dryRun {
		return
	}
	verb.ActedOnServer(ctx, env, undo.Act{
		Did: did, Back: "queues them again", Queued: core.Map(dropped, func(q core.QueuedPrompt) undo.Queued {
			return undo.Queued{Owner: q.Owner, Prompt: q}
		}),
	})
}

// warnUnkept says that no process delivers what waits, where none does.
func warnUnkept(ctx context.Context, deps verb.OnFleet) {
	if _, kept, err := deps.Fleet.Dir.Kept(ctx); err == nil && !kept {
		deps.Env.Warn("queued prompts are delivered while a dashboard, a server or 'cupola watch' runs; none does now")
	}
}

// warnBeside says which agents by protocol have more prompts in their own panes.
func warnBeside(ctx context.Context, deps verb.OnFleet, target resolve.Target) {
	beside, err := deps.Fleet.Queue.Beside(ctx, target)
	if err != nil {
		return // the session is gone, and only what it left is listed
	}
	for _, address := range slices.Sorted(maps.Keys(beside)) {
		deps.Env.Warn(fmt.Sprintf("%s keeps %s more in its own pane, behind its turn; Escape there takes them back",
			address, verb.Plural(beside[address], "prompt")))
	}
}

// Said says what was done.
func (o QueueOut) Said() string { return o.did }

// Next suggests what to do with the first prompt.
func (o QueueOut) Next() []registry.Action {
	for i := range o.Queue {
		row := &o.Queue[i]
		switch {
		case o.did != "":
		case row.AfterInterrupt():
			return []registry.Action{
				verb.NextAction("queue", "Deliver it, and those behind it, after all", "queue", "--move="+row.ID,
					"--at="+strconv.Itoa(row.Position)),
				verb.NextAction("queue", "Drop it", "queue", "--drop="+row.ID),
			}
		case row.Held():
			return []registry.Action{
				verb.NextAction("tail", "See whether "+row.Address()+" has the prompt", "tail", row.Address()),
				verb.NextAction("queue", "Drop it, if it has", "queue", "--drop="+row.ID),
			}
		}
	}
	return nil
}

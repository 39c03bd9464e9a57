package sessions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// KillIn is the input of the verb kill.
type KillIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	Leftovers bool   `help:"End no pane but the processes that agents of earlier sessions of this name left behind"`
	Worktrees string `enum:"keep,remove" help:"What becomes of the worktrees of the agents that end (default: keep)"`
	registry.Consent
	registry.Preview
}

// KillOut is the answer of the verb kill.
type KillOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Session is the session that ended whole; absent if only panes did.
	Session string         `json:"session,omitempty" names:"session"`
	DryRun  bool           `json:"dry_run"`
	Panes   []verb.PaneRow `json:"panes" minimal:"session,ordinal"`
	// Reaped counts processes that outlived their pane and were ended.
	Reaped int `json:"reaped"`
	// Ending are, in a dry run, the processes that would be ended: all of the agents, or the leftovers.
	Ending []processRow `json:"ending,omitempty" minimal:"pid,name"`
	// Left are processes that were started in the panes and keep running, each with the reason.
	Left []leftRow `json:"leftovers,omitempty" minimal:"pid,name"`
	// Background are agents with commands of theirs that run in the background and end too, of a dry run; absent for
	// none.
	Background []string `json:"background_agents,omitempty" names:"panes"`
	// Worktrees are the worktrees of the agents that ended; absent where they had none.
	Worktrees []killedTree `json:"worktrees,omitempty" minimal:"path,removed"`

	leftovers bool
}

// killedTree is the outcome of the worktree of an agent that ended.
type killedTree struct {
	treeRef
	// Removed is true if it was removed with its branch; Why says why not although it was
	// to be.
	Removed bool   `json:"removed"`
	Why     string `json:"why,omitempty"`
}

// killedTrees are the rows of an answer.
func killedTrees(killed *lifecycle.Killed) []killedTree {
	return core.Map(killed.Worktrees, func(tree lifecycle.KilledWorktree) killedTree {
		return killedTree{refOfTree(&tree.Tree), tree.Removed, tree.Why}
	})
}

var kill = registry.Define(registry.Spec[verb.OnFleet, KillIn, KillOut]{
	Name: "kill", Group: verb.GroupFleet, Doing: "ending",
	Short: "End a session or panes of it",
	Aliases: []string{
		"session kill", "session end", "session stop", "session delete", "session remove", "pane kill",
		"agent kill",
	},
	Long: "Without --panes, --type or --exclude the whole session ends. What its agents started ends with them, also " +
		"in process sessions of their own: it is known by its parents, its terminal and its environment. " +
		"'left' lists the processes that keep running and why: terminal servers that an agent started, processes " +
		"of other users, " +
		"what was started in user panes. --leftovers ends what agents of an earlier session of that name left " +
		"behind, which 'status' lists, whether a session of that name runs or not. Worktrees of agents stay, with " +
		"their branches; --worktrees=remove takes them away and fails with " +
		"CONFLICT, before anything ends, where work would be lost. One that another pane is in stays.",
	Scope: registry.Session, Effect: registry.Destroys, OnTerminals: true, List: "panes",
	Examples: []string{"web --yes", "api.1 --dry-run", "api --leftovers --dry-run"},
	Errors: []core.Code{
		core.Conflict, core.SessionNotFound, core.PaneNotFound, core.AgentNotFound,
		core.EngineUnavailable, core.PermissionDenied,
	},
	Run: runKill,
})

// Check sees that leftovers are named by their session alone.
func (in KillIn) Check() error {
	switch {
	case !in.Leftovers:
	case len(in.Panes) > 0:
		return registry.Conflict("--leftovers", "--panes")
	case in.Worktrees != "":
		return registry.Conflict("--leftovers", "--worktrees")
	}
	return nil
}

// Next suggests what to do next.
func (o KillOut) Next() []registry.Action {
	for i := range o.Worktrees {
		if tree := &o.Worktrees[i]; !tree.Removed && !o.DryRun {
			return verb.NextOnly("worktrees", "List the worktrees that stay", "worktree-list", "--dir", tree.Path)
		}
	}
	return nil
}

// Hints returns advice for the caller.
func (o KillOut) Hints() *registry.Hints {
	if len(o.Background) == 0 {
		return nil
	}
	return &registry.Hints{Warnings: []string{
		"commands that run in the background would end too: those of " + strings.Join(o.Background, ", "),
	}}
}

func runKill(ctx context.Context, deps verb.OnFleet, in KillIn) (KillOut, error) {
	request := lifecycle.KillRequest{
		Target:          deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false),
		RemoveWorktrees: in.Worktrees == "remove", Leftovers: in.Leftovers, DryRun: true,
	}
	planned, err := deps.Fleet.Launcher.Kill(ctx, request)
	if err != nil {
		return KillOut{}, err
	}
	out := KillOut{
		Filters: verb.Echo(request.Target), Session: planned.Session, DryRun: in.DryRun,
		Panes: verb.RowsOf(planned.Panes), Worktrees: killedTrees(planned), leftovers: in.Leftovers,
	}
	if in.DryRun || in.Leftovers && len(planned.Ending) == 0 {
		out.Ending, out.Left = processRows(planned.Ending), leftRows(planned.Left)
		out.Background = verb.Addresses(planned.Background)
		return out, nil
	}
	may := verb.Permission{Verb: "kill", In: in, Given: in.Given()}
	if err := may.Ask(deps.Env.Who(), killQuestion(planned)); err != nil {
		return KillOut{}, err
	}
	request.DryRun, request.Agreed = false, planned
	ended := endingOf(ctx, deps, planned)
	done, err := deps.Fleet.Launcher.Kill(ctx, request)
	if err != nil {
		return KillOut{}, err
	}
	out.Panes, out.Reaped, out.Worktrees = verb.RowsOf(done.Panes), done.Reaped, killedTrees(done)
	out.Left = leftRows(done.Left)
	out.recordEnd(ctx, deps.Env, ended)
	return out, nil
}

func killQuestion(planned *lifecycle.Killed) string {
	what := verb.Plural(len(planned.Panes), "pane")
	if len(planned.Panes) == 0 {
		what = verb.Plural(len(planned.Ending), "process") + " that agents left behind"
	}
	if planned.Session != "" {
		what = fmt.Sprintf("session %s with %s", planned.Session, what)
	}
	if busy := verb.Addresses(planned.Background); len(busy) > 0 {
		what += ", and the commands that run in the background of " + strings.Join(busy, ", ")
	}
	if len(planned.Worktrees) > 0 && planned.Worktrees[0].Removed {
		what += ", and remove " + verb.Plural(len(planned.Worktrees), "worktree")
	}
	return "End " + what + "?"
}

// Report shows the answer to people.
func (o KillOut) Report() *report.Report {
	v := verb.Done(o.DryRun, "Ended ", "Would end ")
	what := verb.PanesNamed(o.Panes)
	if o.Session != "" {
		what = o.Session + " with " + verb.Plural(len(o.Panes), "pane")
	}
	line := report.Line{v, report.Text(what)}
	switch {
	case o.leftovers && o.Reaped+len(o.Ending)+len(o.Left) == 0:
		line = report.Line{report.Text("No agent of an earlier session of that name left anything behind.")}
	case o.leftovers:
		line = report.Line{
			v, report.Text(verb.Plural(o.Reaped+len(o.Ending), "process")), report.Text(" that agents left behind"),
		}
	case o.Reaped > 0:
		line = append(line, report.Toned(report.Dim,
			fmt.Sprintf(" and %s that outlived them", verb.Plural(o.Reaped, "process"))))
	}
	lines := slices.Concat([]report.Line{line}, endingLines(o.Ending), leftLines(o.Left))
	if len(o.Background) > 0 {
		lines = append(lines, report.Line{report.Toned(report.Warn,
			"  and the commands that run in the background of "+strings.Join(o.Background, ", "))})
	}
	for i := range o.Worktrees {
		tree := &o.Worktrees[i]
		said := "  kept its worktree " + tree.Path
		switch {
		case tree.Removed && o.DryRun:
			said = "  and remove its worktree " + tree.Path
		case tree.Removed:
			said = "  removed its worktree " + tree.Path
		case o.DryRun:
			said = "  and keep its worktree " + tree.Path
		}
		if tree.Why != "" {
			said += ": " + tree.Why
		}
		lines = append(lines, report.Line{report.Toned(report.Dim, said)})
	}
	return (&report.Report{}).Add(report.Block{Lines: lines})
}

// processRow is a process of an agent.
type processRow struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// leftRow is a process that was not ended.
type leftRow struct {
	processRow
	Why string `json:"why"`
}

func processRows(procs []process.Proc) []processRow {
	return core.Map(procs, func(p process.Proc) processRow { return processRow{p.PID, p.Name} })
}

func leftRows(left []job.Left) []leftRow {
	return core.Map(left, func(l job.Left) leftRow { return leftRow{processRow{l.PID, l.Name}, l.Why} })
}

// endingLines and leftLines list the processes that would end, and the ones that keep running.
func endingLines(ending []processRow) []report.Line {
	return core.Map(ending, func(p processRow) report.Line {
		return report.Line{
			report.Toned(report.Dim, fmt.Sprintf("  with process %d (%s)", p.PID, p.Name)),
		}
	})
}

func leftLines(left []leftRow) []report.Line {
	return core.Map(left, func(p leftRow) report.Line {
		return report.Line{report.Toned(report.Warn,
			fmt.Sprintf("  process %d (%s) keeps running: %s", p.PID, p.Name, p.Why))}
	})
}

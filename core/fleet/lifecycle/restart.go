package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process/job"
	"cupola/core/system/shell"
)

// RestartRequest asks to restart agents in their panes.
type RestartRequest struct {
	Target resolve.Target
	// Fresh starts without the session that the agent had. Session is the id of the session to resume, for a target of
	// one agent; if it is empty, each agent resumes the session that is its own for sure.
	Fresh   bool
	Session string
	// By is how the panes are shown from then on; empty is as they are.
	By agent.By
	// Dir is the folder to start in, for a target of one agent; empty is the one that it was in.
	Dir string
	// Smart restarts only agents that lose nothing by it: idle, stuck or gone. Force restarts the others too.
	Smart, Force bool
	// Every restarts all agents of a target that names only a session. Without it such a
	// target is MissingRequired, unless the restart is smart and not forced.
	Every bool
	// NoWait does not wait until the agents are ready. Timeout is how long to wait; 0 is
	// the kind's own start timeout.
	NoWait  bool
	Timeout time.Duration
	DryRun  bool
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc
	// pane is restarted instead of the target, if it is not empty.
	pane core.PaneID
}

// Restarted is the result at one pane.
type Restarted struct {
	core.PaneRef
	Start
	// Session is the id of the agent's own session that is resumed; if empty, a new one was
	// started, and Fresh says why.
	Session string
	Fresh   string
	// Why is the reason of a smart restart: idle, stuck, gone, forced or, if Skipped, the agent's present state.
	Why     string
	Skipped bool
	Before  core.Status
	After   core.Status
	// Reaped counts processes of the old agent that did not end by themselves.
	Reaped int
	// Left are processes of it that were not ended.
	Left     []job.Left
	Evidence []string
}

// Restart ends the agents that a target names, with all their processes, and starts them
// again in the same panes, with the same command line and, if the kind can resume, with
// their session. It returns Conflict if that session is not known for sure, unless Fresh is
// set. Panes keep ordinal, name and tags. It returns the answer beside Timeout or NotReady
// if an agent does not become ready. Agents that a smart restart skips are no error.
func (l *Launcher) Restart(ctx context.Context, request RestartRequest) (_ []Restarted, err error) {
	defer func() { err = fault.Wrap("restart", err) }()
	seen, err := l.opts.Observer.Select(ctx, observe.View{Dirs: true}, request.restartable(l.opts.Resolver))
	if err != nil {
		return nil, err
	}
	panes, places := seen.Panes, l.opts.Conversations.Places(ctx, seen)
	if request.Session != "" && len(panes) != 1 {
		return nil, core.Errorf(core.InvalidInput, "%d agents were named; a session is resumed by one", len(panes))
	}
	jobs := make([]*restart, len(panes))
	for i, pane := range panes {
		jobs[i] = &restart{
			Terminal: terminal.New(l.opts.Engine, l.opts.Observer, pane), launcher: l, request: &request,
			places: places,
		}
		if err := jobs[i].plan(ctx); err != nil {
			return nil, err
		}
	}
	answer := make([]Restarted, len(panes))
	errs := make([]error, len(panes))
	parallel.Each(panes, request.Progress, "restart", func(i int, _ *core.Pane) {
		if !jobs[i].answer.Skipped && !request.DryRun {
			errs[i] = jobs[i].runInTurn(ctx)
		}
		answer[i] = jobs[i].answer
	})
	if err := errors.Join(errs...); err != nil || request.DryRun || request.NoWait {
		return answer, err
	}
	return answer, l.awaitAgain(ctx, answer, &request)
}

// restartable picks the panes that a request names. A restart of all agents of a session
// must say so.
func (r *RestartRequest) restartable(resolver *resolve.Resolver) resolve.Selector {
	if r.pane != "" {
		return resolve.ByID(r.pane)
	}
	target := r.Target.ForPrompts()
	return func(snapshot *core.Snapshot) ([]*core.Pane, error) {
		panes, err := resolver.Resolve(snapshot, target)
		if err != nil {
			// All agents means no user panes here.
			core.AsError(err).Remedies = nil
			return nil, err
		}
		if r.Every || target.Narrowed() || r.Smart && !r.Force {
			return panes, nil
		}
		if _, single, err := resolve.Locate(snapshot, target.Session); single != nil || err != nil {
			return panes, err
		}
		return nil, resolve.SeveralAgentsError(target.Session, panes, core.RemedyRestartWhich)
	}
}

// restart is the restart of one pane.
type restart struct {
	*terminal.Terminal
	launcher *Launcher
	request  *RestartRequest
	places   conversation.Places
	// into is the kind that is started: the pane's own, or its twin that is shown in another way.
	into *agent.Kind
	argv []string
	// started is the command line without the arguments that choose a session.
	started string
	// variables are the environment that the agent had.
	variables variables
	// fresh is the id that a new session is given; empty where it is given none.
	fresh string
	// resumedSince is when the resumed session began; zero where that does not matter.
	resumedSince time.Time
	answer       Restarted
}

// plan determines what to start, and whether. It changes nothing.
func (r *restart) plan(ctx context.Context) error {
	r.answer = Restarted{
		PaneRef: r.Pane.Ref(), Start: Start{Dir: cmp.Or(r.request.Dir, r.Pane.Process.Dir)},
		Before: r.Pane.Status, After: r.Pane.Status,
	}
	if r.answer.Before.State == "" {
		r.answer.Before = observe.Undecided("it was not observed")
	}
	if r.request.Smart {
		r.consider(ctx)
	}
	if r.answer.Before.Has(core.NoteBackground) {
		r.note("a command that it started runs in the background, and ends with it")
	}
	var err error
	if r.into = r.Kind; r.request.By != "" && r.Kind != nil {
		if r.into, err = r.launcher.opts.Kinds.Twin(r.Kind, r.request.By); err != nil {
			return err
		}
		r.answer.Kind = r.into.ID
	}
	if r.argv, err = r.command(); err != nil {
		return err
	}
	r.started = shell.Line(r.argv...)
	if !r.answer.Skipped {
		if err := r.resume(ctx); err != nil {
			return err
		}
	}
	r.answer.Command = shell.Line(r.argv...)
	r.variables = r.launcher.environs.again(ctx, r.Pane)
	own := environment(slices.Concat(r.variables.Inherited, r.variables.Given))
	if !r.answer.Skipped && !own.hasProgram(r.argv[0]) {
		return core.Errorf(core.ToolNotFound, "%s: there is no program %q on PATH", r.Pane.Address(), r.argv[0])
	}
	return r.launcher.planner.sandboxes.Check(r.Pane.Agent.Sandbox)
}

// command returns the command line that the agent was started with, or would be.
func (r *restart) command() ([]string, error) {
	pane := r.Pane
	switch {
	case pane.IsUser():
		return nil, core.Errorf(core.AgentNotFound, "pane %s holds no agent", pane.Address())
	case pane.Agent.Recognised != "tag":
		err := core.Errorf(core.Conflict, "pane %s was not started by Cupola, so its shell would be lost",
			pane.Address())
		err.Remedies, err.Subject.Panes = []core.Remedy{core.RemedyAdopt}, []string{pane.Address()}
		return nil, err
	case r.into != r.Kind:
		return r.into.Argv(r.launcher.opts.Self, pane.Agent.Variant), nil
	case pane.IsCommand():
		return []string{r.launcher.environ.shell(), "-c", pane.Agent.Launch}, nil
	case pane.Agent.Launch != "":
		argv, err := shell.Words(pane.Agent.Launch)
		if err != nil || len(argv) == 0 {
			return nil, core.Errorf(core.Conflict, "the command line %q of pane %s cannot be read", pane.Agent.Launch,
				pane.Address())
		}
		return argv, nil
	case r.Kind != nil && r.Kind.Doubt != nil:
		return nil, resolve.BrokenKindError(r.Kind.Doubt)
	case r.Kind != nil:
		return r.Kind.Argv(r.launcher.opts.Self, pane.Agent.Variant), nil
	}
	return nil, core.Errorf(core.Conflict, "it is not known how the agent in pane %s was started", pane.Address())
}

// resume adds the arguments that resume the agent's session. If it may have one and nothing proves which,
// resume refuses, and a smart restart skips the agent.
func (r *restart) resume(ctx context.Context) error {
	switch {
	case r.request.Fresh:
		r.startFresh("as asked")
		return nil
	case r.Kind == nil || len(r.Kind.Launch.Resume) == 0 && r.into == r.Kind:
		r.startFresh("its kind cannot take up a session")
		return nil
	}
	lost, fits := r.session(ctx)
	switch {
	case r.answer.Session != "" && len(r.into.Launch.Resume) == 0:
		return r.notTakenUp()
	case r.answer.Session != "":
		r.argv = append(r.argv[:len(r.argv):len(r.argv)], r.into.Launch.ResumeArgs(r.answer.Session)...)
	case lost == "":
		r.startFresh("it has no session yet")
	case r.request.Smart && !r.request.Force:
		r.answer.Skipped, r.answer.Why = true, "session_unknown"
		r.note("%s", lost)
	default:
		return r.guessError(lost, fits)
	}
	return nil
}

// notTakenUp makes the Conflict of a restart that would show an agent in a way that cannot take its session up.
func (r *restart) notTakenUp() error {
	err := core.Errorf(core.Conflict, "%s: %s cannot take up session %s, so a restart would lose what it knows",
		r.Pane.Address(), r.into.Name, r.answer.Session)
	err.Remedies, err.Subject.Panes = []core.Remedy{core.RemedyStartFresh}, []string{r.Pane.Address()}
	return err
}

// Unsure is the details of the error of a restart that would have to guess the session of an agent.
type Unsure struct {
	core.PaneRef
	// Sessions are the sessions that may be its own, the likeliest first.
	Sessions []transcript.Fit `json:"sessions"`
}

// guessError makes the Conflict of a restart that would lose the agent's session or resume another one.
func (r *restart) guessError(lost string, fits []transcript.Fit) error {
	err := core.Errorf(core.Conflict, "%s: %s, so a restart would lose what it knows", r.Pane.Address(), lost)
	err.Remedies, err.Subject.Panes = []core.Remedy{core.RemedyStartFresh}, []string{r.Pane.Address()}
	if len(fits) > 0 {
		err.Remedies, err.Details = []core.Remedy{core.RemedyResumeWhich}, Unsure{r.Pane.Ref(), fits}
		for i := range fits {
			err.Subject.Conversations = append(err.Subject.Conversations, fits[i].Session)
		}
	}
	return err
}

// session finds the agent's session. If it is not known for sure, lost says what a new one would lose, and fits are
// the sessions that may be its own; lost is empty if there is nothing to lose.
func (r *restart) session(ctx context.Context) (lost string, fits []transcript.Fit) {
	found := conversation.ResumableOf(ctx, r.places.Of(r.Pane), r.Kind, func() *core.Screen {
		if r.answer.Before.State != core.Exited {
			return nil
		}
		seen, err := r.Capture(ctx)
		if err != nil {
			return nil
		}
		return seen.Screen
	})
	if r.request.Session != "" {
		found.Session, found.Why = r.request.Session, "the session is the one that was asked for"
	}
	if found.Session == "" {
		return found.Lost, found.Fits
	}
	r.answer.Session, r.resumedSince = found.Session, found.Started
	r.note("%s", found.Why)
	return "", nil
}

// startFresh starts the agent with a new session, with an id if the previous one had been given one.
func (r *restart) startFresh(why string) {
	r.answer.Fresh = why
	if r.into == nil || r.places.Of(r.Pane).Launched == "" && r.into == r.Kind {
		return
	}
	id := uuid.NewString()
	if args := r.into.SessionArgs(r.argv, id); len(args) > 0 {
		r.argv, r.fresh = append(r.argv[:len(r.argv):len(r.argv)], args...), id
	}
}

// runInTurn restarts the agent when its kind permits a start.
func (r *restart) runInTurn(ctx context.Context) error {
	place := r.places.Of(r.Pane)
	b := beginning{
		launcher: r.launcher, kind: r.into, session: r.answer.Session, before: r.resumedSince, place: place,
		pane: r.Pane.ID,
	}
	if err := b.await(ctx, r.request.Timeout); err != nil {
		return err
	}
	defer b.release()
	if b.waited {
		r.note("%s would write over a session of the same minute, so that was waited for", r.Kind.Name)
	}
	if err := r.run(ctx, &b); err != nil || r.answer.Skipped {
		return err
	}
	started := Launched{PaneRef: r.answer.PaneRef, Status: r.answer.After}
	err := b.settle(ctx, &started, r.request.Timeout)
	r.answer.After, r.answer.Ready, r.answer.Screen = started.Status, started.Ready, started.Screen
	return err
}

// placeholder keeps a pane while the old agent's processes end.
var placeholder = []string{"/bin/sh", "-c", "echo restarting; exec sleep 600"}

// run ends the old agent and starts the new one. Once the old one is ended, the new one
// is started also where the caller was cancelled.
func (r *restart) run(ctx context.Context, b *beginning) error {
	held, err := r.launcher.opts.Dir.LockPane(ctx, r.Pane, r.request.Timeout)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := r.recheck(ctx); err != nil || r.answer.Skipped {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyFor)
	defer cancel()
	old := r.launcher.Jobs.processesOf(ctx, []*core.Pane{r.Pane})
	// The placeholder is a job of its own, so that it is not taken for a process of the old agent.
	_, err = r.launcher.opts.Engine.Respawn(ctx, r.Pane.ID, engine.Launch{
		Argv: placeholder, Env: []string{job.Variable + "=" + job.NewID()},
	})
	if err != nil {
		return err
	}
	if r.answer.Reaped, r.answer.Left, err = reap(ctx, old); err != nil {
		r.note("ending its processes: %v", err)
	}
	u := unit{role: panetag.RoleAgent, name: r.Pane.Agent.Name, kind: r.answer.Kind, variables: r.variables}
	launch := engine.Launch{
		Dir: r.answer.Dir, Argv: r.argv,
		Tags: map[string]string{
			engine.TagStarted: fmt.Sprint(r.launcher.opts.Now().UnixMilli()), engine.TagHook: "", engine.TagRules: "",
			engine.TagState: "", engine.TagSnoozed: "", engine.TagHome: "",
			engine.TagSession: cmp.Or(r.answer.Session, r.fresh),
		},
	}
	if r.into != r.Kind {
		launch.Tags[engine.TagKind], launch.Tags[engine.TagLaunch] = string(r.into.ID), r.started
	}
	launch.Environ, launch.Env = r.launcher.environs.of(r.Pane.Session, &u)
	if err := r.launcher.hold(ctx, r.Pane.Agent.Sandbox, r.into, &launch); err != nil {
		return err
	}
	b.tidy()
	loc, err := r.launcher.opts.Engine.Respawn(ctx, r.Pane.ID, launch)
	if err != nil {
		return err
	}
	r.launcher.environs.keep(ctx, loc, &r.variables)
	r.answer.After = core.Status{
		State: core.Starting, Since: r.launcher.opts.Now().UTC(),
		Evidence: []string{"it was just started"},
	}
	return nil
}

// recheck checks the pane again under its lock: others may have restarted the agent, or given it work.
func (r *restart) recheck(ctx context.Context) error {
	seen, err := r.launcher.opts.Observer.Select(ctx, observe.View{Dirs: true}, resolve.ByID(r.Pane.ID))
	if err != nil {
		return err
	}
	if len(seen.Panes) == 0 {
		return engine.ErrNoPane
	}
	r.Pane.Process = seen.Panes[0].Process
	now := seen.Panes[0].Status
	if r.request.Smart && !r.request.Force && (now.State == core.Idle || now.State != r.answer.Before.State) {
		r.answer.Before, r.answer.After = now, now
		r.consider(ctx)
	}
	return nil
}

func (r *restart) note(format string, args ...any) {
	r.answer.Evidence = append(r.answer.Evidence, fmt.Sprintf(format, args...))
}

// awaitAgain waits until the agents that were restarted are ready.
func (l *Launcher) awaitAgain(ctx context.Context, answer []Restarted, request *RestartRequest) error {
	launches := &Launches{}
	var at []int
	for i := range answer {
		if !answer[i].Skipped {
			launches.Session = answer[i].PaneRef.Session
			launches.Panes = append(launches.Panes, Launched{PaneRef: answer[i].PaneRef, Status: answer[i].After})
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	err := l.await(ctx, launches, request.Timeout, request.Progress)
	for n, i := range at {
		launched := &launches.Panes[n]
		answer[i].After, answer[i].Ready, answer[i].Screen = launched.Status, launched.Ready, launched.Screen
	}
	return err
}

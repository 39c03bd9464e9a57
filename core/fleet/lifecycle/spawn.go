package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// Spawn creates a session with the requested panes. It checks all it can before it creates
// anything, and a failure during creation removes what was created. Failures after that,
// while waiting or sending the first prompt, leave the panes in place; the answer is then
// returned beside the error (Timeout, NotReady or DeliveryFailed).
func (l *Launcher) Spawn(ctx context.Context, request SpawnRequest) (_ *Launches, err error) {
	defer func() { err = fault.Wrap("spawn", err) }()
	return l.start(ctx, request.Session, &request.Launch, request.DryRun, func() (*Launches, error) {
		return l.makeSession(ctx, &request)
	})
}

// start calls launch if a session may be prompted, and follows what it launched; not in a dry run.
func (l *Launcher) start(
	ctx context.Context, session string, request *LaunchRequest, dryRun bool, launch func() (*Launches, error),
) (*Launches, error) {
	if err := l.mayPrompt(ctx, request, session); err != nil {
		return nil, err
	}
	launched, err := launch()
	if err != nil || dryRun {
		return launched, err
	}
	// A snapshot records the agents, so that they are missed if the server is lost before the next snapshot.
	if _, err := l.opts.Observer.Outline(ctx, observe.View{}); err != nil {
		return launched, err
	}
	l.opts.Dir.NoteEnds(ctx, l.opts.Engine)
	return launched, l.follow(ctx, launched, request)
}

// outline returns the sessions as they are, if need be locked against other launches until release is called. To wait
// for the lock takes as long as limit at most.
func (l *Launcher) outline(
	ctx context.Context, view observe.View, locked bool, limit time.Duration,
) (seen *observe.Observation, release func(), err error) {
	release = func() {}
	if locked {
		if release, err = l.opts.Dir.LockLaunch(ctx, limit); err != nil {
			return nil, nil, err
		}
	}
	if seen, err = l.opts.Observer.Outline(ctx, view); err != nil {
		release()
		return nil, nil, err
	}
	return seen, release, nil
}

func (l *Launcher) makeSession(ctx context.Context, request *SpawnRequest) (*Launches, error) {
	if err := core.CheckSessionName(request.Session); err != nil {
		return nil, err
	}
	// If two launches make the same worktrees at once, the one that fails would remove the other's.
	seen, release, err := l.outline(ctx, observe.View{}, request.Launch.Worktree && !request.DryRun,
		request.Launch.Timeout)
	if err != nil {
		return nil, err
	}
	defer release()
	snapshot := seen.Snapshot
	if named(snapshot, request.Session) {
		bare := *request
		bare.Launch.Worktree = false // those of the session may be there too
		if _, err := l.planner.planSession(ctx, &bare); err != nil {
			return nil, err // another name would not help
		}
		return nil, sessionExists(snapshot, request.Session)
	}
	p, err := l.planner.planSession(ctx, request)
	if err != nil {
		return nil, err
	}
	p.engine, p.noRecord = request.Engine, request.NoRecord
	if request.DryRun {
		return p.launches(), nil
	}
	p.record = request.Launch.Record
	return l.carryOut(ctx, p, nil, request.Launch.Progress)
}

// planSession plans a new session: its user pane is ordinal 0, agents count
// from 1.
func (n *planner) planSession(ctx context.Context, request *SpawnRequest) (*plan, error) {
	p, err := newPlan(request.Session, &request.Launch)
	if err != nil {
		return nil, err
	}
	if !request.NoUserPane && !holdsUser(request.Launch.Panes) {
		p.units = append(p.units, unit{role: panetag.RoleUser, dir: p.dir})
	}
	p.next = 1
	if err := n.addUnits(p, &request.Launch, map[string]bool{}); err != nil {
		return nil, err
	}
	if len(p.units) == 0 {
		return nil, core.Errorf(core.InvalidInput, "a session without a user pane needs an agent or a command")
	}
	return p, n.planWorktrees(ctx, p, &request.Launch)
}

// Add creates more panes in an existing session, under the rules of Spawn.
func (l *Launcher) Add(ctx context.Context, request AddRequest) (_ *Launches, err error) {
	defer func() { err = fault.Wrap("add", err) }()
	return l.start(ctx, request.Session, &request.Launch, request.DryRun, func() (*Launches, error) {
		return l.addPanes(ctx, &request)
	})
}

func (l *Launcher) addPanes(ctx context.Context, request *AddRequest) (*Launches, error) {
	asked := len(request.Launch.Agents) + len(request.Launch.Commands) + len(request.Launch.Panes)
	if asked == 0 && request.Fork == "" && request.Launch.Options.Profile == "" {
		return nil, core.Errorf(core.MissingRequired, "there is nothing to add: name an agent or a command")
	}
	seen, release, err := l.outline(ctx, observe.View{Dirs: request.Fork != ""}, !request.DryRun,
		request.Launch.Timeout)
	if err != nil {
		return nil, err
	}
	defer release()
	snapshot := seen.Snapshot
	session, err := resolve.FindSession(snapshot, request.Session)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(session.Name, &request.Launch)
	if err != nil {
		return nil, err
	}
	p.into = session.ID
	tags, next := settle(seen.Listing, session)
	p.next = next
	if request.Fork != "" {
		fork, own, err := l.describer.forkOf(ctx, seen, request.Fork)
		if err != nil {
			return nil, err
		}
		request.Launch.Panes, tags = append(request.Launch.Panes, fork), append(tags, own)
	}
	if err := l.planner.addUnits(p, &request.Launch, agentNames(session)); err != nil {
		return nil, err
	}
	if err := l.planner.planWorktrees(ctx, p, &request.Launch); err != nil {
		return nil, err
	}
	if request.DryRun {
		return p.launches(), nil
	}
	tags = append(tags, engine.Tag{Session: session.ID, Name: engine.TagNext, Value: fmt.Sprint(p.next)})
	p.record = request.Launch.Record
	return l.carryOut(ctx, p, tags, request.Launch.Progress)
}

func newPlan(session string, request *LaunchRequest) (*plan, error) {
	layout, err := checkLayout(request.Layout)
	if err != nil {
		return nil, err
	}
	dir, err := folder(request.Dir)
	if err != nil {
		return nil, err
	}
	if request.Prompt != "" {
		if _, err := deliver.PrepareText(request.Prompt); err != nil {
			return nil, err
		}
	}
	return &plan{session: session, dir: dir, layout: layout, recorded: request.Recorded}, nil
}

func named(snapshot *core.Snapshot, name string) bool {
	return slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Bare() == name })
}

func agentNames(session *core.Session) map[string]bool {
	names := map[string]bool{}
	for _, pane := range session.Programs() {
		names[pane.Agent.Name] = true
	}
	return names
}

// sessionExists reports a taken name, and suggests the next free one.
func sessionExists(snapshot *core.Snapshot, name string) error {
	err := core.Errorf(core.AlreadyExists, "a session named %q exists", name)
	for n := 2; len(err.Suggestions) == 0; n++ {
		if free := fmt.Sprintf("%s-%d", name, n); !named(snapshot, free) {
			err.Suggestions, err.Slip = []string{free}, core.Slip{Word: name, New: true}
		}
	}
	err.Remedies = []core.Remedy{core.RemedyAttachSession, core.RemedyListSessions}
	at := slices.IndexFunc(snapshot.Sessions, func(s core.Session) bool { return s.Bare() == name })
	err.Subject.Session = snapshot.Sessions[at].Name
	return err
}

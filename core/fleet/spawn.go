package fleet

import (
	"context"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/engine"
)

// Spawn makes a session with the panes asked for. Everything that can be is
// checked before anything is made, and a failure half way removes what was
// made. What comes after that, waiting and the first prompt, leaves the panes
// in place: the answer is then returned beside the error (Timeout, NotReady or
// DeliveryFailed).
func (f *Fleet) Spawn(ctx context.Context, request SpawnRequest) (*Launches, error) {
	answer, err := f.spawn(ctx, &request)
	return answer, translate("spawn", err)
}

func (f *Fleet) spawn(ctx context.Context, request *SpawnRequest) (*Launches, error) {
	if err := core.CheckSessionName(request.Session); err != nil {
		return nil, err
	}
	_, snapshot, err := f.take(ctx, false)
	if err != nil {
		return nil, err
	}
	if named(snapshot, request.Session) {
		return nil, sessionExists(snapshot, request)
	}
	p, err := f.planSession(ctx, request)
	if err != nil {
		return nil, err
	}
	if request.DryRun {
		return p.launches(), nil
	}
	answer, err := f.carryOut(ctx, p, nil, request.Launch.Progress)
	if err != nil {
		return nil, err
	}
	return answer, f.follow(ctx, answer, &request.Launch)
}

// planSession plans a new session: its user pane is ordinal 0, agents count
// from 1.
func (f *Fleet) planSession(ctx context.Context, request *SpawnRequest) (*plan, error) {
	p, err := newPlan(request.Session, &request.Launch)
	if err != nil {
		return nil, err
	}
	if !request.NoUserPane {
		p.units = append(p.units, unit{role: roleUser, dir: p.dir})
	}
	p.next = 1
	if err := f.addUnits(p, &request.Launch, map[string]bool{}); err != nil {
		return nil, err
	}
	if len(p.units) == 0 {
		return nil, core.Errorf(core.InvalidInput, "a session without a user pane needs an agent or a command")
	}
	return p, f.planWorktrees(ctx, p, request.Launch.Worktree)
}

// Add makes more panes in a session that exists, under the rules of Spawn.
func (f *Fleet) Add(ctx context.Context, request AddRequest) (*Launches, error) {
	answer, err := f.add(ctx, &request)
	return answer, translate("add", err)
}

func (f *Fleet) add(ctx context.Context, request *AddRequest) (*Launches, error) {
	if len(request.Launch.Wishes) == 0 && len(request.Launch.Commands) == 0 {
		return nil, core.Errorf(core.MissingRequired, "there is nothing to add: name an agent or a command")
	}
	release := func() {}
	if !request.DryRun {
		var err error
		if release, err = f.hold(ctx); err != nil {
			return nil, err
		}
	}
	answer, err := f.addPanes(ctx, request)
	release()
	if err != nil || request.DryRun {
		return answer, err
	}
	return answer, f.follow(ctx, answer, &request.Launch)
}

func (f *Fleet) addPanes(ctx context.Context, request *AddRequest) (*Launches, error) {
	listing, snapshot, err := f.take(ctx, false)
	if err != nil {
		return nil, err
	}
	session, err := findSession(snapshot, request.Session)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(session.Name, &request.Launch)
	if err != nil {
		return nil, err
	}
	p.into = session.ID
	tags, next := settle(listing, session)
	p.next = next
	if err := f.addUnits(p, &request.Launch, agentNames(session)); err != nil {
		return nil, err
	}
	if err := f.planWorktrees(ctx, p, request.Launch.Worktree); err != nil {
		return nil, err
	}
	if request.DryRun {
		return p.launches(), nil
	}
	tags = append(tags, engine.Tag{Session: session.ID, Name: engine.TagNext, Value: fmt.Sprint(p.next)})
	return f.carryOut(ctx, p, tags, request.Launch.Progress)
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
	return &plan{session: session, dir: dir, layout: layout}, nil
}

func named(snapshot *core.Snapshot, name string) bool {
	return slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Name == name })
}

func agentNames(session *core.Session) map[string]bool {
	names := map[string]bool{}
	for _, pane := range session.Agents() {
		names[pane.Agent.Name] = true
	}
	return names
}

// sessionExists is the error of a name that is taken: it suggests the next free
// one, and how to add to the session instead.
func sessionExists(snapshot *core.Snapshot, request *SpawnRequest) error {
	name := request.Session
	err := core.Errorf(core.AlreadyExists, "a session named %q exists", name)
	for n := 2; len(err.Suggestions) == 0; n++ {
		if free := fmt.Sprintf("%s-%d", name, n); !named(snapshot, free) {
			err.Suggestions = []string{free}
		}
	}
	if flags := wished(&request.Launch); len(flags) > 0 {
		err.Actions = append(err.Actions, commandLine(append([]string{"cupola", "add", name}, flags...)...))
	}
	err.Actions = append(err.Actions, commandLine("cupola", "attach", name), "cupola status")
	return err
}

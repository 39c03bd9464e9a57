package panes

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/run/crew"
	"cupola/core/run/relay"
)

// Guarantee is a sentence about the boundary of agents in panes.
const Guarantee = "The agent asks in its pane, as its own permission settings say; the crew waits meanwhile. A " +
	"sandbox that is named without a mode holds it there too."

// Holds reports whether a sandbox can hold agents in panes: one that is named without a mode.
func Holds(sandbox string) bool {
	mode, name := relay.Sandbox(sandbox).Parts()
	return mode == "" && name != ""
}

// origin is the origin of the prompts of crews in the journal.
const origin = "crew"

// Options configures a Stage; all fields but Progress are required.
type Options struct {
	Fleet *fleet.Fleet
	// Prompt returns a prompt on record, and NotFound for one that is not.
	Prompt func(ctx context.Context, id string) (core.Prompt, error)
	Now    func() time.Time
	// Progress, if not nil, reports how the agents start.
	Progress core.ProgressFunc
}

// Stage asks members in panes. Ask may be called concurrently.
type Stage struct {
	opts Options
	// panes has the pane of each member, by its name.
	panes map[string]place
}

// place is the pane of a member.
type place struct {
	core.PaneRef
	// began is when its agent was started; zero if unknown. resumed is true if it was started again
	// with the session that it had.
	began   time.Time
	resumed bool
}

// Plan checks that a session with a pane for each member can be started, and returns those panes in the order
// of the members. It starts nothing.
func Plan(ctx context.Context, f *fleet.Fleet, c *crew.Crew) ([]lifecycle.Launched, error) {
	request := spawn(c, launches(c), nil)
	request.DryRun = true
	planned, err := f.Launcher.Spawn(ctx, request)
	if err != nil {
		return nil, err
	}
	for i := range planned.Panes {
		kind, err := f.Resolver.KindNamed(c.Members[i].Backend)
		if err != nil {
			return nil, err
		}
		if !kind.Readable() {
			return nil, core.Errorf(core.NotImplemented, "%s cannot be read in a pane", kind.Name)
		}
	}
	return planned.Panes, nil
}

// Open starts the session of a crew and the agents in it that do not run, and waits until they are ready. It sets the
// crew's session, and the pane of each member. A failure that concerns one member alone is reported when it is asked.
// It returns Conflict if another agent has the name of a member.
func Open(ctx context.Context, c *crew.Crew, o Options) (*Stage, error) {
	s := &Stage{opts: o, panes: map[string]place{}}
	c.Session = c.Group()
	resumed, err := s.start(ctx, c)
	if err != nil {
		return nil, err
	}
	session, err := s.session(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	for i, label := range c.Labels() {
		m := &c.Members[i]
		if pane := agentNamed(session, label); pane != nil {
			s.panes[m.Name] = place{pane.Ref(), pane.Agent.Started, resumed[label]}
			m.Session = pane.Address()
		}
	}
	return s, nil
}

// Close leaves the panes open.
func (*Stage) Close() error { return nil }

// launches are the panes of all members.
func launches(c *crew.Crew) []recipe.Pane {
	panes := make([]recipe.Pane, len(c.Members))
	for i, label := range c.Labels() {
		m := &c.Members[i]
		panes[i] = recipe.Pane{Kind: m.Backend, Model: m.Model, Name: label, Dir: m.Dir, Sandbox: c.Sandbox}
		panes[i].Env = m.Env
	}
	return panes
}

func spawn(c *crew.Crew, panes []recipe.Pane, progress core.ProgressFunc) lifecycle.SpawnRequest {
	return lifecycle.SpawnRequest{
		Session: c.Group(), NoUserPane: true,
		Launch: lifecycle.LaunchRequest{Panes: panes, Dir: c.Dir, WaitReady: true, Progress: progress},
	}
}

// start starts the agents that do not run. It names those that took up the session that they had.
func (s *Stage) start(ctx context.Context, c *crew.Crew) (resumed map[string]bool, err error) {
	session, err := s.session(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	all := launches(c)
	if session == nil {
		_, err := s.opts.Fleet.Launcher.Spawn(ctx, spawn(c, all, s.opts.Progress))
		return nil, started(ctx, err)
	}
	var gone []recipe.Pane
	var ended []string
	for i := range all {
		pane := agentNamed(session, all[i].Name)
		switch {
		case pane == nil:
			gone = append(gone, all[i])
		case string(pane.Agent.Kind) != all[i].Kind:
			return nil, core.Errorf(core.Conflict, "the agent %s in pane %s is of kind %s, not %s", pane.Agent.Name,
				pane.Address(), pane.Agent.Kind, all[i].Kind)
		case pane.Process.Dead:
			ended = append(ended, string(pane.ID))
		}
	}
	if len(gone) > 0 {
		launch := spawn(c, gone, s.opts.Progress).Launch
		_, err := s.opts.Fleet.Launcher.Add(ctx, lifecycle.AddRequest{Session: c.Session, Launch: launch})
		if err := started(ctx, err); err != nil {
			return nil, err
		}
	}
	return s.restart(ctx, c.Session, ended)
}

// restart starts agents again whose programs have ended, with their sessions where these are known.
func (s *Stage) restart(ctx context.Context, session string, panes []string) (resumed map[string]bool, err error) {
	resumed = map[string]bool{}
	for _, pane := range panes {
		request := lifecycle.RestartRequest{Progress: s.opts.Progress}
		request.Target.Session, request.Target.Panes = session, []string{pane}
		again, err := s.opts.Fleet.Launcher.Restart(ctx, request)
		if core.AsError(err).HasCode(core.Conflict) {
			request.Fresh = true
			again, err = s.opts.Fleet.Launcher.Restart(ctx, request)
		}
		if err := started(ctx, err); err != nil {
			return nil, err
		}
		for i := range again {
			resumed[again[i].Agent] = again[i].Session != ""
		}
	}
	return resumed, nil
}

// started returns the error of a start, unless it is that an agent is not ready: asking it reports the reason.
func started(ctx context.Context, err error) error {
	if e := core.AsError(err); ctx.Err() == nil && (e.HasCode(core.NotReady) || e.HasCode(core.Timeout)) {
		return nil
	}
	return err
}

// session returns a session as it is; nil if there is none.
func (s *Stage) session(ctx context.Context, name string) (*core.Session, error) {
	seen, err := s.opts.Fleet.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	if own := seen.Snapshot.Session(name); own != nil {
		return own, nil
	}
	// A session of others that took the name meanwhile is not the crew's.
	for _, session := range seen.Snapshot.Namesakes(name) {
		if !session.Foreign {
			return session, nil
		}
	}
	return nil, nil //nolint:nilnil // that there is none is no error
}

// agentNamed returns the pane of an agent; nil if there is none.
func agentNamed(session *core.Session, name string) *core.Pane {
	if session == nil {
		return nil
	}
	for _, pane := range session.Agents() {
		if pane.Agent.Name == name {
			return pane
		}
	}
	return nil
}

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/system/process"
	"cupola/core/term/cast"
)

// ShellWord is the word with which this program shows a text and becomes the user's shell.
const ShellWord = "terminal-shell"

// tidyFor bounds how long removing what a failed request made may take.
const tidyFor = 10 * time.Second

// endsWithin is how long a shell that cannot stay takes to end, at most.
const endsWithin = 100 * time.Millisecond

// justStarted is the evidence for the state of a pane that was made.
const justStarted = "it was just started"

// carryOut creates the panes of a plan, after setting tags. If any cannot be created, or ctx ends meanwhile,
// it removes all of them.
func (l *Launcher) carryOut(ctx context.Context, p *plan, tags []engine.Tag, progress core.ProgressFunc) (*Launches,
	error,
) {
	c := creation{launcher: l, plan: p}
	if err := p.trees.Make(ctx); err != nil {
		c.undo(ctx)
		return nil, err
	}
	for i := range p.units {
		if u := &p.units[i]; u.tree > 0 {
			u.variables.Given = process.Merged(u.variables.Given, p.trees.Variables(u.tree-1))
		}
	}
	if len(tags) > 0 {
		if err := l.opts.Engine.Tag(ctx, tags...); err != nil {
			c.undo(ctx)
			return nil, err
		}
	}
	forgetSearch(l.opts.Dir.Found(ctx).Looked)
	for i := range p.units {
		progress.Report("create", i*100/len(p.units), "%s", p.units[i].window())
		if err := c.start(ctx, i); err != nil {
			c.undo(ctx)
			if p.into == "" && i > 0 {
				err = endedError(c.made[0], err)
			}
			return nil, createError(p.session, err)
		}
	}
	made := c.made
	if err := kept(ctx, l.opts.Engine, p, made); err != nil {
		c.undo(ctx)
		return nil, err
	}
	progress.Report("create", 100, "%s", p.session)
	answer := p.launches()
	answer.ID = made[0].Session
	for i := range answer.Panes {
		pane := &answer.Panes[i]
		pane.Pane = made[i].Pane
		pane.Status = observe.Undecided(justStarted)
		if u := &p.units[i]; u.known != nil && u.known.Readable() {
			pane.Status = core.Status{State: core.Starting, Since: l.opts.Now().UTC(), Evidence: []string{justStarted}}
		} else if u.role == panetag.RoleUser && len(u.argv) == 0 {
			pane.Status = core.Status{State: core.Idle, Evidence: []string{justStarted}}
		}
	}
	return answer, nil
}

// creation is the execution of a plan.
type creation struct {
	launcher *Launcher
	plan     *plan
	// made are the panes of the first units.
	made []engine.Location
}

// start creates the pane of the i-th unit when its kind permits a start. An agent that is late to become ready is no
// error.
func (c *creation) start(ctx context.Context, i int) error {
	l, u, launch := c.launcher, &c.plan.units[i], c.launchOf(i)
	if err := l.hold(ctx, u.options.Sandbox, u.known, &launch); err != nil {
		return err
	}
	b := beginning{
		launcher: l, kind: u.known, session: u.resumed(), before: c.plan.recorded, place: c.placeOf(ctx, u),
	}
	if err := b.await(ctx, 0); err != nil {
		return err
	}
	defer b.release()
	b.tidy()
	loc, err := l.opts.Engine.Create(ctx, launch)
	if err != nil {
		return err
	}
	c.made = append(c.made, loc)
	l.environs.keep(ctx, loc, &u.variables)
	started := Launched{PaneRef: core.PaneRef{
		Session: c.plan.session, Pane: loc.Pane, Ordinal: u.ordinal, Agent: u.name, Kind: u.kind,
	}}
	if late := b.settle(ctx, &started, 0); late != nil {
		l.opts.Log.Warn("an agent that resumes a session is late", "pane", loc.Pane, "error", late)
	}
	return ctx.Err()
}

// placeOf returns where the records of a unit's agent are. Its peers are the running agents and the others of the plan.
func (c *creation) placeOf(ctx context.Context, u *unit) *transcript.Subject {
	inherited, added := c.launcher.environs.of(c.plan.session, u)
	environ := environment(slices.Concat(inherited, added))
	place := &transcript.Subject{Kind: u.kind, Dir: u.dir, Env: environ.variable, Launched: u.resumed()}
	place.Peers = func() []*transcript.Subject {
		peers := c.launcher.opts.Conversations.PlacesIn(ctx, u.dir, u.kind)
		for i := range c.plan.units {
			if other := &c.plan.units[i]; other.kind == u.kind && other.dir == u.dir {
				peers = append(peers, &transcript.Subject{Kind: u.kind, Dir: u.dir, Launched: other.resumed()})
			}
		}
		return peers
	}
	return place
}

// launchOf returns how to create the i-th unit: the first of a new session creates it, those of a tiled
// layout share the first one's window.
func (c *creation) launchOf(i int) engine.Launch {
	p, now := c.plan, c.launcher.opts.Now()
	u := &p.units[i]
	launch := engine.Launch{
		Into: p.into, Window: u.window(), Dir: u.dir, Tags: u.tags(now),
		Argv: slices.Concat(u.argv, u.choose),
	}
	if u.shown != "" && len(launch.Argv) == 0 {
		launch.Argv = []string{c.launcher.opts.Self, ShellWord, u.shown}
	}
	launch.Environ, launch.Env = c.launcher.environs.of(p.session, u)
	if p.record != "" {
		launch.Record = filepath.Join(p.record, cast.NameOf(fmt.Sprintf("%s.%d", p.session, u.ordinal), now))
	}
	switch {
	case p.into == "" && i == 0:
		launch.Session, launch.Engine = p.session, p.engine
		launch.SessionTags = map[string]string{
			engine.TagOrigin: panetag.OriginSpawn,
			engine.TagNext:   strconv.Itoa(p.next),
		}
		if p.noRecord {
			launch.SessionTags[engine.TagNoRecord] = "1"
		}
	case p.into == "":
		launch.Into = c.made[0].Session
	}
	if first := p.sharing(i); first < i {
		launch.Split, launch.Window, launch.Tile = c.made[first].Window, "", true
		launch.Layout = u.layout
	}
	return launch
}

// tags returns the tags of a pane that is started at a time.
func (u *unit) tags(started time.Time) map[string]string {
	tags := map[string]string{engine.TagRole: u.role, engine.TagOrdinal: strconv.Itoa(u.ordinal)}
	if u.role == panetag.RoleUser {
		return tags
	}
	tags[engine.TagKind] = string(u.kind)
	tags[engine.TagName] = u.name
	tags[engine.TagLaunch] = u.command()
	tags[engine.TagStarted] = strconv.FormatInt(started.UnixMilli(), 10)
	if u.options.Profile != "" {
		tags[engine.TagProfile] = u.options.Profile
	}
	if u.options.Sandbox != "" {
		tags[engine.TagSandbox] = u.options.Sandbox
	}
	if u.options.OnLimit == core.ContinueAtLimit && u.kind.IsAgent() {
		tags[engine.TagContinue] = panetag.EncodeContinuation(core.Continuation{Wanted: true})
	}
	if u.session != "" {
		tags[engine.TagSession] = u.session
	}
	if u.word != "" {
		tags[engine.TagLabel] = u.word
	}
	if u.variant != "" {
		tags[engine.TagVariant] = u.variant
	}
	return tags
}

// undo removes what a failed request created, even after the caller was cancelled.
func (c *creation) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyFor)
	defer cancel()
	l, p := c.launcher, c.plan
	var errs []error
	if len(c.made) > 0 {
		running := l.Jobs.processesOf(ctx, panesAt(c.made))
		if p.into == "" {
			forgetSession(ctx, l.opts, c.made[0].Session)
			errs = append(errs, l.opts.Engine.KillSession(ctx, c.made[0].Session))
		} else {
			for _, loc := range c.made {
				errs = append(errs, l.opts.Engine.KillPane(ctx, loc.Pane))
			}
		}
		_, left, err := reap(ctx, running)
		errs = append(errs, err)
		for i := range left {
			errs = append(errs, fmt.Errorf("process %s", left[i]))
		}
	}
	errs = append(errs, p.trees.Undo(ctx))
	if err := errors.Join(errs...); err != nil {
		l.opts.Log.Warn("remove what a failed request made", "session", p.session, "error", err)
	}
}

// forgetSession takes a session that is about to end on purpose off the record of what runs. Lost sessions of its name
// stay there.
func forgetSession(ctx context.Context, opts Options, id core.SessionID) {
	listing, err := opts.Engine.List(ctx, engine.Brief)
	if err != nil {
		opts.Log.Warn("forget a session", "session", id, "error", err)
	}
	for i := range listing.Sessions {
		if s := &listing.Sessions[i]; s.ID == id {
			opts.Dir.ForgetSession(ctx, &core.Session{ID: id, Name: s.Name, Engine: s.Engine, Created: s.Created})
		}
	}
	if len(listing.Sessions) == 1 {
		opts.Dir.NoteLast(ctx)
	}
}

// panesAt are panes as far as ending their processes needs to know them.
func panesAt(made []engine.Location) []*core.Pane {
	return core.Map(made, func(loc engine.Location) *core.Pane {
		return &core.Pane{
			ID: loc.Pane, Agent: core.Agent{Kind: core.KindCommand, Recognised: recognisedByTag},
			Process: core.Process{PID: loc.PID},
		}
	})
}

// kept returns engine.ErrEnded if a new session is gone already: the shell in its only pane could not stay.
func kept(ctx context.Context, eng engine.Engine, p *plan, made []engine.Location) error {
	if p.into != "" || len(p.units[0].argv) > 0 {
		return nil
	}
	if len(p.units) == 1 {
		// Nothing else has given the shell time to fail.
		if err := core.Sleep(ctx, endsWithin); err != nil {
			return err
		}
	}
	listing, err := eng.List(ctx, engine.Brief)
	if err == nil && slices.ContainsFunc(listing.Sessions,
		func(s engine.Session) bool { return s.ID == made[0].Session }) {
		return nil
	}
	if err == nil {
		err = engine.ErrNoSession
	}
	return endedError(made[0], err)
}

// endedError says what became of a session that is gone before all its panes are made: its first pane's shell
// ended, and it ended with that.
func endedError(first engine.Location, err error) error {
	gone := errors.Is(err, engine.ErrNoSession) || errors.Is(err, engine.ErrNoWindow) ||
		errors.Is(err, engine.ErrNoPane) || errors.Is(err, engine.ErrNoServer)
	if !gone {
		return err
	}
	return fmt.Errorf("%w: the shell in its first pane, %s, ended at once: %w", engine.ErrEnded, first.Pane, err)
}

func createError(session string, err error) error {
	if errors.Is(err, engine.ErrDuplicate) {
		return core.Errorf(core.AlreadyExists, "a session named %q exists: %w", session, err)
	}
	return err
}

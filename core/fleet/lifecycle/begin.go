package lifecycle

import (
	"cmp"
	"context"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// beginning is the start of one agent, with what its kind wants for it. All that starts agents uses it: await, start,
// settle and release, in this order.
type beginning struct {
	launcher *Launcher
	kind     *agent.Kind // nil if unknown, or for a user pane
	// session is the session that is resumed; empty for a new one. before is when it began, or a later time; zero
	// if unknown.
	session string
	before  time.Time
	// place is the folder of the agent, and the environment in which its records are found.
	place *transcript.Subject
	// pane is where it is started; empty for a new pane.
	pane core.PaneID
	// waited is true if the start was put off, because the kind would write over the session.
	waited bool
	// release lets others start agents of the kind.
	release func()
}

// await waits until the agent may be started; then release must be called. A kind whose agents must start one after
// another if they resume a session does so across all processes and sessions. It returns Timeout if others start agents
// of the kind for too long. limit is how long to wait for each of those; 0 is the kind's own start timeout.
func (b *beginning) await(ctx context.Context, limit time.Duration) (err error) {
	b.release = func() {}
	if b.kind == nil {
		return nil
	}
	if b.kind.Launch.OneByOne {
		if b.release, err = b.launcher.opts.Dir.LockStart(ctx, b.kind.ID); err != nil {
			return err
		}
		err = b.awaitOthers(ctx, limit)
	}
	if err == nil {
		err = b.outliveMinute(ctx)
	}
	if err != nil {
		b.release()
	}
	return err
}

// awaitOthers waits, before a session is resumed, until no agent of the kind is starting.
func (b *beginning) awaitOthers(ctx context.Context, limit time.Duration) error {
	until := b.launcher.opts.Now().Add(cmp.Or(limit, b.kind.Launch.Timeout))
	for b.session != "" && b.launcher.opts.Now().Before(until) {
		others := func(snapshot *core.Snapshot) (starting []*core.Pane, err error) {
			for _, pane := range snapshot.Panes() {
				if pane.Agent.Kind == b.kind.ID && !pane.Process.Dead && pane.ID != b.pane {
					starting = append(starting, pane)
				}
			}
			return starting, nil
		}
		seen, err := b.launcher.opts.Observer.Select(ctx, observe.View{}, others)
		if err != nil {
			return err
		}
		starting := false
		for _, pane := range seen.Panes {
			starting = starting || pane.Status.State == core.Starting
		}
		if !starting {
			return nil
		}
		if err := core.Sleep(ctx, awaitEvery); err != nil {
			return err
		}
	}
	return nil
}

// outliveMinute waits, for kinds that would write over a session of this minute, until
// the minute is over in which it began.
func (b *beginning) outliveMinute(ctx context.Context) error {
	if !b.kind.Launch.ResumeMinute || b.session == "" {
		return nil
	}
	started := cmp.Or(transcript.Started(b.place, b.session), b.before)
	if started.IsZero() {
		return nil
	}
	over := started.Truncate(time.Minute).Add(time.Minute + time.Second).Sub(b.launcher.opts.Now())
	if over <= 0 || over > 2*time.Minute {
		return nil
	}
	b.waited = true
	return core.Sleep(ctx, over)
}

// settle waits until an agent that resumes a session is ready, if no other of its kind may start before that. It
// sets the agent's status. It returns Timeout or NotReady if the agent does not become ready.
func (b *beginning) settle(ctx context.Context, started *Launched, limit time.Duration) error {
	if b.kind == nil || !b.kind.Launch.OneByOne || b.session == "" {
		return nil
	}
	one := &Launches{Session: started.Session, Panes: []Launched{*started}}
	late := b.launcher.await(ctx, one, limit, nil)
	*started = one.Panes[0]
	b.findHome(ctx, started.Pane)
	b.tidy()
	return late
}

// findHome takes the environment in which the agent's records are from the process that runs.
func (b *beginning) findHome(ctx context.Context, pane core.PaneID) {
	o := &b.launcher.opts
	if seen, err := o.Observer.Select(ctx, observe.View{Dirs: true}, resolve.ByID(pane)); err == nil &&
		len(seen.Panes) == 1 {
		if place := o.Conversations.Places(ctx, seen).Of(seen.Panes[0]); place.Env != nil {
			b.place = place
		}
	}
}

// tidy repairs the records of sessions that the agent would clear away at its start, or that others of its kind would
// at theirs.
func (b *beginning) tidy() {
	if b.place == nil {
		return
	}
	if err := transcript.Tidy(b.place); err != nil {
		b.launcher.opts.Log.Warn("records were not repaired", "kind", b.place.Kind, "dir", b.place.Dir, "error", err)
	}
}

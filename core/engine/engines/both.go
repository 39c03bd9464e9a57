package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/system/private"
	"cupola/core/system/process"
)

// both are tmux and Cupola's own server as one engine: their sessions make one picture, and each is asked for what is
// its own.
type both struct {
	// tmux names the server, for the runtime directory must be the same for all programs of a user.
	tmux Engine
	own  *own.Server
	// makes is the name of the engine in which new sessions are made that name no other.
	makes string
}

// of is the engine that has an id.
func of[ID core.PaneID | core.SessionID | core.WindowID](b *both, id ID) Engine {
	if own.Is(string(id)) {
		return b.own
	}
	return b.tmux
}

// sides are the engine of a name, and the other one.
func (b *both) sides(name string) (in, beside Engine) {
	if name == engine.Own {
		return b.own, b.tmux
	}
	return b.tmux, b.own
}

func (b *both) SocketPath() string { return b.tmux.SocketPath() }

// SecondSocket returns the socket of Cupola's own server, also if that does not run.
func (b *both) SecondSocket() string { return b.own.SocketPath() }

// Info describes tmux, and Cupola's own server where that runs.
func (b *both) Info(ctx context.Context) (engine.Info, error) {
	info, err := b.tmux.Info(ctx)
	if _, none := b.own.List(ctx, engine.Brief); none == nil {
		if beside, err := b.own.Info(ctx); err == nil {
			info.Beside = &beside
		}
	}
	return info, err
}

// List returns the sessions of both. Without any server, or with one that fails, it returns the error of the first
// that has one.
func (b *both) List(ctx context.Context, detail engine.Detail) (engine.Listing, error) {
	second := make(chan result, 1)
	go func() {
		l, err := b.own.List(ctx, detail)
		second <- result{l, err}
	}()
	one, err := b.tmux.List(ctx, detail)
	other := <-second
	return joined(result{one, err}, other)
}

// result is the answer of one engine to List.
type result struct {
	listing engine.Listing
	err     error
}

// joined makes one listing of two.
func joined(one, other result) (engine.Listing, error) {
	none := func(r result) bool {
		return errors.Is(r.err, engine.ErrNoServer) || errors.Is(r.err, engine.ErrUnavailable)
	}
	switch {
	case errors.Is(other.err, private.ErrForeign) && one.err == nil:
		return one.listing, nil // the folder is not used, and the caller reports that
	case none(other) && (one.err == nil || !none(one)), one.err != nil && !none(one):
		return one.listing, one.err
	case other.err != nil && !none(other):
		return engine.Listing{}, other.err
	case none(one) && none(other):
		return engine.Listing{}, one.err
	case none(one):
		return other.listing, nil
	}
	return join(one.listing, other.listing), nil
}

// join puts the sessions of two listings in order. Two sessions with one name both have their full addresses
// instead, so that the name alone means neither.
func join(one, other engine.Listing) engine.Listing {
	all := engine.Listing{
		Taken:    one.Taken,
		Sessions: slices.Clone(one.Sessions),
		Panes:    make([]engine.Pane, 0, len(one.Panes)+len(other.Panes)),
	}
	if other.Taken.Before(one.Taken) && !other.Taken.IsZero() {
		all.Taken = other.Taken
	}
	for _, session := range other.Sessions {
		at := slices.IndexFunc(one.Sessions, func(s engine.Session) bool { return s.Name == session.Name })
		if at >= 0 {
			all.Sessions[at].Name = core.FullName(one.Sessions[at].Engine, session.Name)
			session.Name = core.FullName(session.Engine, session.Name)
		}
		all.Sessions = append(all.Sessions, session)
	}
	slices.SortStableFunc(all.Sessions, func(a, b engine.Session) int { return strings.Compare(a.Name, b.Name) })
	panes := map[core.SessionID][]engine.Pane{}
	for _, pane := range slices.Concat(one.Panes, other.Panes) {
		panes[pane.Session] = append(panes[pane.Session], pane)
	}
	for _, session := range all.Sessions {
		all.Panes = append(all.Panes, panes[session.ID]...)
	}
	return all
}

// Capture asks each engine for its panes, and returns the screens in the order of the asks.
func (b *both) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	var first, second []engine.Ask
	for _, ask := range asks {
		if !own.Is(string(ask.Pane)) {
			first = append(first, ask)
		} else {
			second = append(second, ask)
		}
	}
	if len(second) == 0 {
		return b.tmux.Capture(ctx, first...)
	}
	others, err := b.own.Capture(ctx, second...)
	if len(first) == 0 || err != nil && !errors.Is(err, engine.ErrNoServer) {
		return others, err
	}
	screens, err := b.tmux.Capture(ctx, first...)
	if err != nil && !errors.Is(err, engine.ErrNoServer) {
		return nil, err
	}
	return inOrder(asks, screens, others), nil
}

// inOrder puts screens in the order in which they were asked for.
func inOrder(asks []engine.Ask, parts ...[]core.Screen) []core.Screen {
	var screens []core.Screen
	for _, ask := range asks {
		for i, part := range parts {
			if len(part) > 0 && part[0].Pane == ask.Pane {
				screens, parts[i] = append(screens, part[0]), part[1:]
				break
			}
		}
	}
	return screens
}

func (b *both) Overlaps() bool { return b.tmux.Overlaps() }

func (b *both) Processes() process.Source { return b.tmux.Processes() }

// Create makes a session in the engine that the launch names, or the first, and adds to a session where that is.
func (b *both) Create(ctx context.Context, launch engine.Launch) (engine.Location, error) {
	if launch.Into != "" {
		return of(b, launch.Into).Create(ctx, launch)
	}
	in, beside := b.sides(cmp.Or(launch.Engine, b.makes))
	if taken, err := names(ctx, beside, launch.Session); err != nil {
		return engine.Location{}, err
	} else if taken {
		return engine.Location{}, fmt.Errorf("create session: %w: %s", engine.ErrDuplicate, launch.Session)
	}
	return in.Create(ctx, launch)
}

// names reports whether an engine has a session of a name.
func names(ctx context.Context, e Engine, name string) (bool, error) {
	l, err := e.List(ctx, engine.Brief)
	if errors.Is(err, engine.ErrNoServer) || errors.Is(err, engine.ErrUnavailable) ||
		errors.Is(err, private.ErrForeign) {
		return false, nil
	}
	return slices.ContainsFunc(l.Sessions, func(s engine.Session) bool { return s.Name == name }), err
}

func (b *both) Respawn(ctx context.Context, pane core.PaneID, launch engine.Launch) (engine.Location, error) {
	return of(b, pane).Respawn(ctx, pane, launch)
}

func (b *both) Paste(ctx context.Context, pane core.PaneID, text []byte) error {
	return of(b, pane).Paste(ctx, pane, text)
}

func (b *both) Press(ctx context.Context, pane core.PaneID, keys ...string) error {
	return of(b, pane).Press(ctx, pane, keys...)
}

func (b *both) KillPane(ctx context.Context, pane core.PaneID) error {
	return of(b, pane).KillPane(ctx, pane)
}

func (b *both) KillSession(ctx context.Context, session core.SessionID) error {
	return of(b, session).KillSession(ctx, session)
}

// Rename gives a session another name, which no session of the other engine may have.
func (b *both) Rename(ctx context.Context, session core.SessionID, name string) error {
	var in, beside Engine = b.tmux, b.own
	if own.Is(string(session)) {
		in, beside = beside, in
	}
	if taken, err := names(ctx, beside, name); err != nil {
		return err
	} else if taken {
		return fmt.Errorf("rename session: %w: %s", engine.ErrDuplicate, name)
	}
	return in.Rename(ctx, session, name)
}

func (b *both) Resize(ctx context.Context, pane core.PaneID, width, height int) error {
	return of(b, pane).Resize(ctx, pane, width, height)
}

// Tag sets tags in each engine.
func (b *both) Tag(ctx context.Context, tags ...engine.Tag) error {
	var first, second []engine.Tag
	for _, tag := range tags {
		if !own.Is(cmp.Or(string(tag.Pane), string(tag.Session))) {
			first = append(first, tag)
		} else {
			second = append(second, tag)
		}
	}
	var failed error
	if len(first) > 0 {
		failed = b.tmux.Tag(ctx, first...)
	}
	if len(second) > 0 {
		failed = cmp.Or(failed, b.own.Tag(ctx, second...))
	}
	return failed
}

func (b *both) Attach(session core.SessionID, pane core.PaneID) []string {
	return of(b, session).Attach(session, pane)
}

// NoteEnd is for tmux: what Cupola's own server lost is known without.
func (b *both) NoteEnd(ctx context.Context, path string) error {
	if noter, is := b.tmux.(engine.EndNoter); is {
		return noter.NoteEnd(ctx, path)
	}
	return nil
}

// Upgrade upgrades Cupola's own server.
func (b *both) Upgrade(ctx context.Context, program string) (engine.Upgraded, error) {
	return b.own.Upgrade(ctx, program)
}

func (b *both) OtherServers() []engine.OtherServer {
	if seeker, is := b.tmux.(engine.Seeker); is {
		return seeker.OtherServers()
	}
	return nil
}

func (b *both) Close() error { return errors.Join(b.tmux.Close(), b.own.Close()) }

// Watch merges the changes of both engines.
func (b *both) Watch(ctx context.Context) engine.Feed {
	f := &bothFeed{
		sides:   [2]side{{feed: b.tmux.Watch(ctx)}, {feed: b.own.Watch(ctx)}},
		changes: make(chan engine.Change), focuses: engine.NewFocuses(),
	}
	go f.run(ctx)
	return f
}

// side is the feed of one engine and its latest change.
type side struct {
	feed   engine.Feed
	known  bool
	latest engine.Change
}

// bothFeed are two feeds as one.
type bothFeed struct {
	sides   [2]side
	changes chan engine.Change
	focuses engine.Focuses
	lost    bool
	unread  *engine.Change
}

func (f *bothFeed) Changes() <-chan engine.Change { return f.changes }

func (f *bothFeed) SetFocus(focus engine.Focus) { f.focuses.Set(focus) }

// run merges until ctx ends. It delivers nothing before both sides have sent a change.
func (f *bothFeed) run(ctx context.Context) {
	defer close(f.changes)
	for {
		var out chan<- engine.Change
		var newest engine.Change
		if f.unread != nil && f.sides[0].known && f.sides[1].known {
			out, newest = f.changes, *f.unread
		}
		select {
		case <-ctx.Done():
			return
		case focus := <-f.focuses:
			for _, side := range f.sides {
				side.feed.SetFocus(focus)
			}
		case out <- newest:
			f.unread = nil
		case change, open := <-f.sides[0].feed.Changes():
			if !open {
				return
			}
			f.merge(0, change)
		case change, open := <-f.sides[1].feed.Changes():
			if !open {
				return
			}
			f.merge(1, change)
		}
	}
}

// merge merges a change of one side.
func (f *bothFeed) merge(i int, change engine.Change) {
	if was := f.sides[i].latest; change.Silent != nil {
		change.Listing.Sessions, change.Listing.Panes = was.Listing.Sessions, was.Listing.Panes
	}
	f.sides[i].latest, f.sides[i].known = change, true
	one, other := f.sides[0], f.sides[1]
	merged := engine.Change{
		Listing:    join(one.latest.Listing, other.latest.Listing),
		Structural: change.Structural || change.Lost != nil,
		Dirty:      change.Dirty,
		Said:       change.Said,
		Silent:     change.Silent,
	}
	switch {
	case one.latest.Lost != nil && other.latest.Lost != nil:
		if f.lost {
			return
		}
		merged = engine.Change{Listing: engine.Listing{Taken: change.Listing.Taken}, Lost: one.latest.Lost}
		f.lost = true
	default:
		f.lost = false
	}
	f.unread = engine.Merge(f.unread, merged)
}

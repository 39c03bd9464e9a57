package server

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// The size of a session, in cells, unless the client asks for another.
const usualWidth, usualHeight = 200, 50

// leastRoom is how many lines a split must leave for a pane. Panes are never made smaller, but a caller that splits
// again and again is told to lay out or to open a window, as by other servers.
const leastRoom = 2

// session is a session. server.mu guards it.
type session struct {
	id      core.SessionID
	name    string
	created time.Time
	dir     string
	tags    map[string]string
	windows []*window
	// viewers counts the terminals that are attached.
	viewers int
}

// window is a window of a session. server.mu guards it.
type window struct {
	id            core.WindowID
	session       *session
	name          string
	width, height int
	panes         []*pane
	// active has the keyboard.
	active *pane
	// room is how many lines the last pane would have, were they divided.
	room int
}

// create makes what a launch says.
func (s *server) create(launch engine.Launch, environ []string) (engine.Place, error) {
	if err := checkLaunch(launch); err != nil {
		return engine.Place{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.windowFor(launch)
	if err != nil {
		return engine.Place{}, err
	}
	p := &pane{
		id: s.next(
			&s.upcoming.pane,
			"%",
		),
		window: w,
		server: s,
		keeps:  len(launch.Argv) > 0,
		tags:   maps.Clone(launch.Tags),
	}
	if p.tags == nil {
		p.tags = map[string]string{}
	}
	dir := cmp.Or(launch.Dir, w.session.dir)
	// The recording begins before the program, whose first output is in it.
	if launch.Record != "" {
		if p.recorder, err = record(launch.Record, w.session.name+": "+w.name, w.width, w.height); err != nil {
			return engine.Place{}, fmt.Errorf("record the pane: %w", err)
		}
	}
	if err := p.start(program{launch.Argv, environment(environ, launch.Env), dir}, w.width, w.height); err != nil {
		p.recorder.abandon()
		return engine.Place{}, err
	}
	// Only now it is in the tree: what failed left nothing.
	s.panes[p.id] = p
	w.panes = append(w.panes, p)
	if w.active == nil {
		w.active = p
	}
	if !slices.Contains(w.session.windows, w) {
		w.session.windows = append(w.session.windows, w)
	}
	s.sessions[w.session.id] = w.session
	s.keeper.keep(p)
	s.keeper.tell()
	s.restructured(p.id)
	return p.place(), nil
}

func checkLaunch(launch engine.Launch) error {
	if launch.Into == "" {
		if err := core.CheckSessionName(launch.Session); err != nil {
			return err
		}
	}
	for name := range launch.SessionTags {
		if err := engine.CheckTag(name, engine.SessionTags); err != nil {
			return err
		}
	}
	return engine.CheckProgram(launch)
}

// next is the next id of a kind, such as "%o3". The letter keeps it apart from those of tmux.
func (s *server) next(next *int, sigil string) core.PaneID {
	id := core.PaneID(fmt.Sprintf("%so%d", sigil, *next))
	*next++
	return id
}

// windowFor returns the window that a launch is for: a new one, perhaps of a new session, or one that is there.
func (s *server) windowFor(launch engine.Launch) (*window, error) {
	if s.ending {
		return nil, errEnding
	}
	name := cmp.Or(launch.Window, programName(launch.Argv))
	if launch.Into == "" {
		if s.named(launch.Session) != nil {
			return nil, fmt.Errorf("%w: %s", engine.ErrDuplicate, launch.Session)
		}
		one := &session{
			id: core.SessionID(
				s.next(&s.upcoming.session, "$"),
			),
			name:    launch.Session,
			created: time.Now(),
			dir:     launch.Dir,
			tags:    maps.Clone(launch.SessionTags),
		}
		if one.tags == nil {
			one.tags = map[string]string{}
		}
		width, height := cmp.Or(max(0, launch.Width), usualWidth), cmp.Or(max(0, launch.Height), usualHeight)
		if err := checkSize(width, height); err != nil {
			return nil, err
		}
		return s.newWindow(one, name, width, height), nil
	}
	into := s.sessions[launch.Into]
	if into == nil {
		return nil, fmt.Errorf("%w: %s", engine.ErrNoSession, launch.Into)
	}
	if launch.Split == "" {
		first := into.windows[0]
		return s.newWindow(into, name, first.width, first.height), nil
	}
	for _, w := range into.windows {
		if w.id == launch.Split {
			err := w.divide(launch.Tile)
			return w, err
		}
	}
	return nil, fmt.Errorf("%w: %s", engine.ErrNoWindow, launch.Split)
}

func (s *server) newWindow(in *session, name string, width, height int) *window {
	return &window{
		id: core.WindowID(
			s.next(&s.upcoming.window, "@"),
		),
		session: in,
		name:    name,
		width:   width,
		height:  height,
		room:    height,
	}
}

// divide counts what a further pane would leave of a window's room.
func (w *window) divide(tile bool) error {
	if tile {
		w.room = w.height
		return nil
	}
	if w.room/2 < leastRoom {
		return fmt.Errorf("%w: lay out the window, or open another", engine.ErrNoSpace)
	}
	w.room /= 2
	return nil
}

// named is the session of a name; nil if there is none.
func (s *server) named(name string) *session {
	for _, one := range s.sessions {
		if one.name == name {
			return one
		}
	}
	return nil
}

// pane finds a pane; mu is held.
func (s *server) pane(id core.PaneID) (*pane, error) {
	if p := s.panes[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w: %q", engine.ErrNoPane, string(id))
}

// find is pane for those who do not hold mu.
func (s *server) find(id core.PaneID) (*pane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pane(id)
}

// session finds a session; mu is held.
func (s *server) session(id core.SessionID) (*session, error) {
	if one := s.sessions[id]; one != nil {
		return one, nil
	}
	return nil, fmt.Errorf("%w: %q", engine.ErrNoSession, string(id))
}

func (s *server) killPane(id core.PaneID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.pane(id)
	if err == nil {
		s.remove(p)
	}
	return err
}

func (s *server) killSession(id core.SessionID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, err := s.session(id)
	if err == nil {
		s.endSession(one)
	}
	return err
}

// endSession removes all panes of a session, and with them the session; mu is held.
func (s *server) endSession(one *session) {
	for len(one.windows) > 0 {
		s.remove(one.windows[0].panes[0])
	}
}

// remove takes a pane out, with its window and session if it was their last, and ends its program; mu is held.
func (s *server) remove(p *pane) {
	w := p.window
	delete(s.panes, p.id)
	w.panes = slices.DeleteFunc(w.panes, func(other *pane) bool { return other == p })
	if len(w.panes) == 0 {
		w.session.windows = slices.DeleteFunc(w.session.windows, func(other *window) bool { return other == w })
	} else if w.active == p {
		w.active = w.panes[0]
	}
	if len(w.session.windows) == 0 {
		delete(s.sessions, w.session.id)
	}
	if pid := p.close(); pid != 0 {
		s.collected[pid] = true
	}
	s.keeper.forget(p.id)
	s.restructured()
	s.endIfUnused()
}

func (s *server) rename(id core.SessionID, name string) error {
	if err := core.CheckSessionName(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one, err := s.session(id)
	if err != nil {
		return err
	}
	if other := s.named(name); other != nil && other != one {
		return fmt.Errorf("%w: %s", engine.ErrDuplicate, name)
	}
	one.name = name
	s.restructured()
	return nil
}

// largest bounds the width and the height of a window, and mostCells its cells: each takes 16 bytes in every pane.
const largest, mostCells = 5000, 1 << 20

// checkSize returns an error for a size that no window can have.
func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > largest || height > largest || width*height > mostCells {
		return fmt.Errorf("a window cannot have %d by %d cells", width, height)
	}
	return nil
}

func (t terminals) resize(id core.PaneID, width, height int) error {
	if err := checkSize(width, height); err != nil {
		return err
	}
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	p, err := t.server.pane(id)
	if err != nil {
		return err
	}
	t.resizeWindow(p.window, width, height)
	return nil
}

// resizeWindow gives a window and all its panes a size; mu is held.
func (t terminals) resizeWindow(w *window, width, height int) {
	if w.width == width && w.height == height {
		return
	}
	w.width, w.height, w.room = width, height, height
	resized := make([]core.PaneID, 0, len(w.panes))
	for _, p := range w.panes {
		p.resize(width, height)
		resized = append(resized, p.id)
	}
	t.server.restructured(resized...)
}

// tag sets tags: all of them, or none.
func (s *server) tag(tags []engine.Tag) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := make([]map[string]string, len(tags))
	for i, tag := range tags {
		known := engine.PaneTags
		if tag.Pane != "" {
			p, err := s.pane(tag.Pane)
			if err != nil {
				return err
			}
			places[i] = p.tags
		} else {
			one, err := s.session(tag.Session)
			if err != nil {
				return err
			}
			places[i], known = one.tags, engine.SessionTags
		}
		if err := engine.CheckTag(tag.Name, known); err != nil {
			return err
		}
	}
	for i, tag := range tags {
		setTag(places[i], tag.Name, tag.Value)
	}
	s.restructured()
	return nil
}

func setTag(tags map[string]string, name, value string) {
	if value == "" {
		delete(tags, name)
	} else {
		tags[name] = value
	}
}

// listing lists everything.
func (s *server) listing(detail engine.Detail) engine.Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := engine.Listing{Taken: time.Now(), Panes: make([]engine.Pane, 0, len(s.panes))}
	sessions := slices.SortedFunc(
		maps.Values(s.sessions),
		func(a, b *session) int { return strings.Compare(a.name, b.name) },
	)
	for _, one := range sessions {
		l.Sessions = append(l.Sessions, engine.Session{
			ID:       one.id,
			Name:     one.name,
			Engine:   engine.Own,
			Created:  one.created,
			Attached: one.viewers,
			Dir:      one.dir,
			Tags:     maps.Clone(one.tags),
		})
		for _, w := range one.windows {
			for _, p := range w.panes {
				l.Panes = append(l.Panes, p.row(detail))
			}
		}
	}
	return l
}

// row is a pane as it is listed; server.mu is held.
func (p *pane) row(detail engine.Detail) engine.Pane {
	w := p.window
	row := engine.Pane{ID: p.id, Session: w.session.id, Tags: maps.Clone(p.tags), Alone: len(w.panes) == 1}
	row.Window = core.Window{
		ID: w.id, Name: w.name, Index: slices.Index(w.session.windows, w), PaneIndex: slices.Index(w.panes, p),
	}
	if detail&(engine.WithCommand|engine.WithDir) != 0 {
		p.look()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	row.Title, row.TTY, row.View, row.Activity, row.Heard = p.term.Title(), p.tty, p.view(), p.activity.Truncate(
		time.Second,
	), p.heard
	row.Process = core.Process{
		PID:        p.pid,
		Dead:       p.dead,
		ExitStatus: p.exitStatus(),
		Signal:     p.endSignal(),
		DiedAt:     p.died,
	}
	if detail&engine.WithCommand != 0 {
		row.Process.Command = p.command
	}
	if detail&engine.WithDir != 0 {
		row.Process.Dir = p.dir
	}
	return row
}

// programName is the name of a window whose program has no name.
func programName(argv []string) string {
	if len(argv) == 0 {
		return "shell"
	}
	return filepath.Base(argv[0])
}

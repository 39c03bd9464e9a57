package server

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
)

// The size of a session, in cells, unless the client asks for another.
const usualWidth, usualHeight = 200, 50

// leastRoom is how many lines a split must leave for a pane. Panes are never made smaller, but a caller that splits
// again and again gets the error of other servers: lay the window out, or open another one.
const leastRoom = 2

// tree is the table of the sessions, windows and panes of a server.
type tree struct {
	// mu guards what follows, and what of sessions, windows, panes and viewers says so.
	mu       sync.Mutex
	sessions map[core.SessionID]*session
	panes    map[core.PaneID]*pane
	upcoming ids
	ending   bool
	// replaced is when this server took the place of one that was killed; zero if it did not.
	replaced time.Time
	// ended is closed once the last session is gone.
	ended chan struct{}
	// follower is notified of changes while mu is held.
	follower follower
}

// ids are the numbers that are given next.
type ids struct{ session, window, pane, slot int }

// follower observes changes of a tree.
type follower interface {
	// restructured says that sessions, windows or panes are not what they were, and which screens are new.
	restructured(dirty ...core.PaneID)
	// gone says that a pane has no terminal any more. pid is its program, which is to end; 0 for none.
	gone(id core.PaneID, pid int)
}

func newTree(f follower) *tree {
	return &tree{
		sessions: map[core.SessionID]*session{}, panes: map[core.PaneID]*pane{},
		ended: make(chan struct{}), follower: f,
	}
}

// session is a session. tree.mu guards it.
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

// window is a window of a session. tree.mu guards it.
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

// add puts a pane into its window, and with it what is new of window and session; mu is held.
func (t *tree) add(p *pane) {
	w := p.window
	t.panes[p.id] = p
	w.panes = append(w.panes, p)
	if w.active == nil {
		w.active = p
	}
	if !slices.Contains(w.session.windows, w) {
		w.session.windows = append(w.session.windows, w)
	}
	t.sessions[w.session.id] = w.session
}

// next is the next id of a kind, such as "%o3". The letter keeps it apart from those of tmux.
func (t *tree) next(next *int, sigil string) core.PaneID {
	id := core.PaneID(fmt.Sprintf("%so%d", sigil, *next))
	*next++
	return id
}

// windowFor returns the window that a launch is for: a new one, perhaps of a new session, or one that is there.
func (t *tree) windowFor(launch engine.Launch) (*window, error) {
	if t.ending {
		return nil, wire.ErrEnding
	}
	name := cmp.Or(launch.Window, programName(launch.Argv))
	if launch.Into == "" {
		if t.named(launch.Session) != nil {
			return nil, fmt.Errorf("%w: %s", engine.ErrDuplicate, launch.Session)
		}
		one := &session{
			id:      core.SessionID(t.next(&t.upcoming.session, "$")),
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
		return t.newWindow(one, name, width, height), nil
	}
	into := t.sessions[launch.Into]
	if into == nil {
		return nil, fmt.Errorf("%w: %s", engine.ErrNoSession, launch.Into)
	}
	if launch.Split == "" {
		first := into.windows[0]
		return t.newWindow(into, name, first.width, first.height), nil
	}
	for _, w := range into.windows {
		if w.id == launch.Split {
			err := w.divide(launch.Tile)
			return w, err
		}
	}
	return nil, fmt.Errorf("%w: %s", engine.ErrNoWindow, launch.Split)
}

func (t *tree) newWindow(in *session, name string, width, height int) *window {
	return &window{
		id:      core.WindowID(t.next(&t.upcoming.window, "@")),
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
func (t *tree) named(name string) *session {
	for _, one := range t.sessions {
		if one.name == name {
			return one
		}
	}
	return nil
}

// pane finds a pane; mu is held.
func (t *tree) pane(id core.PaneID) (*pane, error) {
	if p := t.panes[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w: %q", engine.ErrNoPane, string(id))
}

// find is pane for those who do not hold mu.
func (t *tree) find(id core.PaneID) (*pane, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pane(id)
}

// session finds a session; mu is held.
func (t *tree) session(id core.SessionID) (*session, error) {
	if one := t.sessions[id]; one != nil {
		return one, nil
	}
	return nil, fmt.Errorf("%w: %q", engine.ErrNoSession, string(id))
}

func (t *tree) killPane(id core.PaneID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.pane(id)
	if err == nil {
		t.remove(p)
	}
	return err
}

func (t *tree) killSession(id core.SessionID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, err := t.session(id)
	if err == nil {
		t.endSession(one)
	}
	return err
}

// endSession removes all panes of a session, and with them the session; mu is held.
func (t *tree) endSession(one *session) {
	for len(one.windows) > 0 {
		t.remove(one.windows[0].panes[0])
	}
}

// remove takes a pane out, with its window and session if it was their last, and ends its program; mu is held.
func (t *tree) remove(p *pane) {
	w := p.window
	delete(t.panes, p.id)
	w.panes = slices.DeleteFunc(w.panes, func(other *pane) bool { return other == p })
	if len(w.panes) == 0 {
		w.session.windows = slices.DeleteFunc(w.session.windows, func(other *window) bool { return other == w })
	} else if w.active == p {
		w.active = w.panes[0]
	}
	if len(w.session.windows) == 0 {
		delete(t.sessions, w.session.id)
	}
	t.follower.gone(p.id, p.close())
	t.follower.restructured()
	t.endIfUnused()
}

// nextSlot is the number of another journal; mu is held.
func (t *tree) nextSlot() int {
	t.upcoming.slot++
	return t.upcoming.slot
}

// endIfEmpty ends a server that has no session.
func (t *tree) endIfEmpty() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endIfUnused()
}

// endIfUnused ends a server without sessions; mu is held.
func (t *tree) endIfUnused() {
	if len(t.sessions) == 0 && !t.ending {
		t.ending = true
		close(t.ended)
	}
}

// endAll ends all sessions.
func (t *tree) endAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, session := range t.sessions {
		t.endSession(session)
	}
	t.endIfUnused()
}

func (t *tree) rename(id core.SessionID, name string) error {
	if err := core.CheckSessionName(name); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	one, err := t.session(id)
	if err != nil {
		return err
	}
	if other := t.named(name); other != nil && other != one {
		return fmt.Errorf("%w: %s", engine.ErrDuplicate, name)
	}
	one.name = name
	t.follower.restructured()
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

func (t *tree) resize(id core.PaneID, width, height int) error {
	if err := checkSize(width, height); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.pane(id)
	if err != nil {
		return err
	}
	t.resizeWindow(p.window, width, height)
	return nil
}

// resizeWindow gives a window and all its panes a size; mu is held.
func (t *tree) resizeWindow(w *window, width, height int) {
	if w.width == width && w.height == height {
		return
	}
	w.width, w.height, w.room = width, height, height
	resized := make([]core.PaneID, 0, len(w.panes))
	for _, p := range w.panes {
		p.resize(width, height)
		resized = append(resized, p.id)
	}
	t.follower.restructured(resized...)
}

// tag sets tags: all of them, or none.
func (t *tree) tag(tags []engine.Tag) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	targets := make([]map[string]string, len(tags))
	for i, tag := range tags {
		known := engine.PaneTags
		if tag.Pane != "" {
			p, err := t.pane(tag.Pane)
			if err != nil {
				return err
			}
			targets[i] = p.tags
		} else {
			one, err := t.session(tag.Session)
			if err != nil {
				return err
			}
			targets[i], known = one.tags, engine.SessionTags
		}
		if err := engine.CheckTag(tag.Name, known); err != nil {
			return err
		}
	}
	for i, tag := range tags {
		setTag(targets[i], tag.Name, tag.Value)
	}
	t.follower.restructured()
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
func (t *tree) listing(detail engine.Detail) engine.Listing {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := engine.Listing{Taken: time.Now(), Panes: make([]engine.Pane, 0, len(t.panes))}
	sessions := slices.SortedFunc(
		maps.Values(t.sessions),
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

// row is a pane as it is listed; tree.mu is held.
func (p *pane) row(detail engine.Detail) engine.Pane {
	w := p.window
	row := engine.Pane{ID: p.id, Session: w.session.id, Tags: maps.Clone(p.tags), Alone: len(w.panes) == 1}
	row.Window = core.Window{
		ID: w.id, Name: w.name, Index: slices.Index(w.session.windows, w), PaneIndex: slices.Index(w.panes, p),
	}
	if detail&(engine.WithCommand|engine.WithDir) != 0 {
		p.refreshProgram()
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
		Lost:       p.dead && p.lost(p.server.tree.replaced),
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

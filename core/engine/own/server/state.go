package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/term"
)

// StateVersion is the version of the state that one server leaves to the next. A server reads no other.
const StateVersion = 1

// ResumeVariable is the number of the file descriptor in which a server finds the state that another one left to it.
const ResumeVariable = "CUPOLA_TERMINALS_STATE"

// errState means that a state cannot be read.
var errState = errors.New("no state of a terminal server that this program can read")

// state is the inheritance of the next server: after an upgrade with the screens, after a crash without them.
type state struct {
	Version  int            `json:"version"`
	Started  time.Time      `json:"started"`
	Replaced time.Time      `json:"replaced,omitzero"`
	Next     [3]int         `json:"next"`
	Sessions []sessionState `json:"sessions"`
	// Files are descriptors that the next server inherits: of the masters of panes, by their ids, and of the listener,
	// the lock and the connection to the holder; 0 for none.
	Files    map[core.PaneID]int `json:"files,omitempty"`
	Listener int                 `json:"listener,omitempty"`
	Lock     int                 `json:"lock,omitempty"`
	Holder   int                 `json:"holder,omitempty"`
	// Archive is the descriptor of the memory of journals, 0 for none; Slots how many journals there were.
	Archive int `json:"archive,omitempty"`
	Slots   int `json:"slots,omitempty"`
	// HolderPID is the process of the holder, if it is a child of this one; 0 otherwise.
	HolderPID int `json:"holder_pid,omitempty"`
	// Screens are the lengths of the saved terminals that follow the state, by pane in order.
	Screens []screenState `json:"screens,omitempty"`
}

type sessionState struct {
	ID      core.SessionID    `json:"id"`
	Name    string            `json:"name"`
	Created time.Time         `json:"created"`
	Dir     string            `json:"dir"`
	Tags    map[string]string `json:"tags,omitempty"`
	Windows []windowState     `json:"windows"`
}

type windowState struct {
	ID     core.WindowID `json:"id"`
	Name   string        `json:"name"`
	Width  int           `json:"width"`
	Height int           `json:"height"`
	Room   int           `json:"room"`
	Active core.PaneID   `json:"active"`
	Panes  []paneState   `json:"panes"`
}

type paneState struct {
	ID       core.PaneID       `json:"id"`
	Keeps    bool              `json:"keeps"`
	Tags     map[string]string `json:"tags,omitempty"`
	Argv     []string          `json:"argv,omitempty"`
	Dir      string            `json:"dir"`
	TTY      string            `json:"tty"`
	PID      int               `json:"pid"`
	Dead     bool              `json:"dead,omitempty"`
	Status   int               `json:"status,omitempty"`
	Died     time.Time         `json:"died,omitzero"`
	Activity time.Time         `json:"activity"`
	Command  string            `json:"command"`
	Heard    engine.Heard      `json:"heard"`
	// Recording is the file to which it is recorded, RecordingBegan when that began.
	Recording      string    `json:"recording,omitempty"`
	RecordingBegan time.Time `json:"recording_began,omitzero"`
	// Slot is the number of the pane's journal; 0 for none.
	Slot int `json:"slot,omitempty"`
	// Partial is true if its terminal core is younger than its program. Setup gives another core the modes and the
	// title of this one.
	Partial bool   `json:"partial,omitempty"`
	Setup   []byte `json:"setup,omitempty"`
	// Unread are the typed texts that the program has not read yet.
	Unread [][]byte `json:"unread,omitempty"`
}

type screenState struct {
	Pane   core.PaneID `json:"pane"`
	Length int         `json:"length"`
}

// structure is the state of a server that was started at a time, without files and screens; mu is held.
func (t *tree) structure(started time.Time) *state {
	st := &state{
		Version:  StateVersion,
		Started:  started,
		Replaced: t.replaced,
		Next:     [3]int{t.upcoming.session, t.upcoming.window, t.upcoming.pane},
		Slots:    t.upcoming.slot,
	}
	older := func(a, b *session) int { return a.created.Compare(b.created) }
	for _, one := range slices.SortedFunc(maps.Values(t.sessions), older) {
		session := sessionState{
			ID:      one.id,
			Name:    wire.Pack(one.name),
			Created: one.created,
			Dir:     wire.Pack(one.dir),
			Tags:    wire.MapTags(one.tags, wire.Pack),
		}
		for _, w := range one.windows {
			window := windowState{
				ID: w.id, Name: wire.Pack(w.name), Width: w.width, Height: w.height, Room: w.room, Active: w.active.id,
			}
			for _, p := range w.panes {
				window.Panes = append(window.Panes, p.state())
			}
			session.Windows = append(session.Windows, window)
		}
		st.Sessions = append(st.Sessions, session)
	}
	return st
}

// state returns the state of a pane for the next server; tree.mu is held.
func (p *pane) state() paneState {
	p.mu.Lock()
	defer p.mu.Unlock()
	recording := recorder{}
	if p.recorder != nil {
		recording = *p.recorder
	}
	return paneState{
		Recording: recording.path, RecordingBegan: recording.began,
		ID: p.id, Keeps: p.keeps, Tags: wire.MapTags(p.tags, wire.Pack), Argv: core.Map(p.program.argv, wire.Pack),
		Dir: wire.Pack(p.dir), TTY: p.tty, PID: p.pid, Dead: p.dead, Status: int(p.status), Died: p.died,
		Activity: p.activity, Command: wire.Pack(p.command), Heard: p.heard, Unread: p.typist.texts,
		Slot: p.slot, Partial: p.partial, Setup: p.term.Setup(),
	}
}

// restore builds the sessions of a state. screens are the saved terminals, by pane. A missing one is loaded from its
// journal; without a journal it begins empty, and the program is made to draw anew.
func (u *upgrader) restore(st *state, screens map[core.PaneID][]byte) error {
	if st.Archive != 0 {
		unix.CloseOnExec(st.Archive)
		u.server.archive = &archive{os.NewFile(uintptr(st.Archive), "archive")}
	} else {
		u.server.openArchive()
	}
	u.server.started = st.Started
	if u.server.tree.replaced = st.Replaced; st.Listener == 0 { // no upgrade: the former server was killed
		u.server.tree.replaced = time.Now()
	}
	u.server.tree.upcoming = ids{st.Next[0], st.Next[1], st.Next[2], st.Slots}
	for _, from := range st.Sessions {
		one := &session{
			id: from.ID, name: wire.Unpack(from.Name), created: from.Created, dir: wire.Unpack(from.Dir),
			tags: wire.MapTags(from.Tags, wire.Unpack),
		}
		for _, of := range from.Windows {
			w := &window{
				id:      of.ID,
				session: one,
				name:    wire.Unpack(of.Name),
				width:   of.Width,
				height:  of.Height,
				room:    of.Room,
			}
			for i := range of.Panes {
				p, err := u.restorePane(w, &of.Panes[i], st.Files[of.Panes[i].ID], screens[of.Panes[i].ID])
				if err != nil {
					return err
				}
				w.panes = append(w.panes, p)
				if p.id == of.Active {
					w.active = p
				}
				u.server.tree.panes[p.id] = p
			}
			if len(w.panes) == 0 {
				return errState
			}
			if w.active == nil {
				w.active = w.panes[0]
			}
			w.agreeOnSize()
			one.windows = append(one.windows, w)
		}
		if len(one.windows) == 0 {
			return errState
		}
		u.server.tree.sessions[one.id] = one
	}
	return nil
}

func (u *upgrader) restorePane(w *window, from *paneState, fd int, screen []byte) (*pane, error) {
	p := &pane{
		id:       from.ID,
		server:   u.server,
		keeps:    from.Keeps,
		window:   w,
		tags:     wire.MapTags(from.Tags, wire.Unpack),
		program:  program{argv: core.Map(from.Argv, wire.Unpack), dir: wire.Unpack(from.Dir)},
		tty:      from.TTY,
		pid:      from.PID,
		activity: from.Activity,
		command:  wire.Unpack(from.Command),
		dir:      wire.Unpack(from.Dir),
		heard:    from.Heard,
	}
	p.dead, p.status, p.died = from.Dead, syscall.WaitStatus(from.Status), from.Died //nolint:gosec // as it was written
	p.waited, p.drained = from.Dead, from.Dead
	shown := term.New(w.width, w.height)
	if screen != nil {
		var err error
		if shown, err = term.Load(screen); err != nil {
			return nil, fmt.Errorf("the screen of %s: %w", from.ID, err)
		}
	}
	p.setTerm(shown)
	p.paused, p.partial = true, from.Partial
	u.restoreScreen(p, from, screen != nil)
	if from.Recording != "" {
		p.recorder = resumeRecording(from.Recording, from.RecordingBegan)
	}
	if fd == 0 || from.Dead {
		p.drained = true
		return p, nil
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	p.master = os.NewFile(uintptr(fd), "ptmx")
	return p, nil
}

// agreeOnSize gives a window and its panes the size that its active pane has: the server may have been killed while it
// resized them.
func (w *window) agreeOnSize() {
	w.width, w.height = w.active.term.Size()
	for _, p := range w.panes {
		if width, height := p.term.Size(); width != w.width || height != w.height {
			p.resize(w.width, w.height)
		}
	}
}

// restoreScreen gives a pane its screen if it was not saved for it, its journal, and what was typed and not read.
func (u *upgrader) restoreScreen(p *pane, from *paneState, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !known && from.Slot != 0 && u.server.archive != nil {
		err := p.remember(from.Slot)
		if err == nil {
			return
		}
		u.server.opts.Log.Error("the journal of a pane cannot be read", "pane", p.id, "error", err)
	}
	if !known {
		_, _ = p.term.Write(from.Setup)
		p.partial, p.said, p.answers = true, nil, nil
	}
	p.typist = typist{texts: from.Unread}
	for _, text := range from.Unread {
		p.typist.size += len(text)
	}
	p.keepJournal(u.server.tree.nextSlot())
}

// resumePanes lets all panes be read and typed to. Programs whose screens are not known are made to draw them.
func (u *upgrader) resumePanes() {
	u.server.tree.mu.Lock()
	defer u.server.tree.mu.Unlock()
	for _, p := range u.server.tree.panes {
		p.mu.Lock()
		// The program may not have seen the last resize.
		if width, height := p.term.Size(); p.master != nil {
			_ = setSize(p.master, width, height)
		}
		p.resume()
		partial := p.partial && p.master != nil
		p.mu.Unlock()
		if partial {
			go p.provoke()
		}
	}
}

const (
	// provokedAtLeast and provokedAtMost are how long a terminal has another size so that its program draws anew. Some
	// programs draw a moment after the last of several changes, and only if the size is not what it was.
	provokedAtLeast = 400 * time.Millisecond
	provokedAtMost  = 2 * time.Second
)

// provoke makes a program draw its whole screen, by another size and the right one again: a program draws nothing for a
// size that it has. It ends early if a client resizes the terminal meanwhile.
func (p *pane) provoke() {
	p.mu.Lock()
	width, height := p.term.Size()
	p.mu.Unlock()
	other := height - 1
	if other < 1 {
		other = height + 1
	}
	p.resize(width, other)
	for began := time.Now(); time.Since(began) < provokedAtMost; time.Sleep(resizeWithin) {
		p.mu.Lock()
		drawn := p.activity.After(began) && time.Since(p.activity) > resizeWithin
		w, h := p.term.Size()
		gone := p.master == nil
		p.mu.Unlock()
		if gone || w != width || h != other {
			return
		}
		if drawn && time.Since(began) > provokedAtLeast {
			break
		}
	}
	p.resize(width, height)
}

// resume lets a pane be read and typed to; mu is held.
func (p *pane) resume() {
	p.paused = false
	if p.master == nil {
		return
	}
	_ = p.master.SetDeadline(time.Time{})
	p.readers.Add(1)
	p.journal.use()
	go p.read(p.master, p.journal)
	p.resumeTyping()
}

// writeState writes a state and the saved terminals to a file that the next server inherits.
func writeState(file *os.File, st *state, screens [][]byte) error {
	err := json.NewEncoder(file).Encode(st)
	for _, screen := range screens {
		if err == nil {
			_, err = file.Write(screen)
		}
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("save the state of the terminal server: %w", err)
	}
	return nil
}

// readState reads what writeState wrote from an inherited descriptor.
func readState(fd int) (*state, map[core.PaneID][]byte, error) {
	unix.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), "state")
	if file == nil {
		return nil, nil, errState
	}
	defer file.Close()
	st := &state{}
	decoder := json.NewDecoder(file)
	if err := decoder.Decode(st); err != nil || st.Version != StateVersion {
		return nil, nil, errState
	}
	rest := io.MultiReader(decoder.Buffered(), file)
	var newline [1]byte
	if _, err := io.ReadFull(rest, newline[:]); err != nil {
		return nil, nil, errState
	}
	screens := map[core.PaneID][]byte{}
	for _, screen := range st.Screens {
		saved, err := io.ReadAll(io.LimitReader(rest, int64(screen.Length)))
		if err != nil || len(saved) != screen.Length {
			return nil, nil, errState
		}
		screens[screen.Pane] = saved
	}
	return st, screens, nil
}

// inherited is the descriptor that a variable names; 0 for none.
func inherited(variable string) int {
	fd, err := strconv.Atoi(os.Getenv(variable))
	_ = os.Unsetenv(variable)
	if err != nil || fd <= 2 {
		return 0
	}
	return fd
}

// listenerOf is the listener of an inherited descriptor.
func listenerOf(fd int) (*net.UnixListener, error) {
	unix.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	own, is := listener.(*net.UnixListener)
	if !is {
		return nil, errState
	}
	return own, nil
}

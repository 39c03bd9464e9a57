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

// StateVersion is that of the state that one server leaves to the next. A server reads no other.
const StateVersion = 1

// ResumeVariable is the number of the file descriptor in which a server finds the state that another one left to it.
const ResumeVariable = "CUPOLA_TERMINALS_STATE"

// errState means that a state cannot be read.
var errState = errors.New("no state of a terminal server that this program can read")

// state is what one server leaves to the next: by an upgrade with the screens, by a crash without them.
type state struct {
	Version  int            `json:"version"`
	Started  time.Time      `json:"started"`
	Next     [3]int         `json:"next"`
	Sessions []sessionState `json:"sessions"`
	// Files are descriptors that the next server inherits: of the masters of panes, by their ids, and of the listener,
	// the lock and the connection to the holder; 0 for none.
	Files    map[core.PaneID]int `json:"files,omitempty"`
	Listener int                 `json:"listener,omitempty"`
	Lock     int                 `json:"lock,omitempty"`
	Holder   int                 `json:"holder,omitempty"`
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
	// Unread is what was typed and not read yet.
	Unread [][]byte `json:"unread,omitempty"`
}

type screenState struct {
	Pane   core.PaneID `json:"pane"`
	Length int         `json:"length"`
}

// structure is the state without files and screens; mu is held.
func (u upgrader) structure() *state {
	st := &state{
		Version: StateVersion,
		Started: u.server.started,
		Next:    [3]int{u.server.upcoming.session, u.server.upcoming.window, u.server.upcoming.pane},
	}
	older := func(a, b *session) int { return a.created.Compare(b.created) }
	for _, one := range slices.SortedFunc(maps.Values(u.server.sessions), older) {
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

// state is what the next server must know of a pane; server.mu is held.
func (p *pane) state() paneState {
	p.mu.Lock()
	defer p.mu.Unlock()
	recording := recorder{}
	if p.recorder != nil {
		recording = *p.recorder
	}
	return paneState{
		Recording: recording.path, RecordingBegan: recording.began,
		ID: p.id, Keeps: p.keeps, Tags: wire.MapTags(p.tags, wire.Pack), Argv: wire.MapList(p.program.argv, wire.Pack),
		Dir: wire.Pack(p.dir), TTY: p.tty, PID: p.pid, Dead: p.dead, Status: int(p.status), Died: p.died,
		Activity: p.activity, Command: wire.Pack(p.command), Heard: p.heard, Unread: p.typist.texts,
	}
}

// restore builds what a state describes. screens are the saved terminals, by pane; those that are missing begin empty,
// and their programs are told to draw anew.
func (u upgrader) restore(st *state, screens map[core.PaneID][]byte) error {
	u.server.started = st.Started
	u.server.upcoming = ids{st.Next[0], st.Next[1], st.Next[2]}
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
				u.server.panes[p.id] = p
			}
			if len(w.panes) == 0 {
				return errState
			}
			if w.active == nil {
				w.active = w.panes[0]
			}
			one.windows = append(one.windows, w)
		}
		if len(one.windows) == 0 {
			return errState
		}
		u.server.sessions[one.id] = one
	}
	return nil
}

func (u upgrader) restorePane(w *window, from *paneState, fd int, screen []byte) (*pane, error) {
	p := &pane{
		id:       from.ID,
		server:   u.server,
		keeps:    from.Keeps,
		window:   w,
		tags:     wire.MapTags(from.Tags, wire.Unpack),
		program:  program{argv: wire.MapList(from.Argv, wire.Unpack), dir: wire.Unpack(from.Dir)},
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
	if from.Recording != "" {
		p.recorder = goOn(from.Recording, from.RecordingBegan)
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
	p.typist.texts = from.Unread
	for _, text := range from.Unread {
		p.typist.size += len(text)
	}
	return p, nil
}

// resumePanes lets all panes be read and typed to. Those whose screen is unknown are drawn anew.
func (u upgrader) resumePanes(screens map[core.PaneID][]byte) {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	for _, p := range u.server.panes {
		p.mu.Lock()
		p.resume()
		master := p.master
		width, height := p.term.Size()
		p.mu.Unlock()
		if master != nil && screens[p.id] == nil {
			// A program draws anew only for another size than it had.
			_ = setSize(master, width, max(1, height-1))
			time.AfterFunc(resizeWithin, func() { p.resize(width, height) })
		}
	}
}

// resume lets a pane be read and typed to; mu is held.
func (p *pane) resume() {
	p.paused = false
	if p.master == nil {
		return
	}
	_ = p.master.SetDeadline(time.Time{})
	p.readers.Add(1)
	go p.read(p.master)
	p.resumeTyping()
}

// writeState writes a state and the saved terminals to a file that the next server inherits.
func writeState(st *state, screens [][]byte) (*os.File, error) {
	file, err := memoryFile()
	if err != nil {
		return nil, err
	}
	err = json.NewEncoder(file).Encode(st)
	for _, screen := range screens {
		if err == nil {
			_, err = file.Write(screen)
		}
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("save the state of the terminal server: %w", err)
	}
	return file, nil
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

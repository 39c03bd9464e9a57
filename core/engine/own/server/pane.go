package server

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/term"
)

const (
	// mostUnread is how many bytes that were typed wait for a program that does not read.
	mostUnread = 64 << 20
	// drainWithin is how long the last output of a program that has ended may take.
	drainWithin = time.Second
	// drawWithin is how long a program that says it draws may keep others from looking.
	drawWithin = 150 * time.Millisecond
	// readSize is the most that a pseudo-terminal gives at once.
	readSize = 4096
)

// pane is a pseudo-terminal with its program, and the terminal core that shows what the program writes.
type pane struct {
	id     core.PaneID
	server *server
	// keeps is true for a pane that stays when its program has ended; that of a shell goes.
	keeps bool

	// tree.mu guards window and tags.
	window *window
	tags   map[string]string

	// mu guards what follows. Its holder takes no other lock but those of viewers.
	mu      sync.Mutex
	program program
	term    *term.Terminal
	// master is the server's side of the terminal; nil once it is closed.
	master *os.File
	tty    string
	pid    int
	ending
	activity time.Time
	// command and dir belong to the foreground program as it was last examined.
	command, dir string
	// printed is the time of its last output since its program was examined; zero for none.
	printed time.Time
	heard   engine.Heard
	// said and answers are the messages and answers of the terminal core for the piece of output that is being read.
	said    []term.Event
	answers []byte
	// recorder records what the pane shows; nil for nothing.
	recorder *recorder
	// drawing is true if the program draws a batch (mode 2026) that no watcher was notified of.
	drawing bool
	viewers map[*viewer]bool
	typist  typist
	// partial is true while the terminal core is younger than the program: what the program had drawn before is not
	// known.
	partial bool
	// journal keeps what the pane shows through a crash; nil without one. slot is its number among all.
	journal *journal
	slot    int
	// sent is the setting that the holder received last.
	sent setting
	// readers is done once nothing is read or written any more.
	readers sync.WaitGroup
	paused  bool
}

// ending is how the program of a pane ended.
type ending struct {
	// waited is true once its status is known, drained once all its output was read, dead once both are.
	waited, drained, dead bool
	status                syscall.WaitStatus
	died                  time.Time
}

func (e *ending) exitStatus() int {
	if e.dead && e.status == unknownStatus {
		return -1
	}
	if e.dead && e.status.Exited() {
		return e.status.ExitStatus()
	}
	return 0
}

func (e *ending) endSignal() int {
	if e.dead && e.status.Signaled() {
		return int(e.status.Signal())
	}
	return 0
}

// killed reports whether the program was killed with SIGKILL.
func (e *ending) killed() bool {
	return e.waited && e.status.Signaled() && e.status.Signal() == syscall.SIGKILL
}

// lostWithin is the longest time between the end of a server and that of a program that was killed together with it:
// processes are killed one after another.
const lostWithin = 5 * time.Second

// lost reports whether the program was killed together with a server that was replaced at a time, zero for never. How
// it ended is unknown if that server would have waited for it.
func (e *ending) lost(replaced time.Time) bool {
	return !replaced.IsZero() && e.waited && (e.killed() || e.status == unknownStatus) &&
		e.died.Sub(replaced).Abs() < lostWithin
}

// location returns the session, window and index of a pane; tree.mu is held.
func (p *pane) location() engine.Location {
	p.mu.Lock()
	defer p.mu.Unlock()
	return engine.Location{Session: p.window.session.id, Window: p.window.id, Pane: p.id, PID: p.pid}
}

// view is the visible part; mu is held, and tree.mu.
func (p *pane) view() core.Viewport {
	width, height := p.term.Size()
	x, y, visible := p.term.Cursor()
	return core.Viewport{
		Width: width, Height: height, AlternateOn: p.term.Alternate(), History: p.term.History(),
		Cursor: core.Cursor{X: x, Y: y, Visible: visible}, Active: p.window.active == p,
		Partial: p.partial,
	}
}

// read takes what the program writes until it has ended. It stops without that where reading is paused.
func (p *pane) read(master *os.File, j *journal) {
	defer p.readers.Done()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		j.leave()
	}()
	var buffer []byte
	if j == nil {
		buffer = make([]byte, readSize)
	}
	for {
		if j != nil {
			buffer = j.piece()
		}
		n, err := master.Read(buffer)
		if n > 0 {
			p.receive(master, buffer[:n])
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			return
		case errors.Is(err, syscall.EIO) && p.revives(master):
		default:
			p.server.reaper.wentQuiet(p, master)
			return
		}
	}
}

// revives waits a little after everyone has closed the terminal, and reports whether the program still runs: it can
// open the terminal again.
func (p *pane) revives(master *os.File) bool {
	time.Sleep(20 * time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.master == master && !p.waited && runs(p.pid)
}

// receive takes a piece of output from a terminal. That of a former program is dropped.
func (p *pane) receive(master *os.File, piece []byte) {
	now := time.Now()
	p.mu.Lock()
	if p.master != master {
		p.mu.Unlock()
		return
	}
	_, _ = p.term.Write(piece)
	p.recorded(func(r *recorder) error { return r.write(piece, p.term) })
	p.activity, p.printed = now, now
	said, answers := p.said, p.answers
	p.said, p.answers = nil, nil
	p.hear(said, now)
	p.partial = p.partial && !p.term.Erased()
	p.journaled(outputEntry, now, piece)
	if len(answers) > 0 {
		_ = p.queue(answers)
	}
	drawing := p.term.Modes().Drawing
	began := drawing && !p.drawing
	p.drawing = drawing
	switched := p.switched()
	p.mu.Unlock()
	if switched {
		p.server.keeper.changed()
	}
	if drawing && len(said) == 0 {
		if began {
			time.AfterFunc(drawWithin, func() { p.server.watchers.changed(p.id, nil, time.Now()) })
		}
		return
	}
	p.server.watchers.changed(p.id, said, now)
}

// setting is the part of a terminal that the holder keeps where no journal has its screen.
type setting struct {
	modes     term.Modes
	alternate bool
	title     string
}

// switched reports whether the holder must receive the modes anew; mu is held.
func (p *pane) switched() bool {
	if p.journal != nil && !p.journal.broken {
		return false
	}
	modes := p.term.Modes()
	modes.Drawing = false
	now := setting{modes, p.term.Alternate(), p.term.Title()}
	was := p.sent
	p.sent = now
	return now != was
}

// hear keeps what was said last; mu is held.
func (p *pane) hear(said []term.Event, now time.Time) {
	for _, event := range said {
		switch event.Kind {
		case term.Status:
			if isPart(event.Text) {
				continue
			}
			p.heard.Status, p.heard.StatusAt = event.Text, now
		case term.Progress:
			p.heard.Progress = progressOf(event.Text)
		case term.Notification:
			p.heard.Notification, p.heard.NotifiedAt = notificationOf(event.Text), now
		case term.Bell:
			p.heard.BellAt = now
		}
	}
}

// progressOf is the progress that STATE;PERCENT says, as ConEmu defined it.
func progressOf(text string) string {
	state, percent, _ := strings.Cut(text, ";")
	switch state {
	case "1":
		if n, err := strconv.Atoi(percent); err == nil && n >= 0 && n <= 100 {
			return percent + "%"
		}
		return "busy"
	case "2":
		return "failed"
	case "3":
		return "busy"
	case "4":
		return "paused"
	}
	return ""
}

// longestNotification bounds what is kept of a notification, in bytes.
const longestNotification = 500

// notificationOf returns the text of a notification without the words of its protocol before it: "notify;" of OSC 777,
// metadata of OSC 99.
func notificationOf(text string) string {
	if rest, is := strings.CutPrefix(text, "notify;"); is {
		text = strings.Replace(rest, ";", ": ", 1)
	} else if before, after, found := strings.Cut(text, ";"); found && (before == "" || strings.Contains(before, "=")) {
		text = after
	}
	if len(text) > longestNotification {
		text = text[:longestNotification]
	}
	return strings.ToValidUTF8(text, "")
}

// isPart reports whether a status has an id, and so belongs to a part of the program, such as a sub-agent.
func isPart(status string) bool {
	return strings.HasPrefix(status, "id=") || strings.Contains(status, ":id=")
}

// typist writes what was typed, in order, as fast as the program reads.
type typist struct {
	texts  [][]byte
	size   int
	writes bool
}

var errUnread = fmt.Errorf("%w: its program does not read what is typed", engine.ErrSilent)

// typeIn queues bytes for the program. They are never mixed with those of other calls.
func (p *pane) typeIn(text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue(text)
}

// queue is typeIn for those who hold mu.
func (p *pane) queue(text []byte) error {
	if p.waited || p.master == nil {
		return engine.ErrDead
	}
	t := &p.typist
	if t.size+len(text) > mostUnread {
		return errUnread
	}
	t.texts, t.size = append(t.texts, text), t.size+len(text)
	p.journaled(typedEntry, time.Now(), text)
	p.resumeTyping()
	return nil
}

// resumeTyping writes what is queued; mu is held.
func (p *pane) resumeTyping() {
	if t := &p.typist; !t.writes && !p.paused && len(t.texts) > 0 {
		t.writes = true
		p.readers.Add(1)
		go p.write(p.master)
	}
}

// write writes what is queued until nothing is left.
func (p *pane) write(master *os.File) {
	defer p.readers.Done()
	t := &p.typist
	for {
		p.mu.Lock()
		if len(t.texts) == 0 || p.master != master || p.paused {
			t.writes = false
			if p.master != master && p.master != nil {
				p.resumeTyping() // what was typed since is for another program
			}
			p.mu.Unlock()
			return
		}
		text := t.texts[0]
		p.mu.Unlock()
		n, err := master.Write(text)
		p.mu.Lock()
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			n = t.size
		}
		if p.master == master {
			t.forget(n)
			p.journaled(wroteEntry, time.Now(), binary.AppendUvarint(nil, uint64(n))) //nolint:gosec // not negative
		}
		p.mu.Unlock()
	}
}

// forget removes written bytes. The rest of a text that was written in part comes first on the next write.
func (t *typist) forget(n int) {
	for n > 0 && len(t.texts) > 0 {
		first := t.texts[0]
		if n < len(first) {
			t.texts[0], t.size = first[n:], t.size-n
			return
		}
		n -= len(first)
		t.texts, t.size = t.texts[1:], t.size-len(first)
	}
}

// resize changes the size of the terminal and notifies the program.
func (p *pane) resize(width, height int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.term.Resize(width, height)
	p.journaled(resizeEntry, time.Now(), sizeBody(width, height))
	p.recorded(func(r *recorder) error { return r.resize(width, height) })
	if p.master != nil {
		_ = setSize(p.master, width, height)
	}
	for v := range p.viewers {
		v.redraw()
	}
}

// close ends the program as a terminal does that is closed. It returns the pid if it must still be waited for.
func (p *pane) close() (pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range p.viewers {
		v.leave("the pane was closed")
	}
	p.viewers = nil
	p.recorder.close()
	p.recorder = nil
	p.journal.close()
	p.journal = nil
	return p.hangUp()
}

// hangUp closes the terminal, which ends the program; mu is held.
func (p *pane) hangUp() (pid int) {
	master := p.master
	p.master = nil
	p.typist.texts, p.typist.size = nil, 0
	if !p.waited {
		pid = p.pid
		groups := []int{p.pid}
		if master != nil {
			if front, err := frontGroup(master); err == nil && front > 1 && front != p.pid {
				groups = append(groups, front)
			}
		}
		for _, group := range groups {
			for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGCONT} {
				_ = syscall.Kill(-group, signal)
			}
		}
	}
	if master != nil {
		if err := master.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			p.server.opts.Log.Error("close a terminal", "pane", p.id, "error", err)
		}
	}
	return pid
}

// respawn ends the program of a pane and starts another one in its place.
func (s *server) respawn(id core.PaneID, launch engine.Launch, environ []string) (engine.Location, error) {
	if err := engine.CheckProgram(launch); err != nil {
		return engine.Location{}, err
	}
	s.tree.mu.Lock()
	defer s.tree.mu.Unlock()
	p, err := s.tree.pane(id)
	if err != nil {
		return engine.Location{}, err
	}
	p.mu.Lock()
	next := program{argv: launch.Argv, env: environment(environ, launch.Env), dir: launch.Dir}
	if len(next.argv) == 0 {
		next.argv = p.program.argv
	} else {
		p.keeps = true
	}
	next.dir = cmp.Or(next.dir, p.program.dir)
	if pid := p.hangUp(); pid != 0 {
		s.reaper.collected[pid] = true
	}
	p.mu.Unlock()
	for name, value := range launch.Tags {
		setTag(p.tags, name, value)
	}
	if err := p.start(next, p.window.width, p.window.height); err != nil {
		return engine.Location{}, err
	}
	s.keeper.keep(p)
	s.keeper.sendStructure()
	s.restructured(p.id)
	return p.location(), nil
}

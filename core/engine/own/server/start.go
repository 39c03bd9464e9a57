package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"cupola/core/engine"
	"cupola/core/system/process"
	"cupola/core/term"
)

// keptLines is how many lines that scroll off a pane are kept at least.
const keptLines = 5000

// program is the command that a pane runs.
type program struct {
	// argv is empty for the user's shell.
	argv []string
	env  []string
	dir  string
}

// environment returns the environment of a program: the creator's, without what belongs to its terminal, and with what
// the launch adds.
func environment(environ, added []string) []string {
	return process.Merged(engine.Portable(environ), []string{"TERM=xterm-256color", engine.Colours}, added)
}

// create makes what a launch says.
func (s *server) create(launch engine.Launch, environ []string) (engine.Location, error) {
	if err := checkLaunch(launch); err != nil {
		return engine.Location{}, err
	}
	s.tree.mu.Lock()
	defer s.tree.mu.Unlock()
	w, err := s.tree.windowFor(launch)
	if err != nil {
		return engine.Location{}, err
	}
	p := &pane{
		id:     s.tree.next(&s.tree.upcoming.pane, "%"),
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
			return engine.Location{}, fmt.Errorf("record the pane: %w", err)
		}
	}
	if err := p.start(program{launch.Argv, environment(environ, launch.Env), dir}, w.width, w.height); err != nil {
		p.recorder.abandon()
		return engine.Location{}, err
	}
	// Only now it is in the tree: what failed left nothing.
	s.tree.add(p)
	s.keeper.keep(p)
	s.keeper.sendStructure()
	s.restructured(p.id)
	return p.location(), nil
}

// start starts a program in a new terminal. After an error the pane is as it was.
func (p *pane) start(run program, width, height int) error {
	if err := p.server.tree.mayOpen(); err != nil {
		return err
	}
	master, slave, err := openTerminal(width, height)
	if err != nil {
		return fmt.Errorf("open a terminal: %w", limited(err))
	}
	defer slave.Close()
	path, argv := resolved(run)
	env := process.Merged(run.env,
		[]string{engine.PaneVariable + "=" + string(p.id), engine.SocketVariable + "=" + p.server.opts.Socket})
	started, err := os.StartProcess(path, argv, &os.ProcAttr{
		Dir: run.dir, Env: env, Files: []*os.File{slave, slave, slave},
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	})
	if err != nil {
		_ = master.Close()
		return limited(err)
	}
	pid := started.Pid
	_ = started.Release() // reap waits for it
	p.mu.Lock()
	defer p.mu.Unlock()
	p.program, p.master, p.pid, p.tty = run, master, pid, slave.Name()
	p.ending, p.heard, p.drawing = ending{}, engine.Heard{}, false
	p.activity, p.dir, p.command = time.Now(), run.dir, ""
	p.printed = p.activity // a shell soon becomes the program that it was asked to run
	p.partial = false
	p.setTerm(term.New(width, height))
	p.keepJournal(p.server.tree.nextSlot())
	p.readers.Add(1)
	p.journal.use()
	go p.read(master, p.journal)
	for v := range p.viewers {
		v.redraw()
	}
	return nil
}

// otherFiles is how many files a server or a holder has open beside terminals, at most, in ordinary use.
const otherFiles = 24

// mayOpen returns an error where a further terminal would leave too few files for the server, or for one that takes its
// place; tree.mu is held.
func (t *tree) mayOpen() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil &&
		uint64(len(t.panes))+otherFiles >= uint64(limit.Cur) { //nolint:gosec,unconvert // the type differs by system
		return fmt.Errorf("%w: the terminal server may open %d files (ulimit -n), and has %d panes",
			engine.ErrLimit, limit.Cur, len(t.panes))
	}
	return nil
}

// limited names the limit that an error of the system is about.
func limited(err error) error {
	for errno, limit := range map[syscall.Errno]string{
		syscall.EMFILE: "the files that the terminal server may open (ulimit -n)",
		syscall.ENFILE: "the files that all programs may open",
		syscall.EAGAIN: "the processes that the user may run (ulimit -u)",
		syscall.ENOSPC: "the terminals that there may be (sysctl kernel.pty.max)",
		syscall.ENOMEM: "the memory",
	} {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w: %s: %w", engine.ErrLimit, limit, err)
		}
	}
	return err
}

// setTerm gives a pane its terminal core; mu is held.
func (p *pane) setTerm(t *term.Terminal) {
	t.HistoryLimit(keptLines)
	t.Events = func(event term.Event) { p.said = append(p.said, event) }
	t.Answers = func(answer []byte) { p.answers = append(p.answers, answer...) }
	p.term = t
	p.passToViewers()
}

// passToViewers has what the program writes passed on while a viewer shows it; mu is held.
func (p *pane) passToViewers() {
	p.term.Passed = nil
	if len(p.viewers) > 0 {
		p.term.Passed = func(piece []byte) {
			for v := range p.viewers {
				v.show(piece)
			}
		}
	}
}

// resolved finds the program of a pane in its own PATH. One that is not there is run by a shell, which says so where
// the user looks.
func resolved(run program) (path string, argv []string) {
	if len(run.argv) == 0 {
		shell := process.Variable(run.env, "SHELL")
		if !filepath.IsAbs(shell) || !executable(shell) {
			shell = "/bin/sh"
		}
		return shell, []string{"-" + filepath.Base(shell)}
	}
	name := run.argv[0]
	if strings.Contains(name, "/") {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(run.dir, full)
		}
		if executable(full) {
			return full, run.argv
		}
	} else {
		for _, dir := range filepath.SplitList(process.Variable(run.env, "PATH")) {
			if full := filepath.Join(dir, name); filepath.IsAbs(full) && executable(full) {
				return full, run.argv
			}
		}
	}
	return "/bin/sh", append([]string{"/bin/sh", "-c", `exec "$0" "$@"`}, run.argv...)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// openTerminal opens a pseudo-terminal of a size. The master can be read with deadlines, and closing it wakes who
// reads.
func openTerminal(width, height int) (master, slave *os.File, err error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	// The library has asked for the descriptor, which makes the file a blocking one. Its duplicate is made non-blocking
	// before the runtime sees it: on macOS the other order fails with EAGAIN.
	if master, err = pollable(opened); err == nil {
		if err = setSize(master, width, height); err == nil {
			return master, slave, nil
		}
		_ = master.Close()
	}
	_ = slave.Close()
	return nil, nil, err
}

// pollable duplicates a file as one that the runtime polls.
func pollable(file *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), file.Name()), nil
}

// setSize sets the size of a terminal. The kernel notifies its programs.
func setSize(master *os.File, width, height int) error {
	return withDescriptor(master, func(fd int) error {
		size := unix.Winsize{Col: uint16(width), Row: uint16(height)} //nolint:gosec // checked by resize
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size)
	})
}

// frontGroup is the process group in front of a terminal.
func frontGroup(master *os.File) (group int, err error) {
	err = withDescriptor(master, func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// withDescriptor gives a file's descriptor to a function, without making the file a blocking one.
func withDescriptor(file *os.File, use func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = use(int(fd)) }); err != nil {
		return err
	}
	return failed
}

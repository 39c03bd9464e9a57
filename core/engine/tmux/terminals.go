package tmux

import (
	"context"
	"strconv"
	"strings"

	"cupola/core/system/fileevent"
	"cupola/core/system/process"
)

// terminalFolder is the folder of the terminals that programs are run on, on Linux.
const terminalFolder = "/dev/pts"

// terminals reports output of panes, and panes that open or close, as soon as it happens. It misses what the kernel
// echoes of typed text, and what tmux changes by itself.
type terminals interface {
	// watch watches the terminals of a snapshot's panes, each until its next output. It returns false if some are not
	// watched.
	watch(seen *snapshot) bool
	// events delivers a token after something happened.
	events() <-chan struct{}
}

// ttys are the terminals of this machine.
type ttys struct{ watcher *fileevent.Watcher }

func (t ttys) events() <-chan struct{} { return t.watcher.Events() }

// terminals returns those of the server's panes until ctx ends; nil where the system does not report their output.
func (s *Server) terminals(ctx context.Context) terminals {
	if s.process.over != nil {
		return nil
	}
	watcher, err := fileevent.New()
	if err != nil {
		return nil
	}
	if err := watcher.WatchFolder(terminalFolder); err != nil {
		_ = watcher.Close()
		return nil
	}
	context.AfterFunc(ctx, func() { _ = watcher.Close() })
	return ttys{watcher}
}

// watch returns false for a server that sees other files, as one in a container does: its terminals have other paths.
func (t ttys) watch(seen *snapshot) bool {
	pid, _, _ := strings.Cut(seen.server, "/")
	server, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	if same, _ := process.SeesSameFiles(server); !same {
		return false
	}
	paths := make([]string, 0, len(seen.panes))
	for i := range seen.panes {
		if p := &seen.panes[i]; !p.Process.Dead && strings.HasPrefix(p.TTY, terminalFolder) {
			paths = append(paths, p.TTY)
		}
	}
	return t.watcher.WatchFiles(paths) == nil
}

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

// terminals reports output of panes, and terminals of any program that open or close, as soon as it happens. It misses
// what the kernel echoes of typed text, and what tmux changes by itself.
type terminals interface {
	// watch watches the terminals of a snapshot's panes, each until its next output, and until a terminal is opened or
	// closed. It returns false if some are not watched.
	watch(seen *snapshot) bool
	// printed delivers a token after the output of a watched pane, opened after a terminal was opened or closed.
	printed() <-chan struct{}
	opened() <-chan struct{}
}

// ttys are the terminals of this machine.
type ttys struct{ watcher *fileevent.Watcher }

func (t ttys) printed() <-chan struct{} { return t.watcher.Files() }
func (t ttys) opened() <-chan struct{}  { return t.watcher.Folders() }

// terminals watches the terminals of the server's panes until ctx ends; nil where the system
// does not report their output.
func (s *Server) terminals(ctx context.Context) terminals {
	if s.process.over != nil {
		return nil
	}
	watcher, err := fileevent.New()
	if err != nil {
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
	return t.watcher.WatchFolder(terminalFolder) == nil && t.watcher.WatchFiles(paths) == nil
}

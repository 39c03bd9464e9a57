package effect

import (
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/system/process"
	"cupola/tui/intent"
	"cupola/tui/terminal"
)

// suspend stops the dashboard if a shell is there to continue it. Otherwise the system
// ignores the stop, and the dashboard would wait for ever.
func suspend(t *terminal.Terminal, wanted intent.Suspend, find func(pid int) (process.Proc, error)) tea.Msg {
	if signal.Ignored(syscall.SIGTSTP) || !controlled(os.Getpid(), find) {
		err := core.Errorf(core.Conflict, "no shell with job control started cupola, so it cannot be suspended")
		err.Hint = "q leaves."
		return Done{Intent: wanted, Err: err}
	}
	return Handover{Intent: wanted, loan: loan{t.Stop}, wrap: runError("suspend")}
}

// controlled reports whether a process has a shell above it that controls its process
// group: an ancestor in the same session, but another group.
func controlled(pid int, find func(pid int) (process.Proc, error)) bool {
	self, err := find(pid)
	for p := self; err == nil && p.Session == self.Session; {
		if p.Group != self.Group {
			return true
		}
		p, err = find(p.Parent)
	}
	return false
}

package relay

import (
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// guardScript ends a process group if its standard input closes without a second line: then the
// process that holds the other end was killed. A shell costs less than a second copy of this
// program.
const guardScript = `trap '' HUP INT TERM
read -r group || exit
read -r ended && exit
kill -s TERM -- "-$group" 2>/dev/null || exit
sleep 2
kill -s KILL -- "-$group" 2>/dev/null`

// guard is a shell that outlives this process, to end a backend if this process is killed.
type guard struct {
	started chan struct{}
	input   io.WriteCloser
}

// startGuard starts a guard of the process group of a program, beside the caller. Without a shell
// there is none.
func startGuard(group int) *guard {
	g := &guard{started: make(chan struct{})}
	go func() {
		defer close(g.started)
		cmd := exec.Command("/bin/sh", "-c", guardScript) //nolint:noctx // it must outlive any context
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
		input, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			return
		}
		g.input = input
		_, _ = fmt.Fprintln(input, group)
		go func() { _ = cmd.Wait() }()
	}()
	return g
}

// end lets the guard end without doing anything.
func (g *guard) end() {
	<-g.started
	if g.input != nil {
		_, _ = fmt.Fprintln(g.input, "ended")
		_ = g.input.Close()
	}
}

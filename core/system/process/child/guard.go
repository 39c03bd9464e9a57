package child

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"cupola/core/system/process/job"
)

// guardScript ends its own process group, and what else is marked with its first argument as part of the job, if its
// standard input closes: then the process that holds the other end was killed. A shell costs less than a second copy
// of this program. Terminal servers stay, as in package job.
const guardScript = `trap '' HUP INT TERM TSTP TTIN TTOU
marked() {
	for file in $(grep -ls "` + job.Variable + `=[A-Z0-9:]*$2" /proc/[0-9]*/environ 2>/dev/null); do
		pid=${file#/proc/}; pid=${pid%/environ}
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		tmux*|screen|zellij) ;;
		*) kill -s "$1" "$pid" 2>/dev/null ;;
		esac
	done
}
read -r closed
kill -s TERM -- "-$$" 2>/dev/null
marked TERM "$1"
sleep 2
marked KILL "$1"
kill -s KILL -- "-$$" 2>/dev/null`

// guard is a shell that outlives this process, to end a program if this process is killed. It leads
// the process group that the program is started in: there is no moment in which the program runs
// and the guard does not know it.
type guard struct {
	// group is the process group; 0 if there is no guard.
	group   int
	process *os.Process
	input   io.Closer
	ended   chan struct{}
}

// startGuard starts a guard of a job. Without a shell there is none.
func startGuard(id string) *guard {
	g := &guard{ended: make(chan struct{})}
	cmd := exec.Command("/bin/sh", "-c", guardScript, "cupola-guard", id) //nolint:noctx // it must outlive any context
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		close(g.ended)
		return g
	}
	g.group, g.process, g.input = cmd.Process.Pid, cmd.Process, input
	go func() {
		defer close(g.ended)
		_ = cmd.Wait()
	}()
	return g
}

// end ends the guard, and leaves the rest of its group alone.
func (g *guard) end() {
	if g.process != nil {
		_ = g.process.Kill()
		_ = g.input.Close()
	}
	<-g.ended
}

package child

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core/system/process"
	"cupola/core/system/process/job"
)

// running is a program that runs, with its process group, which it may have left.
type running struct {
	job   *job.Job
	group int

	mu sync.Mutex
	// seen are processes of the job that were found while the program ran.
	seen *job.Found
}

// jobOf is the job of a program that was just started and writes to a pipe.
func jobOf(id string, pid int, output *os.File) *job.Job {
	j := &job.Job{ID: id, Leader: pid}
	if p, err := process.Find(pid); err == nil {
		j.Since = p.Start
	}
	var about unix.Stat_t
	if raw, err := output.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &about) })
		if err == nil && about.Ino != 0 {
			j.Streams = []string{fmt.Sprintf("pipe:[%d]", about.Ino)}
		}
	}
	return j
}

// end ends the program and its job: politely, and after some time by force, unless the program has ended before.
func (r *running) end(ended <-chan struct{}, within time.Duration) {
	r.mu.Lock()
	found, err := job.Find(r.job)
	if err == nil {
		r.seen = found
	}
	r.mu.Unlock()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		_ = syscall.Kill(-r.group, signal)
		if err != nil {
			_ = syscall.Kill(r.job.Leader, signal)
		} else {
			for _, p := range found.Members {
				_ = process.Signal(p, signal)
			}
		}
		select {
		case <-ended:
			return
		case <-time.After(within):
		}
	}
}

// endLeft ends what the program left behind of its job, and returns what is left then.
func (r *running) endLeft(ctx context.Context, within time.Duration) []job.Left {
	r.mu.Lock()
	defer r.mu.Unlock()
	after := *r.job
	after.Gone = true
	found, err := job.Find(&after)
	if err != nil {
		return nil
	}
	found.Join(r.seen)
	_, left, _ := found.End(ctx, 0, within)
	return left
}

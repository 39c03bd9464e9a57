package pipeline

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/plainfile"
)

// detachEvery is how often it is looked whether a run has begun; detachWithin is
// how long that may take.
const (
	detachEvery  = 20 * time.Millisecond
	detachWithin = time.Minute
)

// Detach starts a program that runs a run, in a process session of its own, so that it
// outlives this process and its terminal. Its output goes to the run's log. Detach returns
// once the program has taken the run (see Take). It returns IOError, with the output, if
// the program ends before; it kills a program that takes too long and returns Timeout.
func (b Book) Detach(ctx context.Context, id, dir string, argv ...string) (*Run, error) {
	log, err := os.OpenFile(b.log(id), os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, failedIO("open the run's log", err)
	}
	defer log.Close()
	// It must not end with ctx.
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // it outlives this process
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, failedIO("start the run", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the run's record tells how it went
	}()
	waiting, stop := context.WithTimeout(ctx, detachWithin)
	defer stop()
	tick := time.NewTicker(detachEvery)
	defer tick.Stop()
	for over := false; ; {
		run, err := b.load(id)
		switch {
		case err != nil:
			return nil, failedIO("read the run", err)
		case run.PID == cmd.Process.Pid:
			return run, nil
		case over:
			return nil, b.neverBegan(id)
		}
		select {
		case <-tick.C:
		case <-ended:
			over = true
		case <-waiting.Done():
			// It must not begin after the caller gave up.
			_ = cmd.Process.Kill()
			<-ended
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, core.Errorf(core.Timeout, "the run %s did not begin; see %s", id, b.log(id))
		}
	}
}

// neverBegan is the error of a program that ended before it took up its run.
func (b Book) neverBegan(id string) error {
	said, err := plainfile.Read(b.log(id), plainfile.Record)
	if err != nil {
		return failedIO("read the run's log", err)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return &core.Error{
		Code:    core.IOError,
		Message: fmt.Sprintf("the run %s did not begin: %s", id, lines[len(lines)-1]),
		Details: map[string]string{"log": b.log(id)},
	}
}

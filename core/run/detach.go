package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// detachEvery is how often a run is checked for its start; detachWithin is how long that may take.
const (
	detachEvery  = 20 * time.Millisecond
	detachWithin = time.Minute
)

// Detach starts a program that is to take up a run, in a session of its own, so that it outlives
// this process and its terminal. What it prints goes to the run's log. It returns once the program
// has taken up the run; a program that ends before is an IOError with what it said, and one that
// takes too long is ended.
func (b *Directory[T, R]) Detach(ctx context.Context, id, dir string, argv ...string) (R, error) {
	path := filepath.Join(b.Folder(id), logFile)
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, failed("open the "+b.Noun+"'s log", err)
	}
	defer log.Close()
	// It must not end with ctx.
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // it outlives this process
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, failed("start the "+b.Noun, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the run's record has its result
	}()
	waiting, stop := context.WithTimeout(ctx, detachWithin)
	defer stop()
	tick := time.NewTicker(detachEvery)
	defer tick.Stop()
	for over := false; ; {
		run, err := b.Load(id)
		switch {
		case err != nil:
			return nil, failed("read the "+b.Noun, err)
		case run.Head().PID == cmd.Process.Pid:
			return run, nil
		case over:
			return nil, errNeverBegan(b.Noun, id, path)
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
			return nil, core.Errorf(core.Timeout, "the %s %s did not begin; see %s", b.Noun, id, path)
		}
	}
}

// errNeverBegan makes the error of a program that ended before it took up its run.
func errNeverBegan(noun, id, log string) error {
	said, err := plainfile.Read(log, plainfile.Record)
	if err != nil {
		return core.FileError("read the "+noun+"'s log", err)
	}
	return &core.Error{
		Code:    core.IOError,
		Message: fmt.Sprintf("the %s %s did not begin: %s", noun, id, lastLine(said)),
		Details: map[string]string{"log": log},
	}
}

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// pollEvery is how often Wait polls. The system notifies only parents of an end.
const pollEvery = 20 * time.Millisecond

// Wait waits until none of the processes is alive, at most for the given time
// or until ctx ends, and returns those that still are.
func Wait(ctx context.Context, procs []Proc, atMost time.Duration) []Proc {
	timeout := time.NewTimer(atMost)
	defer timeout.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	left := alive(procs)
	for len(left) > 0 {
		select {
		case <-ctx.Done():
			return left
		case <-timeout.C:
			return alive(left)
		case <-tick.C:
			left = alive(left)
		}
	}
	return left
}

// End asks the processes to end (SIGTERM), kills those that are alive after grace, and
// returns how many ended meanwhile. It signals only these processes, identified by pid and
// start time, and never init or the caller. It returns ctx's error if ctx ends first,
// otherwise the first error of a process that could not be ended.
func End(ctx context.Context, procs []Proc, grace time.Duration) (ended int, err error) {
	targets := slices.DeleteFunc(alive(procs), func(p Proc) bool {
		return p.PID <= 1 || p.source != nil || p.PID == syscall.Getpid()
	})
	err = signalAll(targets, syscall.SIGTERM)
	left := Wait(ctx, targets, grace)
	if ctx.Err() == nil && len(left) > 0 {
		err = signalAll(left, syscall.SIGKILL)
		left = Wait(ctx, left, grace)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if len(left) == 0 {
		err = nil
	}
	return len(targets) - len(left), err
}

func signalAll(procs []Proc, signal syscall.Signal) error {
	var first error
	for _, p := range procs {
		if err := Signal(p, signal); err != nil && !errors.Is(err, ErrGone) && first == nil {
			first = fmt.Errorf("end process %d (%s): %w", p.PID, p.Name, err)
		}
	}
	return first
}

// Signal sends a signal to a process that was read before. It returns ErrGone if that has ended, also where its pid
// is another process's by now. Init and the processes of other machines are never signalled.
func Signal(p Proc, signal syscall.Signal) error {
	if p.PID <= 1 || p.source != nil {
		return fmt.Errorf("process %d is not to be signalled: %w", p.PID, os.ErrPermission)
	}
	return signalSame(p, signal)
}

// signalPID signals whatever has the pid of a process, if that is the process still. Another process can take the pid
// between the two.
func signalPID(p Proc, signal syscall.Signal) error {
	if !p.Alive() {
		return ErrGone
	}
	err := syscall.Kill(p.PID, signal)
	if errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}

func alive(procs []Proc) []Proc {
	var left []Proc
	for _, p := range procs {
		if p.Alive() {
			left = append(left, p)
		}
	}
	return left
}

package cli

import (
	"context"
	"fmt"

	"cupola/core/agent/sandbox"
	"cupola/core/agent/sandbox/hold"
)

// The words with which this program holds a sandbox, and is the first program in one.
const (
	holdWord  = sandbox.HoldWord
	enterWord = sandbox.EnterWord
)

// holdSandbox runs a program in a sandbox and returns its exit status. The arguments behind the plan are the program's,
// for those who list processes.
func holdSandbox(ctx context.Context, opts Options) int {
	status, err := 1, fmt.Errorf("%s needs the path of a plan", holdWord)
	if len(opts.Args) > 1 {
		status, err = hold.Run(ctx, hold.Options{
			Plan: opts.Args[1],
			Hooked: func(pid int, report *hold.Report) {
				ctx, cancel := context.WithTimeout(ctx, hookWithin)
				defer cancel()
				h := &hookRun{Options: opts, pid: pid}
				_ = h.take(ctx, report.Args, report.Payload) // a hook has no one to report an error to
			},
		})
	}
	if err != nil {
		fmt.Fprintln(opts.Stderr, "cupola: "+err.Error())
		return 1
	}
	return status
}

// enterSandbox is the first process of a sandbox, and returns the exit status of its program.
func enterSandbox(ctx context.Context, opts Options) int {
	status, err := hold.Enter(ctx, opts.Args[1:])
	if err != nil {
		fmt.Fprintln(opts.Stderr, "cupola: "+err.Error())
		return 127
	}
	return status
}

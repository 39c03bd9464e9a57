package lifecycle

import (
	"context"
	"os"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/process"
)

// Agents end by themselves within hangUpWait after their terminal closed; the rest get SIGTERM and, after
// killAfter, SIGKILL.
const (
	hangUpWait = time.Second
	killAfter  = 2 * time.Second
)

// processesOf returns the processes of agents: what descends from a pane's
// program and what belongs to its process session. Those of user panes are left
// out, since a job that a user keeps running there is meant to stay; so is this
// process, which may itself run in such a pane.
func processesOf(panes []*core.Pane) []process.Proc {
	table, err := process.All()
	if err != nil {
		return nil
	}
	var procs []process.Proc
	for _, pane := range panes {
		pid := pane.Process.PID
		if !pane.IsAgent() || pid <= 1 {
			continue
		}
		tree := table.Tree(pid)
		if pane.Process.Dead {
			if len(tree) > 0 {
				// The pid was reused by another process.
				continue
			}
		}
		for _, p := range append(tree, table.Session(pid)...) {
			if p.PID != os.Getpid() && !slices.Contains(procs, p) {
				procs = append(procs, p)
			}
		}
	}
	return procs
}

// reap ends the processes that outlive their terminal, and returns their number.
func reap(ctx context.Context, procs []process.Proc) (int, error) {
	left := process.Wait(ctx, procs, hangUpWait)
	if len(left) == 0 {
		return 0, nil
	}
	return process.End(ctx, left, killAfter)
}

package effect

import (
	"testing"

	"cupola/core"
	"cupola/core/system/process"
	"cupola/tui/intent"
)

func TestSuspendNeedsAShell(t *testing.T) {
	for name, c := range map[string]struct {
		procs []process.Proc
		want  bool
	}{
		"under a shell": {[]process.Proc{
			{PID: 9, Parent: 5, Group: 9, Session: 5},
			{PID: 5, Parent: 2, Group: 5, Session: 5},
		}, true},
		"in a script under a shell": {[]process.Proc{
			{PID: 9, Parent: 8, Group: 8, Session: 5},
			{PID: 8, Parent: 5, Group: 8, Session: 5},
			{PID: 5, Parent: 2, Group: 5, Session: 5},
		}, true},
		"the leader of its session": {[]process.Proc{
			{PID: 9, Parent: 2, Group: 9, Session: 9},
			{PID: 2, Parent: 1, Group: 2, Session: 2},
		}, false},
		"under a shell without job control": {[]process.Proc{
			{PID: 9, Parent: 5, Group: 5, Session: 5},
			{PID: 5, Parent: 2, Group: 5, Session: 5},
			{PID: 2, Parent: 1, Group: 2, Session: 2},
		}, false},
		"left by its shell": {[]process.Proc{
			{PID: 9, Parent: 1, Group: 9, Session: 5},
			{PID: 1, Parent: 0, Group: 1, Session: 1},
		}, false},
		"with nothing above": {[]process.Proc{{PID: 9, Parent: 0, Group: 9, Session: 9}}, false},
		"unknown":            {nil, false},
	} {
		find := func(pid int) (process.Proc, error) {
			for _, p := range c.procs {
				if p.PID == pid {
					return p, nil
				}
			}
			return process.Proc{}, process.ErrGone
		}
		if got := controlled(9, find); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	noShell := func(int) (process.Proc, error) { return process.Proc{}, process.ErrGone }
	done, is := suspend(nil, intent.Suspend{}, noShell).(Done)
	if !is || !core.AsError(done.Err).HasCode(core.Conflict) {
		t.Error("a process without a shell is suspended")
	}
}

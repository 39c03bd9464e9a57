package job

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/system/process"
	"cupola/core/system/process/job/jobtest"
)

func TestWhatLeftIsFound(t *testing.T) {
	for _, ends := range []string{"while its leader runs", "after its leader ended"} {
		t.Run(ends, func(t *testing.T) {
			scene := jobtest.New(t)
			id := NewID()
			cmd := exec.Command("sh", "-c", scene.Script+"read -r wait")
			cmd.Env = Within(os.Environ(), id)
			input, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			left := scene.Started(t)
			leader, err := process.Find(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			j := &Job{ID: id, Leader: leader.PID, Since: leader.Start}
			before, err := Find(j)
			if err != nil {
				t.Fatal(err)
			}
			if ends == "after its leader ended" {
				_ = input.Close()
				_ = cmd.Wait()
				j.Gone = true
				found, err := Find(j)
				if err != nil {
					t.Fatal(err)
				}
				found.Join(before)
				before = found
			}
			for way, p := range left {
				seen := slices.ContainsFunc(before.Members, func(m process.Proc) bool { return m.PID == p.PID })
				if seen == (way == jobtest.Unmarked) {
					t.Errorf("%s: found %t", way, seen)
				}
			}
			if _, still, err := before.End(context.Background(), 0, 2*time.Second); err != nil || len(still) > 0 {
				t.Errorf("left are %v, %v", still, err)
			}
			scene.Gone(t, jobtest.Unmarked)
			_ = input.Close()
			_ = cmd.Wait()
		})
	}
}

// made is a view of processes that there are not.
func made(procs ...process.Proc) *View {
	for i := range procs {
		if procs[i].Name == "" {
			procs[i].Name = "sleep"
		}
	}
	environs := map[int][]string{}
	return &View{
		Table: procs, Self: 50, User: 1000,
		Environ:      func(pid int) []string { return environs[pid] },
		Argv:         func(int) []string { return nil },
		Streams:      func(int) []string { return nil },
		ControlGroup: func(int) string { return "/" },
		Owner:        func(int) (int, bool) { return 1000, true },
	}
}

func (v *View) with(environs map[int][]string) *View {
	v.Environ = func(pid int) []string { return environs[pid] }
	return v
}

func pidsOf(procs []process.Proc) []int {
	var pids []int
	for _, p := range procs {
		pids = append(pids, p.PID)
	}
	return pids
}

func TestMembersAreThoseOfTheJob(t *testing.T) {
	inJob := []string{Variable + "=outer:J"}
	for name, c := range map[string]struct {
		view    *View
		job     Job
		members []int
		left    map[int]string
	}{
		"by tree and session": {
			view: made(process.Proc{PID: 10, Start: 5, Session: 10},
				process.Proc{PID: 11, Parent: 10, Start: 6, Session: 11},
				process.Proc{PID: 12, Parent: 1, Start: 6, Session: 10},
				process.Proc{PID: 13, Parent: 1, Start: 6, Session: 13}),
			job: Job{Leader: 10, Since: 5}, members: []int{10, 11, 12},
		},
		"by mark, of a nested run too": {
			view: made(process.Proc{PID: 20, Parent: 1, Start: 6}, process.Proc{PID: 21, Parent: 1, Start: 6},
				process.Proc{PID: 22, Parent: 1, Start: 6}).
				with(map[int][]string{20: inJob, 21: {Variable + "=J:inner"}, 22: {Variable + "=JJ", "OTHER=J"}}),
			job: Job{ID: "J", Since: 5}, members: []int{20, 21},
		},
		"not what is older than the leader": {
			view: made(process.Proc{PID: 20, Parent: 1, Start: 4}).with(map[int][]string{20: inJob}),
			job:  Job{ID: "J", Since: 5},
		},
		"not who has taken the pid of a leader that ended": {
			view: made(process.Proc{PID: 10, Start: 99, Session: 10}, process.Proc{PID: 11, Parent: 10, Session: 10}),
			job:  Job{Leader: 10, Gone: true},
		},
		"not init, not this process, not what it descends from": {
			view: made(process.Proc{PID: 1, Name: "init"}, process.Proc{PID: 40, Parent: 1, Start: 6},
				process.Proc{PID: 50, Parent: 40, Start: 7}).
				with(map[int][]string{1: inJob, 40: inJob, 50: inJob}),
			job: Job{ID: "J"}, left: map[int]string{40: whySelf},
		},
		"not a terminal server, nor what runs in it": {
			view: made(process.Proc{PID: 30, Parent: 1, Name: "tmux: server"}, process.Proc{PID: 31, Parent: 30}).
				with(map[int][]string{30: inJob, 31: inJob}),
			job: Job{ID: "J"}, left: map[int]string{30: whyServer},
		},
		"but a terminal server that leads it": {
			view: made(process.Proc{PID: 30, Parent: 1, Name: "tmux: server"}, process.Proc{PID: 31, Parent: 30}),
			job:  Job{Leader: 30}, members: []int{30, 31},
		},
		"not a zombie": {view: made(process.Proc{PID: 10, Zombie: true}), job: Job{Leader: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			members, left := c.view.Members(&c.job)
			got := pidsOf(members)
			if !slices.Equal(got, c.members) {
				t.Errorf("members are %v, want %v", got, c.members)
			}
			for _, l := range left {
				if c.left[l.PID] != l.Why {
					t.Errorf("%d is left: %s", l.PID, l.Why)
				}
			}
			if len(left) != len(c.left) {
				t.Errorf("left are %v, want %v", left, c.left)
			}
		})
	}
}

func TestProcessesOfOthersAreLeft(t *testing.T) {
	view := made(process.Proc{PID: 10, Start: 5}, process.Proc{PID: 11, Parent: 10, Start: 6})
	view.Owner = func(pid int) (int, bool) { return 1000 + pid - 10, true }
	members, left := view.Members(&Job{Leader: 10})
	if !slices.Equal(pidsOf(members), []int{10}) || len(left) != 1 || left[0].PID != 11 || left[0].Why != whyOther {
		t.Errorf("members %v, left %v", members, left)
	}
}

func TestAStreamOrAGroupOfItsOwnIsTheJobs(t *testing.T) {
	detached := process.Proc{PID: 20, Parent: 1, Start: 6, Detached: true}
	view := made(detached, process.Proc{PID: 21, Parent: 1, Start: 6},
		process.Proc{PID: 22, Parent: 1, Start: 6, Detached: true})
	view.Streams = func(int) []string { return []string{"/dev/null", "/dev/pts/7"} }
	view.with(map[int][]string{22: {Variable + "=other"}})
	members, _ := view.Members(&Job{Since: 5, Streams: []string{"/dev/pts/7"}})
	if !slices.Equal(pidsOf(members), []int{20}) {
		t.Errorf("by stream: %v", members)
	}
	view.ControlGroup = func(pid int) string { return fmt.Sprintf("/pane-%d", pid) }
	if members, _ = view.Members(&Job{Since: 5, Group: "/pane-21"}); !slices.Equal(pidsOf(members), []int{21}) {
		t.Errorf("by group: %v", members)
	}
}

func TestServersAreKnown(t *testing.T) {
	for line, want := range map[string]bool{
		"tmux: server|tmux": true, "cupola|/usr/bin/cupola terminal-server /run/x": true, "screen|SCREEN -dm": true,
		"cupola|cupola terminal-holder /run/x": true, "zellij|/usr/bin/zellij --server /x": true,
		"zellij|zellij attach":          false,
		"sleep|sleep 5":                 false,
		"cupola|cupola status":          false,
		"cupola|cupola terminal-server": false,
		"ssh|ssh host":                  false,
		"ssh|ssh: /run/x [mux]":         true, "node|node terminal-notes.js": false,
	} {
		name, args, _ := strings.Cut(line, "|")
		if got := IsServer(process.Proc{Name: name}, strings.Fields(args)); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}

func TestJobsNest(t *testing.T) {
	environ := Within(Within([]string{"A=b"}, "pane"), "run")
	if got := process.Variable(environ, Variable); got != "pane:run" || !Has(environ, "pane") || !Has(environ, "run") ||
		Has(environ, "pa") || Has(nil, "") {
		t.Errorf("the job is %q", got)
	}
}

func TestAPidOfAnotherProcessIsNotSignalled(t *testing.T) {
	cmd := exec.Command("sleep", strconv.Itoa(300))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	found, err := process.Find(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// The pid was another process's when it was listed.
	earlier := found
	earlier.Start--
	ended, left, err := (&Found{Members: []process.Proc{earlier}}).End(t.Context(), 0, time.Second)
	if ended != 0 || len(left) != 0 || err != nil || !found.Alive() {
		t.Errorf("ended %d, left %v, %v, alive %t", ended, left, err, found.Alive())
	}
}

package core_test

import (
	"testing"
	"time"

	"cupola/core"
)

func TestWhySaysWhatEachStateKnows(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 22, 0, 0, time.Local)
	shows := func(line string) []string {
		return []string{"hook Stop", "screen failure: " + line, "screen other: no"}
	}
	for _, c := range []struct {
		status      core.Status
		process     core.Process
		want, brief string
	}{
		{core.Status{State: core.Waiting, Asks: "make deploy"}, core.Process{}, "asks: make deploy", "make deploy"},
		{
			core.Status{State: core.Waiting, Reason: core.ReasonTrust},
			core.Process{},
			"waits for its folder to be trusted", "",
		},
		{
			core.Status{State: core.Limited, ResetsAt: now.Add(43 * time.Minute), Evidence: shows("x")},
			core.Process{},
			"resets 11:05 (43 min)", "",
		},
		{
			core.Status{State: core.Limited, ResetsAt: now.Add(50 * time.Hour)},
			core.Process{},
			"resets Tue 12:22 (2 d)", "",
		},
		{
			core.Status{State: core.Limited, ResetsAt: now.Add(-time.Minute)},
			core.Process{},
			"the limit ended at 10:21", "",
		},
		{core.Status{State: core.Limited, Reason: core.ReasonQuota}, core.Process{}, "has used up its quota", ""},
		{
			core.Status{State: core.Errored, Evidence: shows("│ ✕ [API Error: 529 overloaded] │")},
			core.Process{},
			"API Error: 529 overloaded", "",
		},
		{
			core.Status{State: core.Errored, Evidence: shows("! error: overloaded (529)")},
			core.Process{},
			"error: overloaded (529)", "",
		},
		{core.Status{State: core.Errored, Reason: core.ReasonAuth}, core.Process{}, "failed to log in", ""},
		{
			core.Status{
				State: core.Working, Notes: []core.Note{core.NoteRetrying}, Evidence: shows("* 529 · Retrying in 20 s"),
			}, core.Process{}, "529 · Retrying in 20 s", "",
		},
		{core.Status{State: core.Working, Evidence: shows("x")}, core.Process{}, "", ""},
		{
			core.Status{State: core.Exited, Reason: core.ReasonFailed},
			core.Process{Dead: true, ExitStatus: 3},
			"exit 3", "",
		},
		{
			core.Status{State: core.Exited, Reason: core.ReasonKilled},
			core.Process{Dead: true, Signal: 9},
			"signal 9", "",
		},
		{core.Status{State: core.Exited, Reason: core.ReasonFinished}, core.Process{}, "has finished", ""},
		{core.Status{State: core.Unknown}, core.Process{}, "", ""},
		{
			core.Status{State: core.Unknown, Notes: []core.Note{core.NoteUnreadable}},
			core.Process{},
			"its screen cannot be read, and may be a question", "",
		},
		{core.Status{State: core.Idle}, core.Process{}, "", ""},
		{
			core.Status{
				State: core.Idle, Notes: []core.Note{core.NoteDone}, Since: now.Add(-2 * time.Minute),
				Said: "all 41 tests pass",
			}, core.Process{}, "done 2 min ago: all 41 tests pass", "all 41 tests pass",
		},
		{core.Status{State: core.Idle, Notes: []core.Note{core.NoteDone}, Since: now}, core.Process{}, "done", "done"},
		{core.Status{State: core.Idle, Notes: []core.Note{core.NoteDraft}}, core.Process{}, "draft typed", ""},
	} {
		pane := &core.Pane{Agent: core.Agent{Kind: "claude"}, Status: c.status, Process: c.process}
		if c.brief == "" {
			c.brief = c.want
		}
		if why := pane.Why(now); why.String() != c.want || why.Brief() != c.brief {
			t.Errorf("%+v: %q, %q, want %q, %q", c.status, why.String(), why.Brief(), c.want, c.brief)
		}
	}
	user := &core.Pane{Status: core.Status{State: core.Exited}}
	if why := user.Why(now).String(); why != "" {
		t.Errorf("a user's pane: %q", why)
	}
}

func TestTopicIsWhatATitleSaysOfTheWork(t *testing.T) {
	agent := core.Agent{Name: "cc_1", Kind: "claude"}
	for title, want := range map[string]string{
		"box": "", "✳ Dead links · idle": "Dead links", "Dead links · later": "Dead links · later",
		"cc_1 · working": "", "Claude": "", "": "", "⠐ write tests": "write tests",
	} {
		pane := &core.Pane{Agent: agent, Title: title}
		if got := pane.Topic("box"); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestWithoutLeavesOutAPaneAndAnEmptySession(t *testing.T) {
	snap := &core.Snapshot{Sessions: []core.Session{
		{Name: "a", Panes: []core.Pane{{ID: "%1"}, {ID: "%2"}}}, {Name: "b", Panes: []core.Pane{{ID: "%3"}}},
	}}
	if left := snap.Without("%1"); len(left.Sessions) != 2 || len(left.Panes()) != 2 || left.Pane("%1") != nil {
		t.Errorf("%+v", left)
	}
	if left := snap.Without("%3"); len(left.Sessions) != 1 || left.Sessions[0].Name != "a" {
		t.Errorf("%+v", left)
	}
	if len(snap.Panes()) != 3 {
		t.Errorf("the snapshot itself changed: %+v", snap)
	}
}

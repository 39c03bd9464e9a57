package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/fleettest"
)

func TestAgentsThatAreGoneWithTheirServerAreMissed(t *testing.T) {
	dir := newDir(&fleettest.FeedEngine{Socket: "/stage"}, filepath.Join(t.TempDir(), "run"))
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	session := func(engine, name string, agents ...string) core.Session {
		s := core.Session{Engine: engine, Name: name}
		for _, agent := range agents {
			s.Panes = append(s.Panes, core.Pane{Agent: core.Agent{Kind: "claude", Name: agent, Recognised: "tag"}})
		}
		return s
	}
	look := func(sessions ...core.Session) string {
		snapshot := &core.Snapshot{Taken: at, EngineUp: len(sessions) > 0, Sessions: sessions}
		dir.Note(t.Context(), snapshot, nil, undescribed)
		lost, seen := dir.LostAgents(t.Context(), snapshot)
		if lost != "" && !seen.Equal(at) {
			t.Errorf("last seen %s", seen)
		}
		return lost
	}
	api, web := session(core.TmuxEngine, "api", "cc_1", "cod_1"), session(core.OwnEngine, "web", "cc_1")
	if lost := look(api, web); lost != "" {
		t.Errorf("both run: %s", lost)
	}
	if lost := look(web); !strings.Contains(lost, "2 agents: api (cc_1, cod_1)") {
		t.Errorf("tmux is gone: %q", lost)
	}
	if lost := look(); !strings.Contains(lost, "3 agents: web (cc_1), api (cc_1, cod_1)") {
		t.Errorf("both are gone: %q", lost)
	}
	if lost := look(session(core.TmuxEngine, "new"), web); lost != "" {
		t.Errorf("another server runs: %s", lost)
	}
	dir.ForgetSession(t.Context(), &web)
	if lost := look(); lost != "" {
		t.Errorf("the session was ended on purpose: %s", lost)
	}
	at = at.Add(time.Minute)
	look(api)
	if look() == "" {
		t.Error("the server was killed")
	}
	seen := at
	at = at.Add(time.Minute)
	other := []core.Session{session(core.OwnEngine, "new")}
	dir.Note(t.Context(), &core.Snapshot{Taken: at, EngineUp: true, Sessions: other}, nil, undescribed)
	if _, was := dir.LostAgents(t.Context(), &core.Snapshot{Taken: at}); !was.Equal(seen) {
		t.Errorf("the lost agents were seen last %s, not %s", was, seen)
	}
	at = at.Add(time.Minute)
	look(api) // the same names, of another server
	if look() == "" {
		t.Error("the other server was killed too")
	}
	ended := dir.Found(t.Context()).ended
	for _, after := range []time.Duration{-time.Second, time.Second} {
		look(api)
		err := os.WriteFile(ended, nil, 0o600)
		if err := errors.Join(err, os.Chtimes(ended, at.Add(after), at.Add(after))); err != nil {
			t.Fatal(err)
		}
		if lost := look(); (lost == "") != (after > 0) {
			t.Errorf("the last session ended %s after the look: %q", after, lost)
		}
	}
	quiet := session(core.TmuxEngine, "api", "cc_1")
	quiet.Panes[0].Agent.Recognised = "process"
	look(quiet)
	if look() != "" {
		t.Errorf("an agent that Cupola did not start is missed")
	}
}

// undescribed adds no facts to those of a snapshot.
func undescribed(*core.Pane, *RanPane) RanPane { return RanPane{} }

func TestWhatRanIsKeptUntilItRunsAgain(t *testing.T) {
	dir := newDir(&fleettest.FeedEngine{Socket: "/stage"}, filepath.Join(t.TempDir(), "run"))
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	session := func(id core.SessionID, name string, agents ...string) core.Session {
		s := core.Session{ID: id, Engine: core.TmuxEngine, Name: name, Created: at}
		for i, agent := range agents {
			s.Panes = append(s.Panes, core.Pane{
				ID: core.PaneID("%" + name + agent), Ordinal: i + 1,
				Agent: core.Agent{Kind: "claude", Name: agent, Recognised: "tag"},
			})
		}
		return s
	}
	look := func(sessions ...core.Session) (ran []string) {
		snapshot := &core.Snapshot{Taken: at, EngineUp: len(sessions) > 0, Sessions: sessions}
		dir.Note(t.Context(), snapshot, nil, undescribed)
		for _, s := range dir.Ran(t.Context(), snapshot) {
			for i := range s.Panes {
				ran = append(ran, s.Name+"."+s.Panes[i].Agent.Name)
			}
		}
		return ran
	}
	want := func(what string, got []string, all ...string) {
		t.Helper()
		if !slices.Equal(got, all) {
			t.Errorf("%s: %q, want %q", what, got, all)
		}
	}
	api, web := session("$1", "api", "a", "b"), session("$2", "web", "c")
	want("all run", look(api, web))
	want("web was ended beside api", look(api))
	exited := api
	exited.Panes = slices.Clone(api.Panes)
	exited.Panes[1].Process.Dead = true
	want("b ended by itself", look(exited))
	want("its server is gone", look(), "api.a")
	exited.Panes[1].Process.Signal = 9
	look(exited)
	want("b was killed, then the server", look(), "api.a", "api.b")
	at = at.Add(time.Hour)
	other := session("$1", "new", "d")
	want("another server runs", look(other), "api.a", "api.b")
	ran := dir.Ran(t.Context(), &core.Snapshot{Taken: at, EngineUp: true, Sessions: []core.Session{other}})
	dir.Restored(t.Context(), &ran[0], "%apia")
	want("a runs again", look(other), "api.b")
	dir.ForgetSession(t.Context(), &other)
	want("new was ended on purpose, with its server", look(), "api.b")
	dir.Restored(t.Context(), &ran[0])
	want("it is forgotten", look())
}

func TestSessionsAreLostOnlyIfAnotherServerRuns(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	session := func(id core.SessionID, foreign bool) core.Session {
		return core.Session{
			ID: id, Engine: core.TmuxEngine, Name: string(id), Created: at, Foreign: foreign,
			Panes: []core.Pane{{ID: core.PaneID(id)}},
		}
	}
	one, two := session("$1", false), session("$2", false)
	others, replaced := session("$2", true), session("$1", true)
	type list = []core.Session
	for name, test := range map[string]struct {
		before, after list
		// processes are the servers' processes of before and after; empty if unknown.
		processes [2]string
		lost      int
	}{
		"another session remains":      {before: list{one, two}, after: list{two}},
		"one of others remains":        {before: list{one, others}, after: list{others}},
		"another server":               {before: list{one}, after: list{two}, lost: 1},
		"another server, the same ids": {list{one}, list{replaced}, [2]string{"1", "2"}, 1},
		"one server, all replaced":     {list{one}, list{others}, [2]string{"1", "1"}, 0},
	} {
		dir := newDir(&fleettest.FeedEngine{Socket: "/stage"}, filepath.Join(t.TempDir(), "run"))
		var snapshot *core.Snapshot
		for i, sessions := range [][]core.Session{test.before, test.after} {
			snapshot = &core.Snapshot{Taken: at.Add(time.Duration(i) * time.Second), EngineUp: true, Sessions: sessions}
			dir.Note(t.Context(), snapshot, map[string]string{core.TmuxEngine: test.processes[i]}, undescribed)
		}
		if ran := dir.Ran(t.Context(), snapshot); len(ran) != test.lost {
			t.Errorf("%s: %d sessions are lost, want %d", name, len(ran), test.lost)
		}
	}
}

// TestWhatIsKilledWithALivingServerRan has panes whose programs were killed together with a server that another one
// replaced: they ran, with the facts on record, while the others of their session run.
func TestWhatIsKilledWithALivingServerRan(t *testing.T) {
	dir := newDir(&fleettest.FeedEngine{Socket: "/stage"}, filepath.Join(t.TempDir(), "run"))
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	session := core.Session{ID: "$1", Engine: core.OwnEngine, Name: "api", Created: at}
	for _, name := range []string{"a", "b", "c"} {
		session.Panes = append(session.Panes, core.Pane{
			ID: core.PaneID("%o" + name), Agent: core.Agent{Kind: "claude", Name: name, Recognised: "tag"},
		})
	}
	snapshot := &core.Snapshot{Taken: at, EngineUp: true, Sessions: []core.Session{session}}
	note := func() {
		dir.Note(t.Context(), snapshot, nil, func(pane *core.Pane, former *RanPane) RanPane {
			if former != nil {
				return RanPane{} // the process is gone, and with it what it showed
			}
			return RanPane{Named: "session of " + pane.Agent.Name}
		})
	}
	note()
	died := at.Add(time.Minute)
	panes := snapshot.Sessions[0].Panes
	panes[0].Process = core.Process{Dead: true, Lost: true, ExitStatus: -1, DiedAt: died}
	panes[1].Process = core.Process{Dead: true}
	snapshot.Taken = died
	note()
	ran := dir.Ran(t.Context(), snapshot)
	if len(ran) != 1 || !ran[0].There || len(ran[0].Panes) != 1 || ran[0].Panes[0].Named != "session of a" ||
		!ran[0].Seen.Equal(died) {
		t.Fatalf("it ran: %+v", ran)
	}
	ran = dir.Ran(t.Context(), &core.Snapshot{Taken: died})
	if len(ran) != 1 || ran[0].There || len(ran[0].Panes) != 2 {
		t.Errorf("the next server is gone, too: %+v", ran)
	}
}

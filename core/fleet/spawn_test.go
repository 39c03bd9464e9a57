package fleet_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

func TestSpawnChecksEverythingBeforeItMakesAnything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "frontend"), 0o700); err != nil {
		t.Fatal(err)
	}
	count := func(kind string, count int) []lifecycle.AgentCount {
		return []lifecycle.AgentCount{{Kind: kind, Count: count}}
	}
	for name, c := range map[string]struct {
		request    lifecycle.SpawnRequest
		code       core.Code
		suggestion string
	}{
		"a name that tmux would change": {lifecycle.SpawnRequest{Session: "my.app"}, core.InvalidInput, "my-app"},
		"a name that is taken":          {lifecycle.SpawnRequest{Session: "api"}, core.AlreadyExists, "api-2"},
		"a kind that does not exist": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Agents: count("cladue", 1)},
		}, core.AgentNotFound, "claude"},
		"no agents of a kind": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Agents: count("stub", 0)},
		}, core.InvalidInput, ""},
		"too many agents": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Agents: count("stub", 51)},
		}, core.InvalidInput, ""},
		"a program that is missing": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Agents: count("gemini", 1)},
		}, core.ToolNotFound, ""},
		"a kind without a program": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Agents: count("command", 1)},
		}, core.InvalidInput, ""},
		"an empty command": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Commands: []string{" "}},
		}, core.InvalidInput, ""},
		"a folder that is missing": {
			lifecycle.SpawnRequest{
				Session: "new",
				Launch:  lifecycle.LaunchRequest{Dir: filepath.Join(dir, "fronted")},
			},
			core.InvalidInput,
			filepath.Join(dir, "frontend"),
		},
		"a layout that does not exist": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Layout: "tield"},
		}, core.InvalidInput, "tiled"},
		"nothing at all": {
			lifecycle.SpawnRequest{Session: "new", NoUserPane: true},
			core.InvalidInput,
			"",
		},
		"worktrees of no repository": {lifecycle.SpawnRequest{
			Session: "new",
			Launch:  lifecycle.LaunchRequest{Dir: dir, Worktree: true, Agents: count("stub", 1)},
		}, core.InvalidInput, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
			_, err := openFake(t, p).Launcher.Spawn(t.Context(), c.request)
			fleettest.WantError(t, err, c.code, c.suggestion)
			if len(p.Launches)+len(p.Tags) > 0 {
				t.Errorf("made %v, tagged %v", p.Launches, p.Tags)
			}
		})
	}
}

func TestASessionThatExistsCanBeAttachedTo(t *testing.T) {
	t.Parallel()
	request := lifecycle.SpawnRequest{
		Session: "api",
		Launch: lifecycle.LaunchRequest{
			Agents:   []lifecycle.AgentCount{{Kind: "st", Count: 2}},
			Commands: []string{"npm start"},
		},
	}
	_, err := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()}).Launcher.Spawn(t.Context(), request)
	known := fleettest.WantError(t, err, core.AlreadyExists, "api-2")
	if !slices.Contains(known.Remedies, core.RemedyAttachSession) || known.Subject.Session != "api" {
		t.Errorf("remedies = %q for %+v", known.Remedies, known.Subject)
	}
}

func TestSpawnTagsWhatItMakes(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{ListErr: engine.ErrNoServer}
	request := lifecycle.SpawnRequest{Session: "new", Launch: lifecycle.LaunchRequest{
		Dir: "/", Agents: []lifecycle.AgentCount{{Kind: "st", Count: 2, Model: "big one"}},
		Commands: []string{"npm start"},
	}}
	answer, err := openFake(t, p).Launcher.Spawn(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Launches) != 4 {
		t.Fatalf("%d panes were made", len(p.Launches))
	}
	user, agent, command := p.Launches[0], p.Launches[2], p.Launches[3]
	if user.Session != "new" || user.Window != "user" || len(user.Argv) != 0 ||
		user.Tags[engine.TagRole] != panetag.RoleUser || user.Tags[engine.TagOrdinal] != "0" {
		t.Errorf("user pane: %+v", user)
	}
	if user.SessionTags[engine.TagOrigin] != panetag.OriginSpawn || user.SessionTags[engine.TagNext] != "4" {
		t.Errorf("session tags: %v", user.SessionTags)
	}
	if agent.Into != "$7" || agent.Window != "st_2" || agent.Dir != "/" ||
		!slices.Equal(agent.Argv, []string{"sh", "-i", "-m", "big one"}) {
		t.Errorf("agent: %+v", agent)
	}
	want := map[string]string{
		engine.TagKind: "stub", engine.TagName: "st_2", engine.TagOrdinal: "2", engine.TagVariant: "big one",
		engine.TagLaunch: "sh -i -m 'big one'", engine.TagStarted: "1795176000000",
	}
	for tag, value := range want {
		if agent.Tags[tag] != value {
			t.Errorf("tag %s = %q, want %q", tag, agent.Tags[tag], value)
		}
	}
	for _, value := range []string{"PATH=/usr/bin:/bin", "CUPOLA_SESSION=new", "CUPOLA_PANE_NAME=st_2"} {
		if !slices.Contains(slices.Concat(agent.Environ, agent.Env), value) {
			t.Errorf("environment %q and %q lacks %s", agent.Environ, agent.Env, value)
		}
	}
	if !slices.Equal(command.Argv, []string{"/bin/sh", "-c", "npm start"}) ||
		command.Tags[engine.TagLaunch] != "npm start" {
		t.Errorf("command: %+v", command)
	}
	last := answer.Panes[3]
	if answer.ID != "$7" || last.Pane != "%94" || last.Ordinal != 3 || last.Agent != "cmd_1" ||
		last.Kind != core.KindCommand {
		t.Errorf("answer: %+v", answer)
	}
}

func TestATiledLayoutSharesOneWindow(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{ListErr: engine.ErrNoServer}
	request := lifecycle.SpawnRequest{
		Session: "new",
		Launch: lifecycle.LaunchRequest{
			Layout: lifecycle.Tiled, Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 2}},
		},
	}
	if _, err := openFake(t, p).Launcher.Spawn(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	for i, launch := range p.Launches[1:] {
		if launch.Split != "@1" || !launch.Tile {
			t.Errorf("pane %d: %+v", i+1, launch)
		}
	}
}

func TestADryRunTouchesNothing(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
	f := openFake(t, p)
	launch := lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 2}}}
	spawned, err := f.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "new", Launch: launch, DryRun: true})
	if err != nil || len(spawned.Panes) != 3 || spawned.Panes[2].Command != "sh -i" {
		t.Errorf("spawn: %+v, %v", spawned, err)
	}
	added, err := f.Launcher.Add(t.Context(), lifecycle.AddRequest{Session: "api", Launch: launch, DryRun: true})
	if err != nil || len(added.Panes) != 2 || added.Panes[1].Ordinal != 6 {
		t.Errorf("add: %+v, %v", added, err)
	}
	killed, err := f.Launcher.Kill(t.Context(),
		lifecycle.KillRequest{Target: resolve.Target{Session: "api"}, DryRun: true})
	if err != nil || killed.Session != "api" || len(killed.Panes) != 4 {
		t.Errorf("kill: %+v, %v", killed, err)
	}
	if _, err := f.Sender.Keys(t.Context(),
		deliver.KeysRequest{Target: api1, Keys: []string{"C-c"}, DryRun: true}); err != nil {
		t.Errorf("keys: %v", err)
	}
	if pane, err := f.Launcher.Adopt(t.Context(), lifecycle.AdoptRequest{Pane: "web.0", DryRun: true}); err != nil ||
		pane.Agent.Name != "cc_1" {
		t.Errorf("adopt: %+v, %v", pane, err)
	}
	if len(p.Launches)+len(p.Tags)+len(p.Killed) > 0 {
		t.Errorf("made %v, tagged %v, killed %v", p.Launches, p.Tags, p.Killed)
	}
}

func TestAFailureHalfWayLeavesNothing(t *testing.T) {
	t.Parallel()
	launch := lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 3}}}
	p := &fleettest.Engine{ListErr: engine.ErrNoServer, CreateErr: map[int]error{3: engine.ErrNoSpace}}
	_, err := openFake(t, p).Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "new", Launch: launch})
	fleettest.WantError(t, err, core.Conflict, "")
	if !slices.Equal(p.Killed, []string{"$7"}) {
		t.Errorf("killed %v, want the session", p.Killed)
	}
	p = &fleettest.Engine{Listing: fleettest.TwoSessions(), CreateErr: map[int]error{3: errors.New("tmux went wrong")}}
	_, err = openFake(t, p).Launcher.Add(t.Context(), lifecycle.AddRequest{Session: "api", Launch: launch})
	fleettest.WantError(t, err, core.InternalError, "")
	if !slices.Equal(p.Killed, []string{"%91", "%92"}) {
		t.Errorf("killed %v, want the panes that were made", p.Killed)
	}
}

func TestACancelledSpawnLeavesNothing(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{ListErr: engine.ErrNoServer, CreateErr: map[int]error{2: context.Canceled}}
	_, err := openFake(t, p).Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "new", Launch: lifecycle.LaunchRequest{Commands: []string{"ls"}}})
	fleettest.WantError(t, err, core.Cancelled, "")
	if !slices.Equal(p.Killed, []string{"$7"}) {
		t.Errorf("killed %v, want the session", p.Killed)
	}
}

func TestANameTakenMeanwhileIsNoInternalError(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{ListErr: engine.ErrNoServer, CreateErr: map[int]error{1: engine.ErrDuplicate}}
	_, err := openFake(t, p).Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "new"})
	fleettest.WantError(t, err, core.AlreadyExists, "")
	if len(p.Killed) > 0 {
		t.Errorf("killed %v, which is another process's", p.Killed)
	}
}

func TestAddGivesNewNumbersAndKeepsTheOldOnes(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{Listing: fleettest.TwoSessions()}
	answer, err := openFake(t, p).Launcher.Add(t.Context(),
		lifecycle.AddRequest{
			Session: "api",
			Launch:  lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}}},
		})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Panes[0]; got.Ordinal != 5 || got.Agent != "st_1" {
		t.Errorf("added %+v", got)
	}
	want := []engine.Tag{
		{Pane: "%12", Name: engine.TagOrdinal, Value: "4"},
		{Session: "$1", Name: engine.TagNext, Value: "6"},
	}
	if !slices.Equal(p.Tags, want) {
		t.Errorf("tags %v, want %v", p.Tags, want)
	}
}

func TestAddNeedsSomethingToAdd(t *testing.T) {
	t.Parallel()
	_, err := openFake(t, &fleettest.Engine{Listing: fleettest.TwoSessions()}).Launcher.Add(t.Context(),
		lifecycle.AddRequest{Session: "api"})
	fleettest.WantError(t, err, core.MissingRequired, "")
	_, err = openFake(t, &fleettest.Engine{ListErr: engine.ErrNoServer}).Launcher.Add(t.Context(),
		lifecycle.AddRequest{Session: "api", Launch: lifecycle.LaunchRequest{Commands: []string{"ls"}}})
	if known := fleettest.WantError(t, err, core.SessionNotFound, ""); !strings.Contains(known.Message,
		"no terminal server is running") {
		t.Errorf("message = %q", known.Message)
	}
}

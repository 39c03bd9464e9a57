package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/system/shell/shelltest"
)

func TestASessionIsMadeAgainFromItsShape(t *testing.T) {
	t.Parallel()
	th := open(t, "socket", "--speed", "0")
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	nine := 9
	th.spawn(t, "api", lifecycle.LaunchRequest{Dir: dir, Panes: []recipe.Pane{
		{},
		{
			Kind: "scripted", Name: "lead", Ordinal: &nine, Window: "both",
			Command: shell.Line(th.options.Self, "scripted", "--speed", "0", "--name", "odd one"),
		},
		{Command: "exec cat", Dir: "sub", Window: "both"},
		{Kind: "stub", Count: 2},
	}, Commands: []string{"sleep 1000"}, WaitReady: false})
	first := th.shape(t, "api")
	var names []string
	for _, r := range first.Recipe {
		names = append(names, r.Name)
	}
	if want := []string{"", "lead", "cmd_1", "st_1", "st_2", "cmd_2"}; !slices.Equal(names, want) {
		t.Fatalf("got %q, want %q", names, want)
	}
	lead, cat := first.Recipe[1], first.Recipe[2]
	if *lead.Ordinal != 9 || lead.Window != "both" || cat.Window != "both" || cat.Dir != sub ||
		cat.Command != "exec cat" || *first.Recipe[3].Ordinal != 11 {
		t.Errorf("got %+v", first.Recipe)
	}
	if r := first.Recipe[3]; r.Kind != "stub" || r.Command != "" || !first.Recipe[0].User() {
		t.Errorf("got %+v", r)
	}
	th.spawn(t, "again", lifecycle.LaunchRequest{Dir: first.Dir, Panes: first.Recipe, Resume: true})
	second := th.shape(t, "again")
	if !reflect.DeepEqual(second.Recipe, first.Recipe) {
		t.Errorf("got  %+v\nwant %+v", second.Recipe, first.Recipe)
	}
	if second.Panes[1].Window.ID != second.Panes[2].Window.ID ||
		second.Panes[0].Window.ID == second.Panes[1].Window.ID {
		t.Errorf("the windows are %+v and %+v", second.Panes[1].Window, second.Panes[2].Window)
	}
	if _, err := th.Launcher.Shape(t.Context(), "agan"); !core.AsError(err).HasCode(core.SessionNotFound) {
		t.Errorf("got %v", err)
	}
}

// shape returns the shape of a session once all its programs run.
func (th *tmuxFleet) shape(t *testing.T, session string) *lifecycle.Shape {
	t.Helper()
	var shape *lifecycle.Shape
	enginetest.Eventually(t, testTimeout, func() bool {
		var err error
		if shape, err = th.Launcher.Shape(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(shape.Panes, func(p core.Pane) bool { return p.Process.Dir == "" })
	}, func() string { return fmt.Sprintf("a pane has no folder: %+v", shape.Panes) })
	return shape
}

func TestVariablesOfAPaneAreKeptAndCredentialsByName(t *testing.T) {
	t.Parallel()
	th := open(t, "socket", "--speed", "0")
	th.reopen(func(o *fleet.Options) { o.Environ = append(slices.Clone(o.Environ), "FOR_THIS_PANE=secret") })
	made := th.spawn(t, "api", lifecycle.LaunchRequest{Panes: []recipe.Pane{
		{
			Command: `echo "it is $FOR_THIS_PANE"; export OF_ITS_OWN=1; exec cat`,
			Environment: recipe.Environment{Env: []string{
				"FOR_THIS_PANE", "NOT_THERE", "TO_IT=value", "API_KEY=sk-19284",
			}},
		},
	}})
	if !slices.Equal(made.Unset, []string{"NOT_THERE"}) {
		t.Errorf("unset are %q", made.Unset)
	}
	th.shows(t, "api.1", "it is secret")
	shape, err := th.Launcher.Shape(t.Context(), "api")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"FOR_THIS_PANE", "NOT_THERE", "TO_IT=value", "API_KEY"}
	if got := shape.Recipe[1].Env; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAnAgentTakesUpTheSessionOfItsRecipe(t *testing.T) {
	t.Parallel()
	p := &fleettest.Engine{ListErr: engine.ErrNoServer}
	f := openFake(t, p, func(o *fleet.Options) { o.Environ = append(o.Environ, "PATH="+pretend(t, "claude")) })
	pane := recipe.Pane{Kind: "cc", Resume: "some-id"}
	made, err := f.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{
			Session: "new", NoUserPane: true,
			Launch: lifecycle.LaunchRequest{Dir: "/", Panes: []recipe.Pane{pane}, Resume: true},
		})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Launches[0]; !slices.Equal(got.Argv, []string{"claude", "--resume", "some-id"}) ||
		got.Tags[engine.TagLaunch] != "claude" || made.Panes[0].Resumed != "some-id" {
		t.Errorf("got %+v, %+v", got, made.Panes[0])
	}
	p.Launches = nil
	made, err = f.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "new", Launch: lifecycle.LaunchRequest{Dir: "/", Panes: []recipe.Pane{pane}}})
	if err != nil || !slices.Equal(p.Launches[1].Argv, []string{"claude"}) || made.Panes[1].Resumed != "" {
		t.Errorf("got %+v, %v", p.Launches, err)
	}
}

// pretend makes a folder with an executable in it.
func pretend(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := shelltest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestARecipeIsCheckedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	one := 1
	for why, c := range map[string]struct {
		panes      []recipe.Pane
		code       core.Code
		suggestion string
	}{
		"a kind that does not exist": {[]recipe.Pane{{Kind: "cladue"}}, core.AgentNotFound, "claude"},
		"a program that is missing": {
			[]recipe.Pane{{Kind: "stub", Command: "no-such-program -x"}},
			core.ToolNotFound,
			"",
		},
		"a line that cannot be read": {[]recipe.Pane{{Kind: "stub", Command: "sh 'x"}}, core.InvalidInput, ""},
		"a folder that is missing":   {[]recipe.Pane{{Dir: "/no/such/folder"}}, core.InvalidInput, ""},
		"an ordinal twice": {
			[]recipe.Pane{{Ordinal: &one}, {Kind: "stub", Ordinal: &one}},
			core.InvalidInput,
			"",
		},
		"a name twice": {
			[]recipe.Pane{{Kind: "stub", Name: "a"}, {Kind: "stub", Name: "a"}},
			core.InvalidInput, "",
		},
		"a command without one": {[]recipe.Pane{{Kind: "command", Command: " "}}, core.InvalidInput, ""},
	} {
		p := &fleettest.Engine{ListErr: engine.ErrNoServer}
		_, err := openFake(t, p).Launcher.Spawn(t.Context(),
			lifecycle.SpawnRequest{Session: "new", Launch: lifecycle.LaunchRequest{Dir: "/", Panes: c.panes}})
		t.Run(why, func(t *testing.T) { fleettest.WantError(t, err, c.code, c.suggestion) })
		if len(p.Launches) > 0 {
			t.Errorf("%s: made %v", why, p.Launches)
		}
	}
}

package agent_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/agent"
)

func TestKindsThatSpeakAProtocolHaveATwin(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	pairs, home := 0, func(name string) string { return map[string]string{"HOME": "/home/x"}[name] }
	for _, kind := range kinds.All() {
		twin, err := kinds.Twin(kind, agent.ByProtocol)
		if !kind.ACP.Given() {
			if core.AsError(err).Code != core.NotImplemented {
				t.Errorf("%s has a twin by protocol: %v", kind.ID, twin)
			}
			continue
		}
		pairs++
		back, err2 := kinds.Twin(twin, agent.ByScreen)
		if err != nil || err2 != nil || back != kind || twin.Launch.Shown() != agent.ByProtocol ||
			kind.Launch.Shown() != agent.ByScreen || twin.Screen != kind.ID {
			t.Fatalf("%s: %v, %v", kind.ID, err, err2)
		}
		argv := twin.Argv("/opt/cupola", "")
		found, known := kinds.Recognise(agent.Program{Command: "cupola", Argv: func() []string { return argv }})
		if !known || found != twin {
			t.Errorf("%q is taken for %v", argv, found)
		}
		for _, name := range []string{string(twin.ID), twin.Short} {
			if named, known := kinds.Find(name); !known || named != twin || !agent.IsID(name) {
				t.Errorf("%q names %v", name, named)
			}
		}
		if resumes := len(twin.Launch.ResumeArgs("s1")) > 0; resumes == (kind.ACP.Continues == "never") {
			t.Errorf("%s takes sessions up: %t", twin.ID, resumes)
		}
		if agent.NativeOf(twin.ID) != agent.NativeOf(kind.ID) ||
			agent.HomeOf(twin.ID, home) != agent.HomeOf(kind.ID, home) {
			t.Errorf("the files of %s are those of %+v", twin.ID, agent.NativeOf(twin.ID))
		}
		for _, model := range []string{"gemini-3-pro", "qwen3-coder-plus", "claude-opus-4", "gpt-5", "none"} {
			if twin.Window(model) != kind.Window(model) {
				t.Errorf("%s has a window of %d with %s, and %s of %d", twin.ID, twin.Window(model), model, kind.ID,
					kind.Window(model))
			}
		}
		for mode, own := range kind.ACP.Modes {
			args, err := twin.Launch.ModeArgs(twin.Name, core.Mode(mode))
			if err != nil || !slices.Equal(args, []string{"-o", own}) {
				t.Errorf("%s in mode %s: %q, %v", twin.ID, mode, args, err)
			}
		}
		if slices.Contains(kinds.All(), twin) {
			t.Errorf("%s is listed as a kind of its own", twin.ID)
		}
	}
	if pairs < 6 {
		t.Errorf("%d kinds speak the protocol", pairs)
	}
}

func TestHowAKindIsShownIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"[launch]\ncommand = [\"x\"]\nby = \"acp\"\n":   "launch.by: is acp, and the part [acp] is missing",
		"[launch]\ncommand = [\"x\"]\nby = \"voice\"\n": `"voice" is none of screen, acp`,
	} {
		_, err := agent.Load(fstest.MapFS{"x.toml": {Data: []byte("id = \"x\"\n" + text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestEachProgramIsListedOnceWithItsWays(t *testing.T) {
	own := "name = \"Goose\"\nshort = \"goo\"\n[launch]\ncommand = [\"{self}\", \"acp:goose\"]\n" +
		"[acp]\ncommand = [\"goose\", \"acp\"]\n"
	kinds, err := agent.Load(fstest.MapFS{"goose.toml": {Data: []byte(own)}})
	if err != nil {
		t.Fatal(err)
	}
	all := kinds.Installables()
	both, screen, protocol := []agent.By{agent.ByScreen, agent.ByProtocol}, []agent.By{agent.ByScreen},
		[]agent.By{agent.ByProtocol}
	for program, want := range map[string]struct {
		kind core.Kind
		ways []agent.By
	}{
		"gemini": {"gemini", both}, "opencode": {"opencode", both}, "claude": {"claude", screen},
		"claude-agent-acp": {"claude-acp", protocol}, "codex-acp": {"codex-acp", protocol},
		"goose": {"goose", protocol},
	} {
		var found []agent.Installable
		for _, one := range all {
			if one.Program == program {
				found = append(found, one)
			}
		}
		if len(found) != 1 || found[0].Kind.ID != want.kind || !slices.Equal(found[0].Ways, want.ways) {
			t.Errorf("%s: %v", program, found)
		}
	}
	if slices.ContainsFunc(all, func(i agent.Installable) bool { return i.Program == "" || i.Program == agent.Self }) {
		t.Error("a kind of Cupola itself is listed")
	}
}

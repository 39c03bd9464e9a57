package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// mixed is a fleet with a pane of each sort: a shell, a command, and agents of a known, an ended and a general kind.
// The session jobs has no agent.
func mixed() *core.Snapshot {
	command := fixturePane{name: "cmd_1", kind: core.KindCommand, state: core.Working, minutes: 3}
	return &core.Snapshot{
		Revision: 7, Taken: noon, EngineUp: true,
		Sessions: []core.Session{
			session("$2", "jobs", 5, fixturePane{screen: shell}, command),
			session("$1", "mix", 0, fixturePane{screen: shell},
				fixturePane{name: "cc_1", kind: "claude", state: core.Idle}, command,
				fixturePane{name: "cod_1", kind: "codex", state: core.Exited, reason: core.ReasonFailed},
				fixturePane{name: "gen_1", kind: core.KindGeneric, state: core.Idle}),
		},
	}
}

// prompted returns the panes that get a prompt by an intent; for a session, the panes that core addresses in it.
func prompted(snap *core.Snapshot, wanted intent.Intent) string {
	var panes []*core.Pane
	add := func(target intent.Target) {
		if target.Pane != "" {
			panes = append(panes, snap.Pane(target.Pane))
			return
		}
		panes = append(panes, core.AddresseesOf(snap.Session(target.Session).All()).Agents...)
	}
	for _, act := range intent.ActsOf(wanted) {
		for _, target := range act.At {
			add(target)
		}
	}
	return addresses(panes)
}

// TestEveryWayToPromptAgentsReachesTheSame goes over all keys that prompt more than one pane.
func TestEveryWayToPromptAgentsReachesTheSame(t *testing.T) {
	snap := mixed()
	agents := addresses(core.AddresseesOf(snap.Panes()).Agents)
	if agents != "mix.1, mix.3, mix.4" {
		t.Fatal(agents)
	}
	on := func(session string) intent.Target { return screen.TargetOfSession(snap.Session(session)) }
	for name, way := range map[string]struct {
		target intent.Target
		keys   []string
	}{
		"broadcast":                  {on("jobs"), []string{"B"}},
		"all that show are marked":   {on("jobs"), []string{"*", "s"}},
		"a session is marked":        {on("mix"), []string{"m", "s"}},
		"a session":                  {on("mix"), []string{"s"}},
		"from the row of a command":  {screen.TargetOfPane(snap.Pane("%2")), []string{"S"}},
		"a range over a command":     {screen.TargetOfPane(snap.Pane("%1")), []string{"m", "end", "M", "s"}},
		"all, from a command's pane": {screen.TargetOfPane(snap.Pane("%2")), []string{"*", "s"}},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.show(snap)
		if !s.model.choose(way.target) {
			t.Fatalf("%s: %v cannot be selected", name, way.target)
		}
		s.press(way.keys...)
		s.shows("To mix.1, mix.3, mix.4.")
		s.press("g", "o", "ctrl+s")
		if diff := cmp.Diff(agents, prompted(snap, s.recorder.last())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAFormSaysWhoIsLeftOutAndWhy(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.show(mixed())
	s.shows("2 sessions   ○ 2 idle   ▪ 1 exited ") // a command is not counted
	s.press("B")
	s.shows("Send to all 3 agents of 1 session")
	s.shows("jobs.1, mix.2 (a command)")
	s.shows("jobs.0, mix.0 (a shell of yours)")
	s.press("esc")
	s.model.choose(screen.TargetOfSession(mixed().Session("jobs")))
	for _, key := range []string{"s", "m", "R", "#"} {
		s.press(key)
		s.shows("jobs has no agent; select jobs.1 to type to its command")
		if s.model.form != nil {
			t.Fatalf("%s opened a form", key)
		}
	}
}

func TestACommandIsPromptedWhereItIsSelected(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	snap := mixed()
	s.show(snap)
	s.model.choose(screen.TargetOfPane(snap.Pane("%2")))
	s.press("m")
	s.shows("mix.2 holds a command, no agent; s types to it alone")
	s.press("s")
	s.shows("Send to mix.2, cmd_1")
	s.press("g", "o", "ctrl+s")
	if got := prompted(snap, s.recorder.last()); got != "mix.2" {
		t.Errorf("prompted %s", got)
	}
}

// TestAnActIsOnWhatWasMeant: the target of an act keeps the identity that it had when its form was opened.
func TestAnActIsOnWhatWasMeant(t *testing.T) {
	for _, keys := range []string{"x Y", "R enter", "s g o ctrl+s", "# a enter", "m m s g o ctrl+s", "m m x Y"} {
		s := newHarness(t, theme.None, 140, 40)
		snap := mixed()
		s.show(snap)
		whole := keys == "x Y"
		about, want := screen.TargetOfPane(snap.Pane("%1")), snap.Session("mix").IdentityOf("%1")
		if whole {
			about, want = screen.TargetOfSession(snap.Session("mix")), snap.Session("mix").Identity()
		}
		s.model.choose(about)
		pressed := strings.Fields(keys)
		if pressed[0] == "m" {
			pressed = append([]string{"m", "end"}, pressed[1:]...) // the last agent too
		}
		for i, key := range pressed {
			if i == len(pressed)-1 {
				// A session of that name takes the place of the one that was meant.
				other := mixed()
				other.Session("mix").Created = noon
				s.show(other)
			}
			s.press(key)
		}
		wanted := s.recorder.did[len(s.recorder.did)-1]
		if got := intent.ActsOf(wanted)[0].At[0].Identity; got != want {
			t.Errorf("%s: the act is on %q; %q was meant", keys, got, want)
		}
	}
}

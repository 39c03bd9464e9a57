package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen"
	shown "cupola/tui/screen/changes"
	"cupola/tui/screen/explain"
	"cupola/tui/screen/history"
	"cupola/tui/screen/scrollback"
)

// places are how to get to where a scope holds, in the middle of what there is.
var places = map[string]func(*testing.T) *harness{
	intent.Tree.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press("]", "j")
		return s
	},
	intent.Grid.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 140, 40)
		s.press("]", "j", "A")
		return s
	},
	intent.Peeking.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 12)
		s.press("]", "j", " ")
		return s
	},
	intent.Alerting.Name: func(t *testing.T) *harness {
		s := bare(t, theme.None, 80, 12)
		many := fixture()
		for i := range 20 {
			alert := many.Alerts[0]
			alert.ID = fmt.Sprint(i)
			many.Alerts = append(many.Alerts, alert)
		}
		s.show(many)
		s.press("!", "pgdown")
		return s
	},
	intent.Recalling.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 12)
		s.press("H")
		sent := recalled()
		for range 3 {
			sent.Prompts = append(sent.Prompts, sent.Prompts...)
		}
		for i := range sent.Prompts {
			sent.Prompts[i].Text = fmt.Sprint(i)
		}
		answer[history.Question](s, sent)
		s.press("pgdown")
		s.recorder.last()
		return s
	},
	intent.Searching.Name:     func(t *testing.T) *harness { return manyFound(t) },
	intent.SearchReading.Name: func(t *testing.T) *harness { return manyFound(t, "enter", "down", "down", "down") },
	intent.Runs.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.openRun("8", "done123")
		s.readRun()
		s.recorder.last()
		return s
	},
	intent.Todo.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 16)
		s.todo("rename-api")
		s.recorder.last()
		return s
	},
	intent.Inbox.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 40, 10)
		s.press("I")
		s.model.Update(openQuestion("%2"))
		s.recorder.last()
		return s
	},
	intent.Changing.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 12)
		s.changed()
		s.press("end", "k")
		s.patched()
		s.press("/")
		s.write("o\n")
		s.press("right")
		s.recorder.last()
		return s
	},
	intent.Activity.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 16)
		s.press("5")
		s.readAll()
		s.press("pgdown")
		s.recorder.last()
		return s
	},
	intent.Spending.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 14)
		s.press("6")
		s.readAll()
		s.press("down")
		s.recorder.last()
		return s
	},
	intent.Setting.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 14)
		s.press("f9")
		s.readAll()
		s.press("pgdown")
		s.recorder.last()
		return s
	},
	intent.Hosts.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 14)
		s.press("f7")
		s.readAll()
		s.press("down")
		s.recorder.last()
		return s
	},
	intent.Reading.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press("o")
		answer[scrollback.Question](s, scrollbackOf())
		s.press("/")
		s.write("line\n")
		s.press("n", "right", "pgup")
		s.recorder.last()
		return s
	},
	intent.Explaining.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 12)
		s.press("w", "e")
		why := explained()
		for range 3 {
			why.Signals = append(why.Signals, why.Signals...)
		}
		answer[explain.Question](s, why)
		s.press("pgdown")
		s.recorder.last()
		return s
	},
	"Review": func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.changed()
		answer[shown.PatchQuestion](s, shown.Patch{Text: patchOfFixture +
			"@@ -40,2 +41,2 @@\n-second(1)\n+second(2)\n" + strings.Repeat(" same\n", 30)})
		s.press("/")
		s.write("serve\n")
		s.press("enter", "home", "j", "j", "j")
		s.recorder.last()
		return s
	},
	"Queue": func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.queue()
		s.press("down")
		s.recorder.last()
		return s
	},
	"Rules": func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.ruled()
		s.recorder.last()
		return s
	},
	"Acts": func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.acts()
		s.press("down")
		s.recorder.last()
		return s
	},
	"Worktrees": func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.worktrees()
		s.press("down")
		s.recorder.last()
		return s
	},
	intent.Nothing.Name: func(t *testing.T) *harness {
		s := bare(t, theme.None, 80, 24)
		s.show(&core.Snapshot{Taken: noon})
		return s
	},
	intent.Form.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press("n")
		s.write("name\n")
		s.press("tab", "tab", "tab", "tab", "tab")
		return s
	},
	intent.Ending.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press("x")
		return s
	},
	intent.Choosing.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press(":", "pgdown", "down")
		return s
	},
	intent.Deciding.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 40, 10) // where not all of the question has room
		s.press("w", "d")
		s.model.Update(openQuestion("%2"))
		s.recorder.last()
		return s
	},
	intent.Typing.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.press("T")
		return s
	},
	intent.Asking.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 24)
		s.relays("running1")
		s.press("x")
		return s
	},
	intent.Helping.Name: func(t *testing.T) *harness {
		s := newHarness(t, theme.None, 80, 12)
		s.press("?", "pgdown", "j")
		return s
	},
}

// needed are the keys that a key needs before it, to have something to do.
var needed = map[string][]string{
	"Tree l": {"h"}, "Tree right": {"h"}, "Tree esc": {"/", "a", "enter"}, "Peek pgdown": {"pgup"},
	"Decide pgup": {"pgdown"}, "Decide up": {"down"}, "Decide k": {"down"},
	"Forms ctrl+n": {"ctrl+p"}, "Inbox up": {"down"}, "Inbox k": {"down"}, "Inbox home": {"down"},
	"Inbox pgup": {"pgdown"}, "Runs right": {"left"}, "Runs l": {"left"}, "Worktrees [": {"]"},
	"Review [": {"]"}, "Review left": {"right"},
	"Review h": {"l"}, "Rules up": {"down"}, "Rules k": {"down"}, "Rules home": {"down"}, "Rules pgup": {"down"},
}

func TestNoKeyIsDead(t *testing.T) {
	for _, scope := range Keys().Keymap().All() {
		for _, binding := range scope.Bindings {
			for _, name := range binding.Keys {
				t.Run(scope.Name+" "+name, func(t *testing.T) {
					s := places[scope.Name](t)
					s.press(needed[scope.Name+" "+name]...)
					before := s.model.View()
					cmd := s.model.Update(key(t, name))
					if _, quits := binding.Intent.(intent.Quit); quits {
						if _, ok := cmd().(tea.QuitMsg); !ok {
							t.Fatal("it does not quit")
						}
						return
					}
					if s.model.View() == before && s.recorder.last() == nil {
						t.Fatalf("nothing happened:\n%s", before)
					}
					s.exact()
				})
			}
		}
	}
}

func TestEveryKeyOfAScreenOpensOne(t *testing.T) {
	for _, scope := range Keys().Keymap().All() {
		for _, binding := range scope.Bindings {
			open, is := binding.Intent.(intent.Open)
			if is && !slices.ContainsFunc(entries, func(e *screen.Entry) bool { return e.Name == open.Screen }) {
				t.Errorf("%s: there is no screen %q", scope.Name, open.Screen)
			}
		}
	}
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	for _, scope := range Keys().Keymap().All() {
		seen := map[string]bool{}
		for _, binding := range scope.Bindings {
			for _, name := range binding.Keys {
				if seen[name] {
					t.Errorf("%s: %q is there twice", scope.Name, name)
				}
				seen[name] = true
				key(t, name)
			}
		}
	}
}

func TestFootersNameKeysOfTheirScope(t *testing.T) {
	for _, scope := range Keys().Keymap().All() {
		if len(scope.Footer) == 0 {
			t.Errorf("%s: no footer", scope.Name)
		}
		for _, name := range scope.Footer {
			if binding := scope.Find(name); binding == nil || binding.Label == "" {
				t.Errorf("%s: %q has no label", scope.Name, name)
			}
		}
	}
	for _, scope := range []*intent.Scope{&intent.Tree, &intent.Grid, &intent.Peeking, &intent.Nothing} {
		if scope.Footer[len(scope.Footer)-1] != "?" {
			t.Errorf("%s: the way to the help is not what stays last", scope.Name)
		}
	}
}

func TestHelpFitsDescriptions(t *testing.T) {
	const room = 60 - 2 - 14
	for _, scope := range Keys().Keymap().All() {
		for _, binding := range scope.Bindings {
			if width := ansi.StringWidth(binding.Does); width == 0 || width > room {
				t.Errorf("%s: %q takes %d cells of %d", scope.Name, binding.Does, width, room)
			}
		}
	}
}

func TestActsTargetTheSelection(t *testing.T) {
	pane := intent.Target{Session: "docs-日本", Pane: "%5", Address: "docs-日本.1"}
	whole := intent.Target{Session: "docs-日本", Address: "docs-日本"}
	adding, starting := sessions.AddIn{Session: "docs-日本"}, sessions.SpawnIn{Session: "x"}
	adding.Agents, adding.Cmd = []string{"cc", "oc=2"}, []string{"top"}
	starting.Dir, starting.Prompt, starting.Agents = "/src", "hi", []string{"cc"}
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"enter"}, intent.Attach{Target: pane}},
		{[]string{">"}, intent.Replay{Pane: pane.Address, Session: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}},
		{[]string{"i"}, act(agents.InterruptIn{}, pane)},
		{[]string{"x", "Y"}, act(ending, pane)},
		{[]string{"k", "enter"}, intent.Attach{Target: whole}},
		{[]string{"k", "i"}, act(agents.InterruptIn{}, whole)},
		{[]string{"k", "x", "Y"}, act(ending, whole)},
		{[]string{"s", "g", "o", "ctrl+s"}, prompt(pane, "go")},
		{[]string{"S", "g", "o", "alt+enter"}, prompt(whole, "go")},
		{[]string{",", "2", "enter"}, act(sessions.RenameIn{To: "docs-日本2"}, whole)},
		{
			[]string{"a", "c", "c", ",", "o", "c", "=", "2", "enter", "enter", "t", "o", "p", "enter"},
			onIts(adding, "docs-日本"),
		},
		{
			[]string{"n", "x", "enter", "c", "c", "enter", "tab", "tab", "tab", "tab", "h", "i", "enter"},
			onIts(starting, "x"),
		},
	} {
		s := places[intent.Tree.Name](t)
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
		}
	}
}

func TestKeysReadTogetherAreKeys(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjshello")})
	s.shows("Send to api.3, gmi_1")
	s.shows("hello")
}

func TestAPasteIsNoKey(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	before := s.model.View()
	for _, text := range []string{"x", "q", "xy", "["} {
		if cmd := s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}); cmd != nil ||
			s.model.View() != before {
			t.Errorf("%q was taken for keys", text)
		}
	}
	s.press("s")
	s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("two\nlines\x1b[31m"), Paste: true})
	s.press("ctrl+s")
	if send, ok := s.recorder.last().(intent.Act); !ok || promptOf(send) != "two\nlines[31m" {
		t.Errorf("got %+v", send)
	}
}

func TestKeysBeforeAQuestionDoNotAnswerIt(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("bzxy")})
	if did := s.recorder.last(); did != nil {
		t.Fatalf("did %+v", did)
	}
	s.shows("End api.1?")
	s.press("n")
	s.hides("End api.1?")
	if did := s.recorder.last(); did != nil {
		t.Fatalf("did %+v", did)
	}
}

func TestScreensOpenOverOneAnotherAndClose(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	first := s.model.View()
	for _, there := range [][]string{
		{" ", "esc"},
		{"g", "esc"},
		{"g", "g"},
		{"g", " ", "?", "q", "tab", "esc"},
		{"?", "?"},
		{"s", "esc"},
		{"x", "n"},
		{"esc", "esc"},
	} {
		s.press(there...)
		if s.model.View() != first {
			t.Errorf("%v does not lead back:\n%s", there, s.model.View())
			s = newHarness(t, theme.None, 140, 40)
		}
	}
}

func TestVisiblePanesAreCaptured(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	for _, test := range []struct {
		key  string
		want []core.PaneID
	}{
		{"k", []core.PaneID{"%0"}},
		{" ", []core.PaneID{"%0"}},
		{"esc", []core.PaneID{"%0"}},
		{"g", []core.PaneID{"%1", "%2", "%3", "%4"}},
		{"?", nil},
		{"q", []core.PaneID{"%1", "%2", "%3", "%4"}},
		{"esc", []core.PaneID{"%1"}},
	} {
		s.press(test.key)
		if !slices.Equal(s.recorder.visible, test.want) {
			t.Errorf("after %q it looks at %v, want %v", test.key, s.recorder.visible, test.want)
		}
	}
	s.resize(60, 16)
	if s.recorder.visible != nil {
		t.Errorf("a tree alone looks at %v", s.recorder.visible)
	}
}

func TestFormsShowErrors(t *testing.T) {
	for _, test := range []struct {
		keys []string
		says string
	}{
		{[]string{"s", "ctrl+s"}, "There is nothing to send yet."},
		{[]string{"s", " ", "enter", "enter"}, "There is nothing to send yet."},
		{[]string{"n", " ", ":", "ctrl+s"}, "holds '.' or ':'"},
		{[]string{"n", "a", ".", "ctrl+s"}, "holds '.' or ':'"},
		{[]string{"a", "ctrl+s"}, "Name agents or a command."},
		{[]string{",", ":", "enter"}, "Use api instead."},
	} {
		t.Run(fmt.Sprint(test.keys), func(t *testing.T) {
			s := newHarness(t, theme.None, 100, 24)
			s.press(test.keys...)
			s.shows(test.says)
			if did := s.recorder.last(); did != nil {
				t.Errorf("did %+v", did)
			}
			s.press("z")
			s.hides(test.says)
		})
	}
}

func TestKeysOnATinyDisplay(t *testing.T) {
	for _, scope := range Keys().Keymap().All() {
		for _, binding := range scope.Bindings {
			s := places[scope.Name](t)
			s.resize(3, 2)
			s.press("g", "A", " ", "?")
			for _, name := range append(slices.Clone(binding.Keys), "esc", "j", "l", "G", "pgdown", "esc", "g") {
				s.press(name)
				s.exact()
			}
		}
	}
}

func TestUndrawnScreenHandlesKeys(t *testing.T) {
	for _, open := range []string{"g", "A", " ", "?"} {
		for _, name := range []string{"j", "k", "h", "l", "home", "end", "pgup", "pgdown", "]", "[", "w"} {
			s := newHarness(t, theme.None, 3, 2)
			s.press(open, name)
			s.resize(80, 24)
			s.exact()
		}
	}
}

func TestArrowsGoFromFieldToField(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("n", "n", "a", "down", "c", "c", "up", "up", "p", "i", "ctrl+s")
	want := sessions.SpawnIn{Session: "napi"}
	want.Agents, want.Dir = []string{"cc"}, "/src"
	if diff := differ(onIts(want, "napi"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestInterruptOfASessionAsksFirst(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	for range 20 {
		if s.model.choice.Target(s.model.world.Snapshot).Address == "api" {
			break
		}
		s.press("k")
	}
	s.press("i")
	s.shows("Interrupt api?")
	if did := s.recorder.last(); did != nil {
		t.Fatalf("did %+v", did)
	}
	s.press("y")
	want := act(agents.InterruptIn{}, intent.Target{Session: "api", Address: "api"})
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestTheReplyOfTheSelectedAgentIsCopied(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	for key, code := range map[string]bool{"Y": false, "ctrl+y": true} {
		s.press(key)
		if got, is := s.recorder.last().(intent.CopyReply); !is || got.Code != code || got.At.Address != "api.1" {
			t.Errorf("%s: %+v", key, s.recorder.last())
		}
	}
}

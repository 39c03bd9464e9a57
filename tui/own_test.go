package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/system/process/child"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// owning gives the dashboard commands of the user's own.
func (s *harness) owning() {
	s.model.own.commands = map[string]config.OwnCommand{
		"deploy": {Key: "alt+d", Run: []string{"make", "deploy", "AT={dir}", "{branch}"}},
		"wipe":   {Key: "alt+w", Run: []string{`rm -r "$CUPOLA_ROW_DIR"`}, Shell: true, Confirm: true},
		"hello":  {Run: []string{"echo", "{agent}"}},
	}
	s.model.world.Keys, _ = OwnKeys(nil, s.model.own.commands)
	s.model.world.Host = "here"
	answer[screen.WorkQuestion](s, screen.AllWork{
		Of: map[core.PaneID]screen.Work{"%1": {Branch: "$(rm -rf x)"}}, Offers: fixtureOffers,
	})
}

// printed delivers output of the own command on the display.
func (s *harness) printed(msg effect.OwnOutput) {
	s.t.Helper()
	msg.Intent = s.model.onTop().(interface{ Own() intent.RunOwn }).Own()
	s.model.Update(msg)
}

func TestAnOwnCommandRunsByItsKeyOnTheSelectedRow(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.owning()
	s.press("alt+d")
	ran, is := s.recorder.exactly().(intent.RunOwn)
	want := []string{"make", "deploy", "AT=" + ran.Dir, "$(rm -rf x)"}
	if !is || ran.Dir == "" || !slices.Equal(ran.Argv, want) || ran.ID != 1 ||
		!slices.Contains(ran.Fields, "CUPOLA_ROW_BRANCH=$(rm -rf x)") {
		t.Fatalf("it runs %+v", ran)
	}
	s.shows("deploy on api.1")
	s.shows("Esc stops it")
	s.printed(effect.OwnOutput{Text: "one\n\x1b]0;title\x07\x1b[2Jtwo \x1b[31mred\x1b[0m\nold\rnew\r\n"})
	if more, is := s.recorder.exactly().(intent.RunOwn); !is || !more.More {
		t.Errorf("it is not followed: %+v", more)
	}
	s.shows("two red")
	s.shows("new")
	s.hides("old")
	s.press("esc")
	if stop, is := s.recorder.exactly().(intent.RunOwn); !is || !stop.Stop || stop.ID != 1 {
		t.Errorf("esc does %+v", stop)
	}
	s.printed(effect.OwnOutput{Text: "two\n", Left: 7, Ended: true, Stopped: true})
	s.shows("7 bytes before this are left out")
	s.shows("stopped")
	s.press("y")
	if copied, is := s.recorder.last().(intent.CopyText); !is || !strings.HasSuffix(copied.Text, "\ntwo\n") {
		t.Errorf("y copies %+v", copied)
	}
	s.press("esc")
	s.shows("1/4 working")
}

func TestTheEndOfAnOwnCommandIsReported(t *testing.T) {
	for want, msg := range map[string]effect.OwnOutput{
		"exit 0": {}, "exit 3": {End: child.End{Exit: 3}}, "stopped": {Stopped: true},
		"ended by a signal: killed": {End: child.End{Exit: -1, Signal: "killed"}},
		"no such folder":            {Err: errors.New("no such folder")},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.owning()
		s.press("alt+d")
		msg.Ended = true
		s.printed(msg)
		s.shows("deploy on api.1  " + want)
		s.press("esc", "alt+d")
		msg.Intent = s.recorder.exactly().(intent.RunOwn)
		s.model.back()
		s.model.Update(msg)
		s.shows("deploy on api.1: " + want)
	}
}

func TestAnOwnCommandAsksFirstWhereItIsTo(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.owning()
	s.press("alt+w")
	s.shows("Run wipe on api.1?")
	s.shows(`rm -r "$CUPOLA_ROW_DIR"`)
	s.press("n")
	if did := s.recorder.exactly(); did != nil {
		t.Fatalf("a no does %+v", did)
	}
	s.press("alt+w", "y")
	if ran, is := s.recorder.exactly().(intent.RunOwn); !is || ran.Argv[0] != "/bin/sh" {
		t.Errorf("a yes does %+v", ran)
	}
}

func TestThePaletteHasOwnCommands(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.owning()
	s.press(":")
	s.write("deploy")
	s.shows("make deploy AT={dir} {branch}")
	s.press("esc", ":")
	s.write("hello")
	s.press("enter")
	if ran, is := s.recorder.exactly().(intent.RunOwn); !is || !slices.Equal(ran.Argv, []string{"echo", "cc_1"}) {
		t.Errorf("it runs %+v", ran)
	}
}

func TestAnOwnCommandIsRefusedInWords(t *testing.T) {
	s := newHarness(t, theme.None, 120, 24)
	s.owning()
	refused := func(want string) {
		t.Helper()
		s.shows(want)
		if did := s.recorder.exactly(); did != nil {
			t.Errorf("it does %+v", did)
		}
	}
	s.press("down", "alt+d")
	refused("{branch} of api.2 is not known")
	s.press("up", "m", "alt+w")
	refused("your commands run on one row")
	s.press("esc", "home")
	s.model.handle(intent.Own{Name: "hello"})
	drawFrame(s.model)
	refused("api is a session, without {agent}; select a pane")
	s.model.handle(intent.Own{Name: "none"})
	drawFrame(s.model)
	refused("there is no command none")
	far := without()
	for i := range far.Sessions {
		far.Sessions[i].ID = core.SessionID("far/" + string(far.Sessions[i].ID))
	}
	s.show(far)
	s.press("alt+w")
	refused("is on another host")
}

func TestFaultsOfKeysOfOwnCommands(t *testing.T) {
	keys, wrong := OwnKeys(nil, map[string]config.OwnCommand{
		"a": {Key: "1"}, "b": {Key: "alt+b"}, "c": {Key: "alt+b"}, "d": {Key: "pagedown"}, "e": {},
	})
	all := strings.Join(wrong, "\n")
	for _, want := range []string{
		"commands.a.key: the key 1 means ", "commands.c.key: ",
		"commands.d.key: there is no key \"pagedown\"; did you mean",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if len(wrong) != 3 || keys.Of(&intent.Tree).Key(intent.Own{Name: "b"}) != "alt+b" {
		t.Errorf("wrong is\n%s", all)
	}
}

package tui

import (
	"errors"
	"testing"

	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

// commands lets the palette find two commands and a setting.
func (s *harness) commands() {
	s.model.palette.commands = []Command{
		{Name: "status", Does: "Show all agents"}, {Name: "worktree-list", Does: "List the worktrees of agents"},
	}
	s.model.palette.settings = []Command{{Name: "display.theme", Does: "The colours"}}
}

// command runs a command, and returns the intent that was passed on.
func (s *harness) command(line string) intent.RunCommand {
	s.t.Helper()
	s.model.handle(intent.RunCommand{Line: line})
	ran, is := s.recorder.last().(intent.RunCommand)
	if !is {
		s.t.Fatal("nothing ran")
	}
	drawFrame(s.model)
	return ran
}

func TestThePaletteGoesToAnAgent(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("ctrl+k")
	s.write("web3")
	s.shows("web.3 cc_3")
	s.press("enter")
	if s.model.choice.Pane != "%8" || s.model.form != nil {
		t.Errorf("chosen is %q", s.model.choice.Pane)
	}
}

func TestThePaletteDoesWhatKeysDo(t *testing.T) {
	for query, want := range map[string]string{
		"list the alerts": "cod_1 waits for an approval", "send a prompt": "Send to api.1",
		"start a session": "New session", "live tiles of all": "api.2",
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press(":")
		s.write(query)
		s.press("enter")
		s.shows(want)
	}
	s := newHarness(t, theme.None, 80, 24)
	s.press(":")
	s.write("no such thing")
	s.shows("nothing matches")
	s.press("enter", "esc")
	s.hides("Go to, or do")
}

func TestThePaletteFindsPromptsCommandsAndSettings(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.commands()
	s.press(":")
	s.write("Review the diff")
	s.press("enter")
	s.shows("Send to api.1")
	s.shows("Be brief.")
	s.press("esc", ":")
	s.write("display.theme")
	s.press("enter")
	s.shows("config set display.theme")
	s.press("esc", ":")
	s.write("worktree-l")
	s.press("enter")
	s.shows("cupola")
	s.press("enter")
	ran := intent.RunCommand{Line: "worktree-list", Width: 80, Height: 20}
	if got := s.recorder.last(); got != ran {
		t.Fatalf("did %+v", got)
	}
	s.shows("it runs")
	s.model.Update(effect.CommandOutput{
		Intent: ran, Text: "no \x1b[31mworktree\x1b[0m\n", Err: errors.New("exit status 1"),
	})
	s.shows("no worktree")
	s.shows("exit status 1")
	s.press("y")
	if got := s.recorder.last(); got != (intent.CopyText{Text: "no worktree\n"}) {
		t.Errorf("did %+v", got)
	}
	s.press("esc")
	s.shows("1/4 working")
}

func TestAFilterShowsWhileItIsTyped(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("/")
	s.write("cod")
	s.hides("docs-日本")
	s.press("esc")
	s.shows("docs-日本")
	s.press("/")
	s.write("web\n")
	s.hides("docs-日本")
	s.press("/", "ctrl+u")
	s.shows("日本語で")
	s.press("esc")
	s.hides("docs-日本")
}

func TestThePaletteFindsActsFirstAndByWordsOfUsers(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.commands()
	keys := s.model.world.Keys.Of(s.model.top().Scope())
	for query, want := range map[string]intent.Intent{
		"theme": intent.AskTheme{}, "kill": intent.AskKill{}, "tag": intent.AskLabel{}, "undo the": intent.Undo{},
		"approve": intent.Open{Screen: "inbox", Afresh: true}, "dark": intent.AskTheme{},
		"how do I merge": intent.Open{Screen: "worktrees", Afresh: true},
		"worktrees list": intent.AskCommand{Line: "worktree-list "}, "display theme": intent.AskCommand{
			Line: "config set display.theme ",
		},
	} {
		s.press(":")
		s.write(query)
		if chosen := s.model.form.Handle(intent.Submit{}); chosen != (intent.Chosen{Means: want}) {
			t.Errorf("%q finds %v first, not %v", query, chosen, want)
		}
		s.press("esc")
	}
	if first := s.model.palette.entries(&s.model.world, intent.Target{}, keys)[0]; first.Group != "key" {
		t.Errorf("an act is not first, but %q", first.Name)
	}
}

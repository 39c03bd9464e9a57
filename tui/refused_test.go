package tui

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

// spawning fills in the form of a new session and accepts it.
func spawning(t *testing.T) (*harness, intent.Act) {
	t.Helper()
	s := newHarness(t, theme.None, 80, 24)
	s.press("n")
	s.write("api2\nclade=2, codex=1\n\n\n\n\n")
	s.write("Fix the build")
	s.press("ctrl+s")
	spawn, is := s.recorder.last().(intent.Act)
	if !is {
		t.Fatal("nothing was started")
	}
	return s, spawn
}

// unknown is the error of an agent kind that does not exist.
var unknown = &core.Error{
	Code: core.AgentNotFound, Message: `no agent kind is called "clade"`, Hint: "Kinds are: claude, codex.",
}

func TestAFormStaysOpenWhenItsActFails(t *testing.T) {
	s, spawn := spawning(t)
	s.model.Update(effect.Done{Intent: spawn, Err: unknown})
	s.shows("New session")
	s.shows(`no agent kind is called "clade". Kinds are: claude, codex.`)
	s.shows("Fix the build")
	s.press("ctrl+u")
	s.write("claude=2")
	s.press("ctrl+s")
	did := s.recorder.last()
	again, _ := inputOf[sessions.SpawnIn](did)
	if len(again.Agents) != 1 || again.Agents[0] != "claude=2" || again.Prompt != "Fix the build" {
		t.Errorf("started %+v", again)
	}
	s.model.Update(effect.Done{Intent: did, Said: "started api2"})
	s.hides("New session")
	s.press("n")
	s.hides("Fix the build")
}

func TestAFormComesBackWhenTheUserAsksForIt(t *testing.T) {
	s, spawn := spawning(t)
	s.press("j") // meant for the list
	s.model.Update(effect.Done{Intent: spawn, Err: unknown})
	s.hides("New session")
	s.shows("(the form has it")
	s.press("n")
	s.shows("Fix the build")
	s.shows("no agent kind")
	s.press("esc")
	s.press("n")
	s.shows("Fix the build")
}

func TestAnInstallLineIsSaid(t *testing.T) {
	s, spawn := spawning(t)
	s.model.Update(effect.Done{Intent: spawn, Err: &core.Error{
		Code: core.ToolNotFound, Message: "Codex is not installed", Hint: "Install it.",
		Actions: []string{"npm install -g @openai/codex"},
	}})
	s.shows("npm install -g @openai/codex")
}

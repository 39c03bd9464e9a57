package fleet_test

import (
	"testing"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/terminal"
)

func TestAnAgentThatEndsMeanwhileTakesNothing(t *testing.T) {
	s := play(t, 1, "--speed", "0")
	seen, err := s.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	pane := seen.Snapshot.Session("api").Panes[1]
	s.tmux.Run("kill-pane", "-t", string(pane.ID))
	d := s.Sender.DeliverPrompt(t.Context(), &pane, "", "say x", false)
	if d.Outcome != core.Refused || d.Why != terminal.WhyGone {
		t.Errorf("%+v", d)
	}
}

package tui

import (
	"testing"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
)

func TestAnAlertLeadsToWhatItIsAbout(t *testing.T) {
	s := staged(t, theme.None, 80, 24)
	s.press("!")
	s.shows("gmi_1 failed")
	s.press("enter")
	s.chose("$1", "%3")
	s.press("!", "end", "enter")
	s.chose("$2", "")
	s.press("!", "home", "j")
	gone := cast()
	gone.Sessions = gone.Sessions[1:]
	s.show(gone)
	s.press("enter")
	s.shows("what it is about is gone")
	s.press("D")
	if got := s.player.last(); got != (intent.Dismiss{ID: "waiting_approval:api.2"}) {
		t.Errorf("got %#v", got)
	}
	s.show(cast())
	s.press("esc")
	s.shows("Needs you")
}

func TestTheSelectedAlertStaysSelectedWhereOthersCome(t *testing.T) {
	s := staged(t, theme.None, 80, 24)
	s.press("!", "j")
	more := cast()
	more.Alerts = append(more.Alerts, core.Alert{ID: "new", Severity: core.SeverityCritical, Subject: "engine", Message: "the server is gone", FirstSeen: noon})
	s.show(more)
	s.press("D")
	if got := s.player.last(); got != (intent.Dismiss{ID: "waiting_approval:api.2"}) {
		t.Errorf("got %#v", got)
	}
}

func TestAStateIsExplainedOncePerPaneAndPicture(t *testing.T) {
	s := staged(t, theme.None, 80, 24)
	s.press("w", "e")
	if got := s.player.last(); got != (intent.Explain{Pane: "%2"}) {
		t.Fatalf("got %#v", got)
	}
	s.show(cast())
	if got := s.player.last(); got != nil {
		t.Errorf("asked again: %#v", got)
	}
	later := cast()
	later.Revision++
	s.show(later)
	if got := s.player.last(); got != (intent.Explain{Pane: "%2"}) {
		t.Errorf("got %#v", got)
	}
	s.Update(explained("%2"))
	s.shows("Would you like to run")
	s.press("w")
	if got := s.player.last(); got != (intent.Explain{Pane: "%3"}) {
		t.Errorf("got %#v", got)
	}
	s.press("esc")
	later.Revision++
	s.show(later)
	if got := s.player.last(); got != nil {
		t.Errorf("asked where nobody looks: %#v", got)
	}
}

package tui

import (
	"errors"
	"testing"

	"cupola/theme"
)

// themed offers two other themes; one of them cannot be read.
func (s *harness) themed() map[string]*theme.Theme {
	bright := theme.New(theme.Options{Level: theme.Basic})
	found := map[string]*theme.Theme{"calm": s.model.world.Theme, "bright": bright}
	s.model.looks.themes = Themes{Names: []string{"calm", "bright", "broken"}}
	s.model.looks.themes.Find = func(name string) (*theme.Theme, error) {
		if found[name] == nil {
			return nil, errors.New("theme broken: cannot be read")
		}
		return found[name], nil
	}
	s.model.looks.name = "calm"
	return found
}

func TestAThemeShowsBeforeItIsChosen(t *testing.T) {
	s := newHarness(t, theme.True, 80, 24)
	found := s.themed()
	s.press("f2", "down")
	if s.model.world.Theme != found["bright"] {
		t.Error("the selected theme does not show")
	}
	s.press("esc")
	if s.model.world.Theme != found["calm"] || s.recorder.last() != nil {
		t.Error("leaving the list does not bring the theme back")
	}
	s.press("f2", "down", "enter")
	if diff := differ(set("display.theme", "bright"), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	if s.model.world.Theme != found["bright"] {
		t.Error("the chosen theme does not show")
	}
	s.press("f2", "end", "down", "down", "enter")
	s.shows("cannot be read")
}

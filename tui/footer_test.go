package tui

import (
	"maps"
	"slices"
	"testing"

	"cupola/theme"
	"cupola/tui/intent"
)

// footed are the keys of the footer of a screen that is wide enough, without those that move, end the program or need
// what the fixture lacks.
func footed(s *harness) (names []string) {
	if s.model.form != nil || s.model.typing.pane.Pane != "" {
		return nil
	}
	for _, one := range bindingsOf(s.model) {
		name := one.Keys()[0]
		if !intent.Among(s.model.top().Scope().Find(name).Intent, intent.Move{}, intent.Turn{}, intent.Shift{},
			intent.FindNext{}, intent.ShowTab{}, intent.Quit{}, intent.AskTheme{}) {
			names = append(names, name)
		}
	}
	return names
}

// refusing are the colours of a message that says why something was not done.
var refusing = []theme.Token{theme.Danger, theme.Warn}

// TestAKeyOfTheFooterDoesSomething presses each key that the footer of a screen names: the display changes, or
// something is done, and nothing is refused.
func TestAKeyOfTheFooterDoesSomething(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		reached := func() *harness {
			s := newHarness(t, theme.None, 140, 40)
			scenarios[name](s)
			drawFrame(s.model)
			s.recorder.did, s.recorder.read = nil, nil
			return s
		}
		for _, pressed := range footed(reached()) {
			s := reached()
			before := slices.Clone(s.model.shown.Lines)
			s.press(pressed)
			drawFrame(s.model)
			switch {
			case len(s.recorder.did) == 0 && slices.Equal(before, s.model.shown.Lines):
				t.Errorf("%s: %s does nothing", name, pressed)
			case s.model.status.Text != "" && slices.Contains(refusing, s.model.status.Token):
				t.Errorf("%s: %s is refused: %s", name, pressed, s.model.status.Text)
			}
		}
	}
}

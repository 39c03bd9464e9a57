package tui

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/theme"
	"cupola/tui/effect"
)

// silentSnapshot delivers the snapshot of a server that is silent since noon.
func (s *harness) silentSnapshot(at time.Time) {
	quiet := *s.model.world.Snapshot
	quiet.SilentSince = noon
	s.model.Update(effect.Framed{Frame: keeper.Frame{
		Snapshot: &quiet,
		Events:   []core.Event{{Type: core.EngineSilent, At: at}},
	}})
}

func TestSilentServerKeepsLastSnapshot(t *testing.T) {
	for _, size := range [][2]int{{140, 40}, {80, 24}, {60, 16}, {20, 4}} {
		s := newHarness(t, theme.None, size[0], size[1])
		s.silentSnapshot(noon.Add(5 * time.Second))
		s.exact()
		if size[1] < headerHeight {
			continue
		}
		s.shows("terminal server not answering for 5s")
		s.model.Update(effect.Ticked{Now: noon.Add(72 * time.Second), Every: time.Second})
		s.shows("terminal server not answering for 1m12s")
		s.hides("ended")
		s.shows("1/4 working")
		s.show(fixture())
		s.hides("not answering")
		s.exact()
	}
}

func TestSilentServerDimsScreens(t *testing.T) {
	s := newHarness(t, theme.True, 80, 24)
	row := s.row("api.1")
	bright := s.model.shown.Lines[row]
	s.silentSnapshot(noon)
	dim := s.model.shown.Lines[row+1]
	if ansi.Strip(dim) != ansi.Strip(bright) || dim == bright ||
		dim != s.model.world.Theme.Style(theme.Dim).Render(ansi.Strip(bright)) {
		t.Errorf("%q became %q", bright, dim)
	}
}

func TestSilenceCountsSeconds(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.recorder.ticks = nil
	s.silentSnapshot(noon)
	s.silentSnapshot(noon)
	second := effect.Ticked{Now: noon.Add(time.Second), Every: time.Second}
	s.model.Update(second)
	s.model.Update(effect.Ticked{Now: noon.Add(time.Minute), Every: time.Minute})
	s.show(fixture())
	s.model.Update(second)
	var seconds, minutes int
	for _, every := range s.recorder.ticks {
		switch every {
		case time.Second:
			seconds++
		case time.Minute:
			minutes++
		}
	}
	if seconds != 2 || minutes != 1 {
		t.Errorf("asked for %v", s.recorder.ticks)
	}
}

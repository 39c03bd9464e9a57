package tui

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/term/cells/cellstest"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/terminal"
)

// Names, titles, screens, prompts and messages are text that terminals disagree on. Each
// screen is drawn in one of the usual sizes.
func TestEveryScreenOnATerminal(t *testing.T) {
	random, points := rand.New(rand.NewPCG(5, 6)), cellstest.Assigned()
	mixed := func() string { return cellstest.Mixed(random, points) }
	for i, name := range slices.Sorted(maps.Keys(scenarios)) {
		size := [][2]int{{140, 40}, {80, 24}, {60, 16}}[i%3]
		s := newHarness(t, theme.True, size[0], size[1])
		scenarios[name](s)
		snapshot := strange(mixed())
		for j := range snapshot.Alerts {
			snapshot.Alerts[j].Message, snapshot.Alerts[j].Subject = mixed(), mixed()
		}
		for _, pane := range snapshot.Panes() {
			screens[pane.ID] = []string{mixed(), mixed(), mixed(), mixed(), mixed()}
		}
		s.show(snapshot)
		if s.model.form != nil {
			s.write(strings.NewReplacer("\n", " ", "\t", " ").Replace(mixed()))
		} else {
			s.model.Update(effect.Done{Intent: renamed, Said: mixed()})
		}
		s.exact()
		cellstest.Holds(t, s.model.shown.Lines, strings.Split(s.model.View(), "\n"))
		if t.Failed() {
			t.Fatalf("scenario %s at %v", name, size)
		}
	}
}

func TestASizeIsPaintedAfresh(t *testing.T) {
	s := newHarness(t, theme.True, 80, 24)
	var afresh []bool
	g := &guard{model: s.model, entitle: func(string) {}, show: func(frame []string, _ terminal.Cursor, whole bool) {
		afresh = append(afresh, whole)
		cellstest.Holds(t, s.model.shown.Lines, frame)
	}}
	g.Update(tea.WindowSizeMsg{Width: 60, Height: 16})
	g.Update(tea.WindowSizeMsg{Width: 60, Height: 16})
	g.Update(effect.Ticked{Now: noon, Every: time.Minute})
	if !slices.Equal(afresh, []bool{true, true, false}) {
		t.Errorf("afresh: %v", afresh)
	}
}

package tui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/screen"
	"cupola/tui/screen/runs"
	"cupola/tui/screen/stories"
)

// everyKey is every key of every scope, and some that edit.
var everyKey = func() []string {
	keys := []string{"backspace", "delete", "ctrl+w", "ctrl+u", "alt+left", "ctrl+@", "f5", "a", "日", "e\u0301", "🇩🇪"}
	for _, scope := range Keys().Keymap().All() {
		for _, binding := range scope.Bindings {
			keys = append(keys, binding.Keys...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}()

// hit does what one byte says: presses a key, uses the mouse, resizes, or shows another
// frame.
func (s *harness) hit(b byte, foreign string) {
	n := int(b)
	if n < len(everyKey) {
		name := everyKey[n]
		if msg := []rune(name); len(msg) > 1 && msg[0] > 0x7f || name == "e\u0301" {
			s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: msg, Paste: true})
			return
		}
		s.press(name)
		return
	}
	switch n -= len(everyKey); n % 10 {
	case 0:
		s.click(tea.MouseButtonLeft, n*7%s.atLeastOne(s.model.size.W), n*3%s.atLeastOne(s.model.size.H))
	case 1:
		s.click(tea.MouseButtonWheelUp, n*7%s.atLeastOne(s.model.size.W), n*3%s.atLeastOne(s.model.size.H))
	case 2:
		s.resize(n*5%140, n*11%50)
	case 3:
		s.show(without("%1", "%5", core.PaneID("%"+string('0'+b%10))))
	case 4:
		s.show(&core.Snapshot{Taken: noon, EngineUp: n%16 < 8})
	case 5:
		s.model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(foreign), Paste: n%16 < 8})
	case 6:
		s.model.Update(effect.Done{Intent: prompt(paneOne, foreign), Said: foreign, Err: refusal})
	case 7:
		s.show(strange(foreign))
	case 8:
		s.strangeStories(foreign)
	case 9:
		s.deliver()
	}
}

func (s *harness) atLeastOne(n int) int { return max(1, n) }

// strange is the fixture with foreign names, titles and screens.
func strange(foreign string) *core.Snapshot {
	snapshot := fixture()
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		session.Name, session.Dir = session.Name+foreign, foreign
		for j := range session.Panes {
			pane := &session.Panes[j]
			pane.Session, pane.Process.Command, pane.View.Width = session.Name, foreign, len(foreign)
			if pane.IsAgent() {
				pane.Agent.Name += foreign
			}
			pane.View.Cursor = core.Cursor{X: len(foreign) % 90, Y: len(foreign) % 30, Visible: true}
			screens[pane.ID] = strings.Split(foreign+"\x1b[31m"+foreign, "\n")
		}
	}
	return snapshot
}

// strangeStories lists changes and runs with foreign names, and delivers a run with foreign texts.
func (s *harness) strangeStories(foreign string) {
	listed := todoListed()
	for i := range listed {
		listed[i].Name += foreign
		listed[i].Problem = foreign
	}
	answer[stories.TodoQuestion](s, listed)
	all := runsListed()
	for i := range all.Runs {
		h := &all.Runs[i]
		h.Name, h.Title, h.Dir, h.Error, h.Backend, h.Hint = foreign, foreign, foreign, foreign, foreign, foreign
	}
	answer[runs.ListQuestion](s, all)
	s.readRun()
	read := s.run()
	run := &read.Run
	for i := range run.Stories {
		one := &run.Stories[i]
		one.Title, one.Failure, one.Commit, one.Text = foreign, foreign, foreign, foreign
		for j := range one.Tries {
			one.Tries[j].Answer, one.Tries[j].Failure = foreign, foreign
			one.Tries[j].Checks = append(one.Tries[j].Checks, story.Check{Command: foreign, Output: foreign})
		}
	}
	run.Model, run.Branch, run.Error, run.Path, run.Verify = foreign, foreign, foreign, foreign, []string{foreign}
	read.Saying = []screen.Saying{{Agent: "3", Text: foreign, Doing: foreign, Pane: foreign}}
	read.Events = append(read.Events, story.Event{Type: story.Learned, Text: foreign, Files: []string{foreign}})
	answer[stories.RunQuestion](s, read)
}

func TestFuzzReachesEverything(t *testing.T) {
	if room := 256 - len(everyKey); room < 10 {
		t.Errorf("of 256 bytes %d are left for what is no key", room)
	}
}

func FuzzFrameFitsDisplay(f *testing.F) {
	f.Add([]byte("jjjjg\x00\x01\x02"), "plain")
	f.Add([]byte{200, 201, 202, 203, 204, 205, 206, 207, 208, 11, 12, 13, 14}, "日本語\x1b[2J\x1b]0;x\a\u202e")
	f.Add([]byte{13, 13, 207, 205, 202, 199, 188, 177, 166}, "🇩🇪\u200d\u0301\n\xff\x00\t👩‍💻")
	f.Add([]byte(strings.Repeat("\x0c\x2a\xc8\xcf", 20)), strings.Repeat("宽", 200))
	f.Fuzz(func(t *testing.T, hits []byte, foreign string) {
		if len(hits) > 200 || len(foreign) > 2000 {
			t.Skip("long enough")
		}
		s := newHarness(t, theme.True, 80, 24)
		for _, b := range hits {
			s.hit(b, foreign)
			s.exact()
		}
	})
}

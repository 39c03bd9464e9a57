package tui

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/effect"
)

// asked opens a dialog of %2, which is the approval of the fixture unless change makes another of it.
func asked(t *testing.T, change func(*effect.Questioned)) *harness {
	t.Helper()
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "d")
	open := openQuestion("%2")
	if change != nil {
		change(&open)
	}
	s.model.Update(open)
	s.recorder.last()
	return s
}

// answered is the answer that was given last; zero if none was.
func (s *harness) answered() agents.AnswerIn {
	answer, _ := inputOf[agents.AnswerIn](s.recorder.last())
	return answer
}

func TestADialogIsAnsweredByWhatIsSelected(t *testing.T) {
	for name, test := range map[string]struct {
		keys []string
		want int
	}{
		"as the agent has it": {[]string{"enter"}, 1}, "down": {[]string{"down", "enter"}, 2},
		"j": {[]string{"j", "j", "enter"}, 3}, "not beyond the end": {[]string{"j", "j", "j", "j", "enter"}, 3},
		"up again": {[]string{"down", "up", "k", "enter"}, 1}, "by number": {[]string{"down", "3"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := asked(t, nil)
			s.press(test.keys...)
			if got := s.answered(); got.Choose != test.want || got.Approve || got.Deny {
				t.Errorf("answered %+v", got)
			}
		})
	}
	s := asked(t, nil)
	s.on("3. No, and", 20)
	if got := s.answered(); !got.OnlyShows() {
		t.Errorf("a click answered %+v", got)
	}
	s.shows("› 3. No")
	s.press("enter")
	if got := s.answered(); got.Choose != 3 {
		t.Errorf("after a click it answered %+v", got)
	}
}

func TestOnlyKeysThatAnswerADialogAreOffered(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*effect.Questioned)
		gone   []string
		keys   map[string]string // with what is said of them
	}{
		"a question": {
			func(q *effect.Questioned) {
				q.Reason = core.ReasonQuestion
				q.Options = []agent.Option{{N: 1, Label: "Postgres"}, {N: 2, Label: "SQLite"}}
			},
			[]string{"y approve", "Enter take it"},
			map[string]string{
				"y": "No option just approves", "enter": "Nothing is selected", "5": "There is no option 5",
			},
		},
		"a trust": {
			func(q *effect.Questioned) {
				q.Reason = core.ReasonTrust
				q.Options = []agent.Option{{N: 1, Label: "Yes, I trust it", Means: agent.Approves, Selected: true}}
			},
			[]string{"n deny", "t words", "↓ select"},
			map[string]string{"n": "No option denies", "t": "It takes no words", "down": "There is nothing to choose"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := asked(t, test.change)
			shown := s.model.View()
			for _, gone := range test.gone {
				if strings.Contains(shown, gone) {
					t.Errorf("it offers %q", gone)
				}
			}
			for key, said := range test.keys {
				s.press(key)
				if got := s.answered(); !got.OnlyShows() {
					t.Errorf("%s answered %+v", key, got)
				}
				s.shows(said)
			}
		})
	}
}

func TestTheNextThatNeedsYouIsSelectedAfterAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		answer string
		want   core.PaneID
	}{
		"it asks no more":        {`{"answers":[{"resolved":true}]}`, "%3"},
		"it asks something else": {`{"answers":[{"resolved":false}]}`, "%2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := asked(t, nil)
			s.press("y")
			s.model.Update(effect.Done{
				Intent: s.recorder.last(), Said: "api.2 was answered: Yes",
				Answer: answerOf[agents.AnswerOut](t, test.answer),
			})
			s.shows("api.2 was answered: Yes")
			if s.model.choice.Pane != test.want {
				t.Errorf("selected %s", s.model.choice.Pane)
			}
		})
	}
}

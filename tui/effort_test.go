package tui

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/record/undo"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	found "cupola/tui/screen/search"
)

// task is something that users do again and again.
type task struct {
	// begins is where the user is.
	begins func(*harness)
	// keys are pressed one after the other; a text, behind an apostrophe, counts as one. Most is how many there may be.
	keys string
	most int
	// done reports whether the task is done.
	done func(*harness) bool
}

// acted reports whether the last act has an input that fits.
func acted[In any](fits func(In) bool) func(*harness) bool {
	return func(s *harness) bool {
		in, is := inputOf[In](s.recorder.exactly())
		return is && fits(in)
	}
}

// TestTasksTakeFewKeys does what users do most, and counts the keys.
func TestTasksTakeFewKeys(t *testing.T) {
	for name, one := range map[string]task{
		"approve": {
			begins: func(*harness) {}, keys: "I y", most: 2,
			done: acted(func(in agents.AnswerIn) bool { return in.Choose == 1 || in.Approve }),
		},
		"go to the next that is done": {
			begins: func(s *harness) {
				calm := fixture()
				for _, pane := range calm.Panes() {
					if pane.Status.Shown() != core.Done {
						pane.Status = core.Status{State: core.Working, Since: noon}
					}
				}
				s.show(calm)
			},
			keys: "w", most: 1, done: func(s *harness) bool { return s.model.choice.Pane == "%4" },
		},
		"undo a kill": {
			begins: func(s *harness) {
				s.model.Update(effect.Done{Said: "ended api", Undo: []undo.Act{{
					ID: "a1", Did: "ended api", Back: "starts it again", Asks: true,
				}}})
			},
			keys: "u y", most: 2,
			done: acted(func(in checkpoints.UndoIn) bool { return in.Act == "a1" }),
		},
		"find a word in all that was said": {
			begins: func(*harness) {}, keys: "F 'parser enter", most: 3,
			done: func(s *harness) bool { return about[found.Question](s).Text == "parser" },
		},
		"comment on a line and send it": {
			begins: func(s *harness) {
				working := fixture()
				working.Pane("%1").Process.Dir = "/src/api"
				s.show(working)
				s.reviewed()
			},
			keys: "c 'why? ctrl+s enter ctrl+s", most: 5,
			done: acted(func(in agents.SendIn) bool { return strings.Contains(in.Msg, "why?") }),
		},
		"start with worktrees and a model": {
			begins: func(*harness) {}, keys: "n tab 'claude:opus tab right ctrl+s", most: 6,
			done: acted(func(in sessions.SpawnIn) bool { return in.Worktree && in.Agents[0] == "claude:opus" }),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, theme.None, 140, 40)
			one.begins(s)
			s.recorder.did = nil
			keys := strings.Fields(one.keys)
			for _, key := range keys {
				if text, is := strings.CutPrefix(key, "'"); is {
					s.write(text)
					continue
				}
				s.press(key)
				if key == "I" {
					s.model.Update(openQuestion("%2"))
				}
			}
			if len(keys) > one.most || !one.done(s) {
				t.Errorf("%q: %d keys of %d, and it shows\n%s", keys, len(keys), one.most, s.model.View())
			}
		})
	}
}

package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// wanting is a screen that shows what is read for it while it is on top.
type wanting interface {
	Wants(w *screen.World) []screen.Want
}

// reading is a question whose answer is shown.
type reading struct {
	want screen.Want
	n    int
	// pending is true until the answer comes, onTop if the screen on top asked.
	pending, onTop bool
}

// reads asks the questions of the display, and keeps the answers. An answer without an asker is dropped.
type reads struct {
	asked map[screen.Keeper]*reading
	// n is the number of the last question.
	n int
}

// ask asks what is wanted and is not asked yet: new questions, those that are of another version, and those that are
// followed and were answered.
func (r *reads) ask(w *screen.World, act actor, lists, top []screen.Want) tea.Cmd {
	before := r.asked
	r.asked = make(map[screen.Keeper]*reading, len(lists)+len(top))
	var cmds []tea.Cmd
	for i, want := range append(lists[:len(lists):len(lists)], top...) {
		if want.Question == nil {
			continue
		}
		last, n := before[want.Slot], r.n+1
		same := last != nil && last.want.Question == want.Question
		fresh := same && last.want.Version == want.Version
		if same && (last.pending || fresh && !want.Follow) {
			last.onTop = i >= len(lists)
			r.asked[want.Slot] = last
			continue
		}
		r.n = n
		r.asked[want.Slot] = &reading{want: want, n: n, pending: true, onTop: i >= len(lists)}
		cmds = append(cmds, act.Do(intent.Read{Question: want.Question, N: n, Known: fresh, Snapshot: w.Snapshot}))
	}
	return tea.Batch(cmds...)
}

// take keeps an answer, unless no screen asks its question any more. A run that is displayed is shown at the time of
// its answer.
func (r *reads) take(w *screen.World, msg effect.Answered, advise func(error) *core.Error) {
	for slot, open := range r.asked {
		if open.n != msg.Read.N || !open.pending {
			continue
		}
		open.pending = false
		got := screen.Got{Question: open.want.Question, Value: msg.Answer, N: open.n, Now: msg.Now}
		if e := advise(msg.Err); e != nil {
			got.Wrong, got.Hint = e.Error(), e.Hint
		}
		w.Keep(slot, &got)
		if open.want.Follow && open.onTop {
			w.Now = msg.Now
		}
	}
}

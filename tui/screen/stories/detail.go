// Package stories shows runs over the stories of changes while they work, and lists the changes that have stories to
// work on.
package stories

import (
	"fmt"

	verbs "cupola/core/verb/stories"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

type (
	// RunQuestion asks for all that happened in a run; a RunText answers it.
	RunQuestion struct{ ID string }
	// ChangedQuestion asks for what a run changed; a verbs.Changes answers it.
	ChangedQuestion struct{ ID string }
)

// RunText is a run with all that happened in it.
type RunText struct {
	Run story.Run
	// Events must not be changed.
	Events []story.Event
	// Saying are the present texts of the agents; the name of each is the id of its story.
	Saying []screen.Saying
}

var (
	readRun     = &screen.Slot[RunText]{}
	readChanged = &screen.Slot[verbs.Changes]{}
)

var keys = screen.RunKeys{
	Works: intent.Runs.Footed([]string{
		"p", "x", "enter", "tab", "left", "o", "d", "L", "y", "]", "/", "esc", "?",
	}, nil),
	Done: intent.Runs.Footed([]string{
		"M", "d", "K", "S", "enter", "tab", "left", "L", "y", "D", "]", "/", "esc", "?",
	}, map[string]string{"p": "resume"}),
	Stopped: intent.Runs.Footed([]string{
		"p", "d", "M", "enter", "tab", "left", "L", "y", "D", "]", "/", "esc", "?",
	}, map[string]string{"p": "resume"}),
}

// Detail shows one run: how far it is, its stories, and what is known of the one that is chosen.
type Detail struct {
	id      string
	shown   screen.Answer[RunText]
	changed screen.Answer[verbs.Changes]
	// chosen is the id of the story that the user chose; empty shows the one that is worked on.
	chosen string
	// picked is true once the user chose a tab. Until then that of the agent is shown while the run works, and how it
	// ended afterwards.
	picked bool
	tabs   tabs
	agent  screen.Wrapped
	pane   screen.PaneView
	// visible is the pane that was drawn last.
	visible core.PaneID
	// snapshot has the panes that there were as the run was drawn last.
	snapshot *core.Snapshot
}

// Scope is the table of keys.
func (d *Detail) Scope(h *run.Head) *intent.Scope { return keys.Of(h) }

// Visible is the pane of the shown story; empty if none is drawn.
func (d *Detail) Visible() core.PaneID { return d.visible }

// Wants asks for a run, and for its changes if they are displayed: again after each commit and each act.
func (d *Detail) Wants(w *screen.World, h *run.Head) []screen.Want {
	wants := []screen.Want{screen.WantRun(w, readRun, RunQuestion{h.ID}, h, headOf)}
	read := readRun.In(w)
	if d.tabs.at != tabChanged || d.id != h.ID || read.Question != (RunQuestion{h.ID}) {
		return wants
	}
	was := &read.Value.Run
	commits := core.Map(was.Stories, func(p story.Progress) string { return p.Commit })
	version := fmt.Sprint(was.State, was.Iterations, commits, w.Acts)
	return append(wants, screen.Want{Slot: readChanged, Question: ChangedQuestion{h.ID}, Version: version})
}

// Show takes a run as far as it was read. It returns its head as it was read; nil before that.
func (d *Detail) Show(w *screen.World, h *run.Head, _ bool) *run.Head {
	if h.ID != d.id {
		*d = Detail{id: h.ID}
	}
	d.snapshot, d.visible = w.Snapshot, ""
	if got := readRun.In(w); got.Question == (RunQuestion{h.ID}) {
		d.shown = *got
	}
	if got := readChanged.In(w); got.Question == (ChangedQuestion{h.ID}) {
		d.changed = *got
	}
	if !d.picked {
		d.tabs.at = tabAgent
		if d.shown.Value.Run.State.Ended() {
			d.tabs.at = tabRun
		}
	}
	if d.shown.Value.Run.Story(d.chosen) == nil {
		d.chosen = ""
	}
	return screen.HeadOf(&d.shown, h, headOf)
}

func headOf(t *RunText) run.Head { return t.Run.Head() }

// Handle scrolls, changes what is shown, and says what a key means for the run. It returns other intents.
func (d *Detail) Handle(wanted intent.Intent) intent.Intent {
	r := &d.shown.Value.Run
	if d.tabs.choose(wanted, runTabNames) {
		d.picked = true
		return nil
	}
	switch w := wanted.(type) {
	case intent.Shift:
		d.step(w.By)
		return nil
	case intent.PickStory:
		d.choose(w.ID)
		return nil
	case intent.AskFinish:
		return finish(w, r)
	case intent.AskMergeTree:
		if done, _ := r.Counts(); !r.State.Ended() || done == 0 {
			return intent.Refuse{Why: "it has no commit to merge, or has not ended"}
		}
		return intent.AskMergeTree{Root: r.Worktree, What: outcome(r)}
	}
	return d.scroll(wanted)
}

// Copied is the command that merges the run, or the text of another tab.
func (d *Detail) Copied() string {
	if d.tabs.at == tabRun {
		return mergeCommand(&d.shown.Value.Run)
	}
	return d.tabs.made.plain()
}

// scroll scrolls the pane or the text that is shown, and returns other intents.
func (d *Detail) scroll(wanted intent.Intent) intent.Intent {
	if d.visible != "" {
		switch w := wanted.(type) {
		case intent.Scroll:
			d.pane.Scroll(w.By * screen.WheelLines)
			return nil
		case intent.Turn:
			d.pane.Turn(w.By)
			return nil
		}
	}
	return d.tabs.handle(wanted)
}

// finish says what the commits of a run are, if it has ended.
func finish(w intent.AskFinish, r *story.Run) intent.Intent {
	if !r.State.Ended() {
		return intent.Refuse{Why: "it has not ended; x cancels it"}
	}
	w.ID, w.What = r.ID, outcome(r)
	return w
}

// outcome says how many stories of a run are done, and where.
func outcome(r *story.Run) string {
	done, total := r.Counts()
	return fmt.Sprintf("%d of %d stories of %s are done, in the branch %s.", done, total, r.Name, r.Branch)
}

// About returns the facts of the run besides its head.
func (d *Detail) About(w *screen.World) (facts []string, note string) {
	r := &d.shown.Value.Run
	facts = []string{screen.Took(elapsed(&d.shown.Value, w.Now)), tokens(r.Used), r.Model, r.Stage, r.Session, r.Branch}
	return facts, ""
}

// View draws how far the run is, the stories around the shown one, and the tab that is shown.
func (d *Detail) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	const leastText = 3
	bar, rest := r.Top(min(1, max(0, r.H-leastText)))
	var lines []string
	if bar.H > 0 {
		lines = gauges(w, bar, &d.shown.Value.Run)
	}
	around, rest := rest.Top(window(len(d.shown.Value.Run.Stories), rest.H))
	lines = append(lines, d.stories(w, around, zones)...)
	if s := d.saying(); d.tabs.at == tabAgent && s != nil && s.Pane != "" {
		if pane := screen.PaneAt(w.Snapshot, s.Pane); pane != nil {
			names, body := rest.Top(1)
			d.visible, d.tabs.area = pane.ID, body
			lines = append(lines, d.tabs.bar(w, names, runTabNames, "o goes to its pane", zones)...)
			return append(lines, d.pane.View(w, body, pane, widget.AnchorCursor)...)
		}
	}
	key := fmt.Sprint(d.id, d.shown.N, d.changed.N, d.chosen)
	grows := d.tabs.at == tabAgent || d.tabs.at == tabChecks || d.tabs.at == tabLog
	follow := grows && !d.shown.Value.Run.State.Ended()
	return append(lines, d.tabs.view(w, rest, zones, runTabNames, key, follow, func(width int) text {
		return d.written(w, width)
	})...)
}

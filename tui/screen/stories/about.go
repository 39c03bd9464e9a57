package stories

import (
	"fmt"

	"cupola/core/run/story"
	"cupola/tui/intent"
)

// about adds what is selected to an intent; nil if nothing is, or it is being read.
func (s *Screen) about(wanted intent.Intent) intent.Intent {
	r := s.row()
	switch {
	case r == nil:
		return nil
	case r.change != nil:
		return s.aboutChange(wanted, r)
	case s.progress.shown.Run.ID != r.run.ID || s.progress.shown.Wrong != "" && len(s.progress.shown.Run.Stories) == 0:
		return nil
	}
	run := &s.progress.shown.Run
	switch w := wanted.(type) {
	case intent.AskRun:
		return intent.AskRun{Dir: r.dir, Name: run.Name}
	case intent.PauseRun:
		return intent.PauseRun{ID: run.ID}
	case intent.AskStopRun:
		if run.State.Ended() {
			return intent.Refuse{Why: "it does not work; p lets it go on"}
		}
		done, total := run.Counts()
		return intent.AskStopRun{ID: run.ID, What: fmt.Sprintf(
			"It is %s: %d of %d stories of %s are done. What is committed stays.", run.State, done, total, run.Name)}
	case intent.AskFinish:
		return finish(w, run)
	case intent.GoTo:
		return s.progress.place(s.snapshot)
	}
	if s.progress.tabs.at == tabRun {
		return intent.CopyText{Text: mergeCommand(run)}
	}
	return intent.CopyText{Text: s.progress.tabs.made.plain()}
}

// finish says what the commits of a run are, if it has ended.
func finish(w intent.AskFinish, run *story.Run) intent.Intent {
	if !run.State.Ended() {
		return intent.Refuse{Why: "it has not ended; x stops it"}
	}
	done, total := run.Counts()
	w.ID = run.ID
	w.What = fmt.Sprintf("%d of %d stories of %s are done, in the branch %s.", done, total, run.Name, run.Branch)
	return w
}

// aboutChange adds the selected change, or the run that works on it, to an intent.
func (s *Screen) aboutChange(wanted intent.Intent, r *row) intent.Intent {
	switch wanted.(type) {
	case intent.AskRun:
		return intent.AskRun{Dir: r.dir, Name: r.change.Name}
	case intent.AskFinish:
		return intent.Refuse{Why: "it is no run; select one that has ended"}
	case intent.PauseRun, intent.AskStopRun:
		if r.working == nil {
			return intent.Refuse{Why: "no run works on it; n starts one"}
		}
		if _, pauses := wanted.(intent.PauseRun); pauses {
			return intent.PauseRun{ID: r.working.ID}
		}
		return intent.AskStopRun{ID: r.working.ID, What: "It works on " + r.change.Name + ". What is committed stays."}
	case intent.GoTo:
		return intent.GoTo{}
	}
	return intent.CopyText{Text: s.preview.tabs.made.plain()}
}

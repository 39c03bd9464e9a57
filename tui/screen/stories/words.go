package stories

import (
	"cmp"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/relay/stream"
	"cupola/core/run/story"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/theme"
	"cupola/tui/screen"
)

// why says in words why a run ended; empty where its state says all.
func why(r *story.Run) string {
	l := r.Limits
	switch r.Reason {
	case story.Retries:
		return fmt.Sprintf("A story was not proven in its first try and %s more.",
			counted(l.MaxRetries, "try", "tries"))
	case story.NoProgress:
		return fmt.Sprintf("%d tries in a row changed and ticked nothing.", l.NoProgress)
	case story.TimeLimit:
		return "It took longer than it may, " + core.ShortDuration(l.TimeLimit) + "."
	case story.Budget:
		return fmt.Sprintf("It cost more than it may, $%.2f.", l.BudgetUSD)
	case story.MaxIterations:
		return fmt.Sprintf("All of its %d tries are used.", l.MaxIterations)
	case story.Conflicted:
		return "The work on a story is in conflict with that on another."
	case story.Blocked:
		return "The other stories cannot be worked on before something else is done."
	}
	return ""
}

// cost returns a cost as text, and says if it is not known.
func cost(usd float64, known bool) string {
	switch {
	case known:
		return cmp.Or(screen.Dollars(usd), "$0")
	case usd > 0:
		return "at least " + screen.Dollars(usd)
	}
	return "cost unknown"
}

// tokens is how many tokens were used.
func tokens(used *stream.Usage) string {
	if used == nil {
		return "tokens unknown"
	}
	return report.Grouped(used.Total()) + " tokens"
}

// mergeCommand is the command that merges the branch of a run.
func mergeCommand(r *story.Run) string {
	return shell.Line("cupola", "worktree", "merge", r.TreeName())
}

// commit is the beginning of a commit's id.
func commit(id string) string {
	const enough = 7
	return id[:min(len(id), enough)]
}

// happened says in words what an event is.
func happened(e *story.Event) (string, theme.Token) {
	about := ""
	if e.Story != "" {
		about = e.Story + ": "
	}
	more := func(words string) string {
		if e.Text == "" {
			return about + words
		}
		return about + words + ": " + e.Text
	}
	switch e.Type {
	case story.RunStart:
		return more("it works"), theme.Text
	case story.RunEnd:
		return more("it ended, " + string(e.Reason)), theme.Strong
	case story.StoryStart:
		return more("the story is started"), theme.Text
	case story.StoryDone:
		return more("the story is done"), theme.Good
	case story.StoryGivenUp:
		return more("the story is given up"), theme.Danger
	case story.TryStart:
		return more(fmt.Sprintf("try %d begins", e.Try)), theme.Text
	case story.TryEnd:
		return more(fmt.Sprintf("try %d ended", e.Try)), theme.Text
	}
	return change(e, about, more)
}

// change says in words what an event changed.
func change(e *story.Event, about string, more func(string) string) (string, theme.Token) {
	files := ""
	if len(e.Files) > 0 {
		files = " (" + strings.Join(e.Files, ", ") + ")"
	}
	switch e.Type {
	case story.Ticked:
		return more("a task is done"), theme.Good
	case story.Scope:
		return more("the tasks changed"), theme.Warn
	case story.Verified:
		if e.Passed != nil && *e.Passed {
			return about + "passed: " + e.Command, theme.Good
		}
		return about + "failed: " + e.Command, theme.Danger
	case story.Committed:
		return more("committed "+commit(e.Commit)) + files, theme.Text
	case story.Merged:
		return more("merged "+commit(e.Commit)) + files, theme.Text
	case story.Conflict:
		return more("conflict") + files, theme.Danger
	case story.Learned:
		return more("learnt"), theme.Text
	case story.Pause:
		return "it is paused", theme.Warn
	case story.Resume:
		return "it resumes", theme.Text
	case story.Note:
		return more("note"), theme.Dim
	}
	return more(strings.ReplaceAll(string(e.Type), "_", " ")), theme.Dim
}

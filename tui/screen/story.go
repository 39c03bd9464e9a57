package screen

import (
	"time"

	"cupola/core/run/story"
)

// Stories are the changes that have stories, and the runs over them.
type Stories struct {
	// Read is true once they were read, Wrong why they cannot be.
	Read    bool
	Wrong   string
	Changes []StoryChange
	// Runs are those on record, the newest first.
	Runs []story.Run
}

// StoryChange is what a list says of a change.
type StoryChange struct {
	Name string
	// Dir is the folder of its project, Path its file of tasks.
	Dir, Path                 string
	StoriesDone, StoriesTotal int
	TasksDone, TasksTotal     int
	// Modified is when one of its files was changed last.
	Modified time.Time
	// Problem says why nothing can be done about it; empty where something can.
	Problem string
}

// Running counts the runs that have not ended.
func (s *Stories) Running() int {
	n := 0
	for i := range s.Runs {
		if !s.Runs[i].State.Ended() {
			n++
		}
	}
	return n
}

// ChangeText is a change as it was read last.
type ChangeText struct {
	// Dir and Name say which one, N is the number of the question that was answered.
	Dir, Name string
	N         int
	Change    story.Change
	// Wrong says why it cannot be shown, Hint what to do about that; both may be empty.
	Wrong, Hint string
}

// RunText is a run with all that happened in it.
type RunText struct {
	// N is the number of the question that was answered.
	N      int
	Run    story.Run
	Events []story.Event
	// Saying is what the agents do now; the name of each is the id of its story.
	Saying      []Saying
	Wrong, Hint string
}

// Changed is what a run changed.
type Changed struct {
	// ID is that of the run, N the number of the question that was answered.
	ID    string
	N     int
	Files []ChangedFile
	// Diff is in git's form.
	Diff        string
	Wrong, Hint string
}

// ChangedFile is a file that differs from what it was before a run.
type ChangedFile struct {
	Path string
	// Added and Removed count lines; both are -1 for a file that has none.
	Added, Removed int
}

// StoryPlan is how the stories of a change would be worked on.
type StoryPlan struct {
	// Backend works on them, with Model where one is named; Backends can be asked for instead.
	Backend, Model string
	Backends       []string
	// Stage is where: headless or panes.
	Stage string
	// Verify are the commands that prove a story, and VerifyFrom says what named them.
	Verify     []string
	VerifyFrom story.VerifyFrom
	// Branch takes the commits, in the git worktree in the folder Worktree.
	Branch, Worktree string
	// Stories and Tasks count those that are open.
	Stories, Tasks int
	Limits         story.Limits
	// Warnings are what else to know before it begins.
	Warnings []string
}

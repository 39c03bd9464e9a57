package stories

import (
	"time"

	"cupola/core/run/story"
	"cupola/tui/screen"
)

type (
	// ListQuestion asks for the changes and the runs over their stories; a List answers it.
	ListQuestion struct{}
	// ChangeQuestion asks for a change; a story.Change answers it.
	ChangeQuestion struct{ Dir, Name string }
	// RunQuestion asks for all that happened in a run; a RunText answers it.
	RunQuestion struct{ ID string }
	// ChangedQuestion asks for what a run changed; a Changed answers it.
	ChangedQuestion struct{ ID string }
)

// List are the changes that have stories, and the runs over them.
type List struct {
	Changes []Change
	// Runs are those on record, the newest first.
	Runs []story.Run
}

// Change is what a list says of a change.
type Change struct {
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

// RunText is a run with all that happened in it.
type RunText struct {
	Run story.Run
	// Events must not be changed.
	Events []story.Event
	// Saying is what the agents do now; the name of each is the id of its story.
	Saying []screen.Saying
}

// Changed is what a run changed.
type Changed struct {
	Files []ChangedFile
	// Diff is in git's form.
	Diff string
}

// ChangedFile is a file that differs from what it was before a run.
type ChangedFile struct {
	Path string
	// Added and Removed count lines; both are -1 for a file that has none.
	Added, Removed int
}

var (
	readList    = &screen.Slot[List]{}
	readChange  = &screen.Slot[story.Change]{}
	readRun     = &screen.Slot[RunText]{}
	readChanged = &screen.Slot[Changed]{}
)

// lists is what is to be read also while the screen is closed: the changes and runs, once they are others.
var lists = []screen.Want{{Slot: readList, Question: ListQuestion{}, Follow: true}}

// Running counts the runs that have not ended.
func Running(w *screen.World) int {
	n := 0
	for i := range readList.In(w).Value.Runs {
		if !readList.In(w).Value.Runs[i].State.Ended() {
			n++
		}
	}
	return n
}

package intent

// What can be asked for on the screen of the stories.
type (
	// NextTab shows the text that is By tabs further right.
	NextTab struct{ By int }
	// ShowTab shows the text of a tab.
	ShowTab struct{ N int }
	// ShowLog shows what happened in a run.
	ShowLog struct{}
	// ShowChanged shows which files a run changed, and how.
	ShowChanged struct{}
	// Pick selects the row of a list, by its key.
	Pick struct{ Key string }
	// PickStory shows the story with an ID of a run.
	PickStory struct{ ID string }
)

// Asking for a form, about runs of stories.
type (
	// AskRun asks with which backend to work on the stories of a change.
	AskRun struct{ Dir, Name string }
	// AskStopRun asks whether to stop a run; What says what it is.
	AskStopRun struct{ ID, What string }
	// AskFinish asks whether to keep the commits of a run that ended, or to make one of them if Squash; What says what
	// they are.
	AskFinish struct {
		ID, What string
		Squash   bool
	}
)

// Acts and questions about changes and runs of stories; the root passes these to effect.
type (
	// PlanRun asks how the stories of a change would be worked on; an empty Backend is left to the settings. With
	// Confirm the run is to start if the user says yes to the answer.
	PlanRun struct {
		Dir, Name, Backend string
		Confirm            bool
	}
	// PauseRun pauses a run, or lets it go on. One that ended goes on in the background. The ID is empty where none
	// works on the change that is selected.
	PauseRun struct{ ID string }
)

func (NextTab) isIntent()     {}
func (ShowTab) isIntent()     {}
func (ShowLog) isIntent()     {}
func (ShowChanged) isIntent() {}
func (Pick) isIntent()        {}
func (PickStory) isIntent()   {}
func (AskRun) isIntent()      {}
func (AskStopRun) isIntent()  {}
func (AskFinish) isIntent()   {}
func (PlanRun) isIntent()     {}
func (PauseRun) isIntent()    {}

// Storying is active in the list of changes and runs over their stories.
var Storying = NewScope("Stories", []string{"n", "enter", "tab", "/", "y", "esc", "?"},
	[]Binding{
		Bind(Peek{}, "whole", "show all of it, or the list again", "enter", " "),
		Bind(AskRun{}, "run", "work on the stories of the change", "n"),
		Bind(NextTab{By: 1}, "next tab", "next tab", "tab"),
		Bind(NextTab{By: -1}, "", "previous tab", "shift+tab"),
		Bind(Shift{By: -1}, "story", "previous story that was begun, or tab", "left", "h"),
		Bind(Shift{By: 1}, "", "next story that was begun, or tab", "right", "l"),
		Bind(PauseRun{}, "pause", "pause the run, or let it go on", "p"),
		Bind(AskStopRun{}, "stop", "stop the run, after a question", "x"),
		Bind(ShowLog{}, "log", "what happened in the run", "L"),
		Bind(ShowChanged{}, "diff", "which files changed, and how", "d"),
		Bind(AskFinish{}, "keep", "keep the commits, after a question", "K"),
		Bind(AskFinish{Squash: true}, "squash", "make one commit of them, after a question", "S"),
		Bind(GoTo{}, "pane", "go to the pane of the shown story", "o"),
		Bind(Copy{}, "copy", "copy the text, or the command to merge", "y"),
		Bind(AskFilter{}, "filter", "show only what matches", "/"),
		Bind(Back{}, "", "back", "t"),
	}, Browse, General).Opening(OpensAll)

// RunWorks and RunEnded are Storying while the selected run works, and once it has ended: the footer shows other keys.
var (
	RunWorks = Storying.footed([]string{"p", "x", "enter", "tab", "left", "o", "d", "L", "y", "esc", "?"}, nil)
	RunEnded = Storying.footed([]string{"d", "p", "K", "S", "enter", "tab", "left", "L", "y", "esc", "?"},
		map[string]string{"p": "go on"})
)

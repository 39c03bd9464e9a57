package intent

// What can be asked for on the screen of the runs.
type (
	// NextKind shows the runs of the kind that is By further on; before the first and after the last all.
	NextKind struct{ By int }
	// NextProject shows the runs of the next project; after the last all.
	NextProject struct{}
	// Pick selects the row of a list, by its key.
	Pick struct{ Key string }
	// PauseRun pauses the selected run, or resumes it.
	PauseRun struct{}
)

// What can be asked for about a crew.
type (
	// NextFeed shows another part of what was said: all of it, messages alone, notes alone.
	NextFeed struct{}
	// NextTalker shows what the next agent, or the next pair of them, said; after the last all.
	NextTalker struct{}
	// ToggleMatrix shows who wrote to whom, or no longer.
	ToggleMatrix struct{}
	// AskSay asks for a message to the crew with an ID. Agents are the agents that it can be addressed to.
	AskSay struct {
		ID     string
		Agents []string
	}
)

// What can be asked for about a run over stories, or a change that has some.
type (
	// NextTab shows the text that is By tabs further right.
	NextTab struct{ By int }
	// ShowTab shows the text of the tab with a name; the first one's if there is none.
	ShowTab struct{ Name string }
	// PickStory shows the story with an ID of a run.
	PickStory struct{ ID string }
	// AskFinish asks whether to keep the commits of a run that ended, or to make one of them if Squash; What says what
	// they are.
	AskFinish struct {
		ID, What string
		Squash   bool
	}
)

// Asking for a form, about runs.
type (
	// AskStart asks for what a new run of a kind needs; without a Kind it asks for that first.
	AskStart struct{ Kind string }
	// AskRelay asks for a prompt for a backend.
	AskRelay struct{}
	// AskCrew asks which crew is to begin.
	AskCrew struct{}
	// AskStories asks with which backend to work on the stories of a change.
	AskStories struct{ Dir, Name string }
	// AskCancel asks whether to cancel a run; What says what it is.
	AskCancel struct{ ID, What string }
	// AskDelete asks whether to remove what is on record of a run; What says what it is.
	AskDelete struct{ ID, What string }
)

// Questions before a run starts; the root passes these to effect.
type (
	// Backends asks what a relay can ask.
	Backends struct{}
	// PlanRun asks how the stories of a change would be worked on; an empty Backend is left to the settings. With
	// Confirm the run is to start if the user says yes to the answer.
	PlanRun struct {
		Dir, Name, Backend string
		Confirm            bool
	}
)

func (NextKind) isIntent()     {}
func (NextProject) isIntent()  {}
func (Pick) isIntent()         {}
func (PauseRun) isIntent()     {}
func (NextFeed) isIntent()     {}
func (NextTalker) isIntent()   {}
func (ToggleMatrix) isIntent() {}
func (AskSay) isIntent()       {}
func (NextTab) isIntent()      {}
func (ShowTab) isIntent()      {}
func (PickStory) isIntent()    {}
func (AskFinish) isIntent()    {}
func (AskStart) isIntent()     {}
func (AskRelay) isIntent()     {}
func (AskCrew) isIntent()      {}
func (AskStories) isIntent()   {}
func (AskCancel) isIntent()    {}
func (AskDelete) isIntent()    {}
func (Backends) isIntent()     {}
func (PlanRun) isIntent()      {}

// Runs is active in the list of runs, and in the detail of one.
var Runs = NewScope("Runs", []string{"n", "enter", "]", "P", "/", "esc", "?"}, []Binding{
	Bind(Peek{}, "whole", "show all of it, or the list again", "enter", " "),
	Bind(AskStart{}, "new", "start a run: relay, crew, stories, pipeline", "n"),
	Bind(PauseRun{}, "pause", "pause or resume it", "p"),
	Bind(AskCancel{}, "cancel", "cancel it, after a question", "x"),
	Bind(AskDelete{}, "delete", "remove its record, after a question", "D"),
	Bind(GoTo{}, "open", "its pane; a session with a relay's prompt", "o"),
	Bind(Copy{}, "copy", "copy what it came to", "y"),
	Bind(NextKind{By: 1}, "kind", "only runs of the next kind", "]"),
	Bind(NextKind{By: -1}, "", "only runs of the kind before", "["),
	Bind(NextProject{}, "project", "only runs of the next project", "P"),
	Bind(AskFilter{}, "filter", "show only what contains a text", "/"),
	Bind(AskSay{}, "say", "crew: say something to its agents", "s"),
	Bind(NextFeed{}, "feed", "crew: messages and notes, or one of them", "f"),
	Bind(NextTalker{}, "agent", "crew: only the next agent, then pairs", "a"),
	Bind(ToggleMatrix{}, "matrix", "crew: who wrote to whom", "m"),
	Bind(NextTab{By: 1}, "tab", "stories: next tab", "tab"),
	Bind(NextTab{By: -1}, "", "stories: previous tab", "shift+tab"),
	Bind(Shift{By: -1}, "story", "stories: previous story that was started", "left", "h"),
	Bind(Shift{By: 1}, "", "stories: next story that was started", "right", "l"),
	Bind(ShowTab{Name: "Changes"}, "diff", "stories: which files changed, and how", "d"),
	Bind(ShowTab{Name: "Log"}, "log", "stories: what happened", "L"),
	Bind(AskMergeTree{}, "merge", "stories: merge its branch, after a question", "M"),
	Bind(AskFinish{}, "keep", "stories: keep the commits as they are", "K"),
	Bind(AskFinish{Squash: true}, "squash", "stories: make one commit of them", "S"),
}, Browse, General).Opening(OpensAll)

// Todo is active in the list of changes with stories.
var Todo = NewScope("To do", []string{"n", "enter", "tab", "o", "/", "y", "esc", "?"}, []Binding{
	Bind(Peek{}, "whole", "show all of it, or the list again", "enter", " "),
	Bind(AskStories{}, "run", "work on the stories of the change", "n"),
	Bind(GoTo{}, "open", "the run that works on it", "o"),
	Bind(NextTab{By: 1}, "tab", "next tab", "tab", "right", "l"),
	Bind(NextTab{By: -1}, "", "previous tab", "shift+tab", "left", "h"),
	Bind(Copy{}, "copy", "copy the text", "y"),
	Bind(AskFilter{}, "filter", "show only what contains a text", "/"),
}, Browse, General).Opening(OpensAll)

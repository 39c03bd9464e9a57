package intent

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
)

// Intent is a request of the user. The types of this file are all there are.
type Intent interface{ isIntent() }

// Among reports whether an intent has the type of one of some others, whatever their fields.
func Among(wanted Intent, others ...Intent) bool {
	return slices.ContainsFunc(others, func(other Intent) bool {
		return reflect.TypeOf(other) == reflect.TypeOf(wanted)
	})
}

// When reports whether an intent has something to do: it is none of some others, or the condition holds that they need.
func When(wanted Intent, holds bool, others ...Intent) bool {
	return holds || !Among(wanted, others...)
}

// Moving.
type (
	// Move selects the row, tile or line that is By further down.
	Move struct{ By int }
	// Shift selects the tile that is By further right, or folds and unfolds.
	Shift struct{ By int }
	// Turn moves by By pages.
	Turn struct{ By int }
	// Option selects the option of a dialog that has the number N.
	Option struct{ N int }
	// Jump selects the first row, or the last one.
	Jump struct{ Last bool }
	// NextSession selects the session that is By further down.
	NextSession struct{ By int }
	// NextNeedsYou selects the next agent that needs the user.
	NextNeedsYou struct{}
	// Scroll moves what is under a cell by By steps of the wheel.
	Scroll struct{ By, X, Y int }
)

// Changing what is shown.
type (
	// ToggleGrid shows the live tiles, or the tree again. All shows those of
	// every session.
	ToggleGrid struct{ All bool }
	// Show limits what is shown to rows that contain Filter; empty shows everything.
	Show struct{ Filter string }
	// Peek gives the selected pane the whole display, or ends that.
	Peek struct{}
	// Back closes what was opened last.
	Back struct{}
	// Mark marks the selected agent, or removes its mark: with Range all from the last marked one up to it, with All
	// all that are displayed.
	Mark struct{ Range, All bool }
	// Looked says that the user has looked at an agent that is done.
	Looked struct{ Pane core.SeenPane }
	// Acknowledge takes the selected agent off the list of those that need the user, until something new happens.
	Acknowledge struct{}
	// Undo takes an act back, by its id on record; without one the last act. Did and Back are as in the record, Asks
	// is true where a question comes before.
	Undo struct {
		ID, Did, Back string
		Asks          bool
	}
	// Help explains the keys.
	Help struct{}
	// OnHost runs a command with the selected host in place of HOST, or asks for the rest of one that ends with a
	// slash.
	OnHost struct{ Line string }
	// ResetSetting removes the user's value of the selected setting.
	ResetSetting struct{}
	// NextGroup divides what is counted by something else.
	NextGroup struct{}
	// Find selects the last line that contains Text.
	Find struct{ Text string }
	// FindNext selects the By-th match from the one that is selected.
	FindNext struct{ By int }
	// ToggleWrap wraps long lines, or lets them run beyond the edge.
	ToggleWrap struct{}
	// GoTo closes a list and selects the subject of its selected row: a pane, or a session.
	GoTo struct {
		Pane    core.PaneID
		Session string
	}
	// Refuse says why what was asked for cannot be done here.
	Refuse struct{ Why string }
	// Redraw redraws everything.
	Redraw struct{}
	// Suspend stops the program as the shell's job control does.
	Suspend struct{}
	// Search searches what all agents said. What is empty limits nothing; Kinds are separated by blanks.
	Search struct{ Text, Since, Kinds, Project string }
	// Resume continues the conversation that is selected.
	Resume struct{}
	// Quit ends the dashboard.
	Quit struct{}
)

// Asking for a form, about what is selected.
type (
	// AskFilter asks what to show. Filter is the text to begin with, What says what it is about.
	AskFilter struct{ Filter, What string }
	// AskFind asks what to look for in the text on the display.
	AskFind struct{ Text string }
	// AskSearch asks what to search for in what all agents said; Text begins it.
	AskSearch struct{ Text string }
	// AskArrange asks how to group and sort the list.
	AskArrange struct{}
	// AskSetting asks for the value of a setting. Values are the allowed values, separated by commas.
	AskSetting struct{ Key, Type, Value, Usual, Doc, Values string }
	// AskTheme asks for another theme.
	AskTheme struct{}
	// OpenPalette asks what to do or where to go, among all that there is.
	OpenPalette struct{}
	// AskCommand asks for a command of this program; Line is the start of it, without the program's name.
	AskCommand struct{ Line string }
	// AskSend asks for a prompt, for all agents of the session if All, for those of all sessions if Everyone.
	AskSend struct{ All, Everyone bool }
	// AskLabel asks for the label of the selected agent, or of all marked ones.
	AskLabel struct{}
	// TurnAtLimit has the selected agent, or all of the session, continue by itself after limits, or wait for the user.
	TurnAtLimit struct{}
	// Pin has the selected agent, all of the session or all marked ones listed first, or no longer.
	Pin struct{}
	// AskQueue asks for a prompt to queue for an agent or, with an id, for another text of a queued one.
	AskQueue struct {
		Target   Target
		ID, Text string
	}
	// AskRule asks for a rule that approves a command of an agent, or of all of a session, by itself. Runs is the
	// command that it asks to run now; empty if that is not known.
	AskRule struct {
		Target Target
		Runs   string
	}
	// AskSnooze asks until when they are snoozed.
	AskSnooze struct{}
	// AskCheckpoint asks under what name to record the session.
	AskCheckpoint struct{}
	// ListCheckpoints asks for the recorded sessions.
	ListCheckpoints struct{}
	// AskSpawn asks what a new session should hold; the fields are the first contents of the form.
	// Resume is the conversation that its one agent continues, by the agent's own id; empty for none.
	AskSpawn struct{ Agents, Dir, Prompt, Resume string }
	// AskAdd asks what to add to the session.
	AskAdd struct{}
	// AskKill asks whether to end the pane or session.
	AskKill struct{}
	// AskRename asks for the session's new name.
	AskRename struct{}
	// Fork starts one more agent whose conversation begins where the selected one's is.
	Fork struct{}
	// AskRestart asks how to restart the agent, or all agents of the session.
	AskRestart struct{}
	// AskAnswer asks how to answer what the agent waits for.
	AskAnswer struct{}
	// AskText asks for an answer in words.
	AskText struct{}
	// AskAgain asks for a prompt that was sent before, or is saved: first for its fields, if it has some that are not
	// Filled.
	AskAgain struct {
		Target Target
		Text   string
		Filled bool
	}
)

// Within forms.
type (
	// Submit accepts a form.
	Submit struct{}
	// NextField goes By fields further.
	NextField struct{ By int }
	// Recollect puts an earlier text into a field, By further back.
	Recollect struct{ By int }
	// Type edits the text of a field by one key or paste.
	Type struct{ Key tea.KeyMsg }
)

// Acts; the root passes these to effect.
type (
	// Attach opens a pane or session in this terminal.
	Attach struct{ Target Target }
	// Replay plays in this terminal what a pane showed; Pane is its address, empty for the selected one, Session when
	// its session began.
	Replay struct {
		Pane    string
		Session time.Time
	}
	// Demo gives this terminal to a demo until that is left.
	Demo struct{}
	// Act calls a verb.
	Act struct {
		// Input is the verb's typed input, a value.
		Input any
		// At are the sessions or panes that it is at; none where the input says what it is about.
		At []Target
		// What names its subject in words; empty if At is enough.
		What string
	}
	// Each is several acts at once.
	Each struct{ Acts []Act }
	// Interrupt stops the turn of the selected agent, or of all of the selected session's.
	Interrupt struct{}
	// Read asks for the data of the display. The type of the question, which is comparable, decides who answers it,
	// and N distinguishes one time from another. With Known nothing has happened since the last answer, and the next
	// one may wait for news. Snapshot is the one on the display; nil before the first.
	Read struct {
		Question any
		N        int
		Known    bool
		Snapshot *core.Snapshot
	}
	// Question reads what an agent waits for, and what there is to choose.
	Question struct{ Target Target }
	// Answer answers the dialog that is shown: with an option's number N, or by approving or denying.
	Answer struct {
		Approve, Deny bool
		N             int
	}
	// Dismiss closes the selected alert.
	Dismiss struct{}
	// Copy puts what is shown on the clipboard.
	Copy struct{}
	// RunCommand runs a command of this program and shows what it prints in Width x Height cells; Line is the command
	// without the program's name.
	RunCommand struct {
		Line          string
		Width, Height int
	}
	// Own asks to run one of the user's own commands on the selection, by its name.
	Own struct{ Name string }
	// RunOwn runs the program of an own command, and Stop ends it. Title names it; ID distinguishes it from others.
	// More asks for the output since.
	RunOwn struct {
		ID           int
		Title, Dir   string
		Argv, Fields []string
		More, Stop   bool
	}
	// Arrange groups and sorts the list, and chooses its columns, separated by commas; with Save it is so at the next
	// start, too. Empty words arrange it as before.
	Arrange struct {
		Group, Sort, Columns string
		Save                 bool
	}
	// Resize gives lists more of the width, in percent, or less; 0 hides what is beside them, or shows it again.
	Resize struct{ By int }
	// UseTheme shows a theme, and with Save keeps it; without a name it shows the one that was there before.
	UseTheme struct {
		Name string
		Save bool
	}
	// TypeInto lets every key go to the selected pane.
	TypeInto struct{}
	// Press presses keys in a pane, by the names that terminals' servers have, with blanks between them.
	Press struct {
		Target Target
		Keys   string
	}
	// Chosen is an entry of the palette.
	Chosen struct{ Means Intent }
	// Choose selects a pane or session.
	Choose struct{ Target Target }
)

// CopyText puts a text on the clipboard.
type CopyText struct{ Text string }

// CopyReply puts the last reply of an agent on the clipboard or, of that, the last block of code alone. At is filled in
// by the root.
type CopyReply struct {
	At   Target
	Code bool
}

// Target is a session, or one of its panes.
type Target struct {
	Session string
	Pane    core.PaneID
	// Address is SESSION.N for a pane, the session's name otherwise.
	Address string
	// Identity is the word to which this very session or pane answers, and no later one that takes its name or its
	// id; empty if only the name counts.
	Identity string
}

func (AskSearch) isIntent()    {}
func (Search) isIntent()       {}
func (Resume) isIntent()       {}
func (Move) isIntent()         {}
func (Read) isIntent()         {}
func (Shift) isIntent()        {}
func (AskQueue) isIntent()     {}
func (AskRule) isIntent()      {}
func (Turn) isIntent()         {}
func (Option) isIntent()       {}
func (Jump) isIntent()         {}
func (NextSession) isIntent()  {}
func (NextNeedsYou) isIntent() {}
func (Scroll) isIntent()       {}
func (ToggleGrid) isIntent()   {}
func (Show) isIntent()         {}
func (Peek) isIntent()         {}
func (Back) isIntent()         {}
func (Help) isIntent()         {}
func (Redraw) isIntent()       {}
func (Suspend) isIntent()      {}
func (Quit) isIntent()         {}
func (AskFilter) isIntent()    {}
func (AskSend) isIntent()      {}
func (AskSpawn) isIntent()     {}
func (AskAdd) isIntent()       {}
func (AskKill) isIntent()      {}
func (AskRename) isIntent()    {}
func (Submit) isIntent()       {}
func (NextField) isIntent()    {}
func (Type) isIntent()         {}
func (Recollect) isIntent()    {}
func (Fork) isIntent()         {}
func (AskRestart) isIntent()   {}
func (Acknowledge) isIntent()  {}
func (Looked) isIntent()       {}
func (Undo) isIntent()         {}
func (OpenPalette) isIntent()  {}
func (AskCommand) isIntent()   {}
func (RunCommand) isIntent()   {}
func (Own) isIntent()          {}
func (RunOwn) isIntent()       {}
func (Choose) isIntent()       {}
func (AskTheme) isIntent()     {}
func (UseTheme) isIntent()     {}
func (TypeInto) isIntent()     {}
func (Press) isIntent()        {}
func (Act) isIntent()          {}
func (Each) isIntent()         {}
func (Mark) isIntent()         {}
func (Chosen) isIntent()       {}
func (Attach) isIntent()       {}
func (Replay) isIntent()       {}
func (Demo) isIntent()         {}
func (Interrupt) isIntent()    {}
func (Copy) isIntent()         {}
func (Refuse) isIntent()       {}
func (AskFind) isIntent()      {}
func (Find) isIntent()         {}
func (FindNext) isIntent()     {}
func (ToggleWrap) isIntent()   {}
func (GoTo) isIntent()         {}
func (Dismiss) isIntent()      {}
func (AskAnswer) isIntent()    {}
func (AskText) isIntent()      {}
func (Question) isIntent()     {}
func (Answer) isIntent()       {}
func (AskAgain) isIntent()     {}
func (CopyText) isIntent()     {}
func (CopyReply) isIntent()    {}

func (NextGroup) isIntent() {}

func (OnHost) isIntent()       {}
func (ResetSetting) isIntent() {}
func (AskSetting) isIntent()   {}

func (AskArrange) isIntent() {}
func (Resize) isIntent()     {}
func (Arrange) isIntent()    {}

func (AskCheckpoint) isIntent()   {}
func (ListCheckpoints) isIntent() {}

func (AskLabel) isIntent() {}

func (TurnAtLimit) isIntent() {}

func (Pin) isIntent()       {}
func (AskSnooze) isIntent() {}

// About names the target of an act.
func (a Act) About() string {
	if a.What != "" || len(a.At) == 0 {
		return a.What
	}
	if len(a.At) == 1 {
		return a.At[0].Address
	}
	return strconv.Itoa(len(a.At)) + " agents"
}

// ActsOf are the acts of an intent; none of one that is no act.
func ActsOf(wanted Intent) []Act {
	switch w := wanted.(type) {
	case Act:
		return []Act{w}
	case Each:
		return w.Acts
	}
	return nil
}

// Host is the name of the host that a session or a pane is on; empty for this machine.
func (t Target) Host() string {
	return core.ParseAddress(cmp.Or(string(t.Pane), t.Session)).Host
}

package engine

import (
	"time"

	"cupola/core"
)

// Listing lists the sessions and panes of a server at one moment.
type Listing struct {
	// Taken is when the listing was requested.
	Taken time.Time
	// Sessions are in the order of their names.
	Sessions []Session
	// Panes contains each pane once, even if its window is linked into several sessions, in
	// the order of session name, window and pane index.
	Panes []Pane
}

// Session is a session as the server reports it.
type Session struct {
	ID   core.SessionID
	Name string
	// Engine is the name of the engine that has it: Tmux or Own.
	Engine   string
	Created  time.Time
	Attached int
	Dir      string
	// Tags are the session's values for SessionTags; missing ones are absent.
	Tags map[string]string
}

// Pane is a pane as the server reports it. Fields that Detail excludes are zero.
type Pane struct {
	ID      core.PaneID
	Session core.SessionID
	Window  core.Window
	// Layout is the arrangement of the window's panes in the engine's own form; empty for a window with one.
	Layout  string
	Title   string
	TTY     string
	View    core.Viewport
	Process core.Process
	// Activity is when something was last printed in the pane's window, in whole
	// seconds.
	Activity time.Time
	// Alone is true if the pane is the only one in its window, so that Activity is its own.
	Alone bool
	// Tags are the pane's values for PaneTags; missing ones are absent.
	Tags  map[string]string
	Heard Heard
}

// The tags that Cupola sets on the server. A listing reads all of them. An engine maps them
// to the names of its server's user options.
const (
	TagKind     = "kind"     // pane: agent kind id
	TagRole     = "role"     // pane: "agent" or "user"
	TagName     = "name"     // pane: agent name, cc_1
	TagOrdinal  = "ordinal"  // pane: N of SESSION.N
	TagLaunch   = "launch"   // pane: the command line that was started
	TagStarted  = "started"  // pane: start of the agent, Unix milliseconds
	TagVariant  = "variant"  // pane: the model asked for
	TagProfile  = "profile"  // pane: the profile that it was started with
	TagSandbox  = "sandbox"  // pane: the sandbox that holds it
	TagSession  = "session"  // pane: the id of the agent's own session that it was started with
	TagHook     = "hook"     // pane: last hook edge
	TagState    = "state"    // pane: last state edge
	TagLabel    = "label"    // pane: the user's word for the agent
	TagContinue = "continue" // pane: that the agent is continued after limits, and how often that was tried
	TagRules    = "rules"    // pane: the rules that approve commands of the agent
	TagQueued   = "queued"   // pane: how many prompts wait for the agent
	TagPinned   = "pinned"   // pane: not empty if it is first in lists
	TagSnoozed  = "snoozed"  // pane: until when it is snoozed, Unix milliseconds
	TagAsked    = "asked"    // pane: when it took up its last prompt, Unix milliseconds
	TagHome     = "home"     // pane: variables of the agent's process that say where its files are
	TagLooked   = "looked"   // pane: when its finished turn was last looked at, Unix milliseconds
	TagMissed   = "missed"   // pane: when it did not take up a prompt, Unix milliseconds
	TagOrigin   = "origin"   // session: "spawn" for sessions that Cupola made
	TagNext     = "next"     // session: the next unused ordinal
	TagRevision = "revision" // session: revision at which it was last changed
	TagNoRecord = "norecord" // session: not empty if nothing is recorded to start it again
)

// PaneTags and SessionTags are the tags that a listing reads.
var (
	PaneTags = []string{
		TagKind, TagRole, TagName, TagOrdinal, TagLaunch, TagStarted, TagVariant, TagSession, TagProfile, TagSandbox,
		TagHook, TagState, TagAsked, TagHome, TagMissed, TagLabel, TagLooked, TagContinue, TagRules,
		TagQueued, TagPinned, TagSnoozed,
	}
	SessionTags = []string{TagOrigin, TagNext, TagRevision, TagNoRecord}
)

// Tag is one value to set on a pane or, if Pane is empty, on a session. An
// empty Value removes it.
type Tag struct {
	Pane    core.PaneID
	Session core.SessionID
	Name    string
	Value   string
}

// Ask is a request for one screen.
type Ask struct {
	Pane core.PaneID
	// Escapes keeps colours and attributes as SGR sequences.
	Escapes bool
	// History is how many lines above the visible screen to capture. It is ignored on the
	// alternate screen, whose history belongs to the shell.
	History int
	// Join unwraps lines that the terminal wrapped.
	Join bool
	// Brief allows the engine to omit the title, and of View all but Height, Cursor and
	// AlternateOn. Of many plain screens those cost the server more than their text.
	Brief bool
	// Session is a session that contains the pane; empty if unknown. If all brief asks have
	// it, the server need not list the panes of other sessions.
	Session core.SessionID
}

// Launch is a request to create and start a pane. Session names a new session where
// Into is empty.
type Launch struct {
	// Engine is the name of the engine that a new session is made in, where there are several; empty for the first.
	Engine string
	// Session is the name of the new session.
	Session string
	// Into adds to an existing session: a window, or a pane of window Split.
	Into  core.SessionID
	Split core.WindowID
	// Tile lays out the panes of window Split evenly afterwards, so that there is room for
	// more.
	Tile bool
	// Layout arranges the panes of window Split as Pane.Layout has it, in place of Tile. It counts as many panes.
	Layout string
	// Window is the new window's name; if empty, the server chooses it.
	Window string
	// Dir is the working directory; it must exist.
	Dir string
	// Argv is the program and its arguments, run without a shell. Empty starts
	// the user's shell.
	Argv []string
	// Environ is the environment that the program inherits, as NAME=VALUE: what Portable leaves of it, and nothing of
	// the server's. Nil is the environment of the engine's options or, over another machine, of the server there. No
	// other user can read it while it is passed on.
	Environ []string `json:"-"` // requests to Cupola's own server carry it beside the launch
	// Env is added to the environment, as NAME=VALUE.
	Env []string
	// Width and Height are the size of a new session, in cells; 0 is 200x50.
	Width, Height int
	// Record is the path of a file to which what the pane shows is recorded, as asciicast 2; empty for none. Engines
	// that do not see all that a program writes return ErrNoEngine.
	Record string
	// Tags are set before the program's first output can be seen. Session tags
	// are set for new sessions only.
	Tags        map[string]string
	SessionTags map[string]string
}

// Location is where a launch was created.
type Location struct {
	Session core.SessionID
	Window  core.WindowID
	Pane    core.PaneID
	// PID is the program's process id.
	PID int
}

// Tags returns the tags of the listing's panes.
func (l *Listing) Tags() map[core.PaneID]map[string]string {
	tags := make(map[core.PaneID]map[string]string, len(l.Panes))
	for i := range l.Panes {
		tags[l.Panes[i].ID] = l.Panes[i].Tags
	}
	return tags
}

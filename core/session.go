package core

import "time"

// The names of the terminal servers: OwnEngine is Cupola's own.
const (
	OwnEngine  = "own"
	TmuxEngine = "tmux"
)

// Session is a named group of panes, usually one project.
type Session struct {
	ID SessionID `json:"id"`
	// Name is unique: the full address where two engines have a session of one name.
	Name string `json:"name" names:"session"`
	// Engine is the terminal server that has it: "tmux", or OwnEngine.
	Engine  string    `json:"engine"`
	Created time.Time `json:"created_at"`
	// Attached counts the terminals that show the session now.
	Attached int `json:"attached"`
	// Dir is the working directory of new panes.
	Dir string `json:"dir"`
	// Foreign is true for a session that Cupola did not make.
	Foreign bool `json:"foreign"`
	// NoRecord is true if nothing is recorded to start the session again.
	NoRecord bool `json:"no_record,omitempty"`
	// Panes are in the order of their ordinals.
	Panes []Pane `json:"panes"`
}

// Agents returns the panes that hold an agent, in order.
func (s *Session) Agents() []*Pane { return s.where((*Pane).IsAgent) }

// Programs returns the panes that hold an agent or a command, in order: all that have a name of their own.
func (s *Session) Programs() []*Pane { return s.where(func(p *Pane) bool { return !p.IsUser() }) }

// All returns all panes, in order.
func (s *Session) All() []*Pane { return s.where(func(*Pane) bool { return true }) }

func (s *Session) where(holds func(*Pane) bool) []*Pane {
	var panes []*Pane
	for i := range s.Panes {
		if holds(&s.Panes[i]) {
			panes = append(panes, &s.Panes[i])
		}
	}
	return panes
}

// Pane is one terminal in a session.
type Pane struct {
	ID      PaneID `json:"id"`
	Session string `json:"session" names:"session"`
	// Ordinal is the N of SESSION.N. It is stable for panes that Cupola made or
	// adopted, and counts the others in the order of their ids.
	Ordinal int      `json:"ordinal"`
	Window  Window   `json:"window"`
	Agent   Agent    `json:"agent"`
	Process Process  `json:"process"`
	Status  Status   `json:"status"`
	Title   string   `json:"title"`
	View    Viewport `json:"view"`
	// Managed is true for panes that Cupola made or adopted.
	Managed bool `json:"managed"`
	// Heard is its program's last report beside its screen.
	Heard Heard `json:"heard,omitzero"`
}

// Heard is a program's last report beside its screen, where the terminal server gets it: Cupola's own does, tmux does
// not. The zero value is nothing.
type Heard struct {
	// Notification is its last notification of the user (OSC 9, 99 and 777).
	Notification string    `json:"notification,omitempty"`
	NotifiedAt   time.Time `json:"notified_at,omitzero"`
	// Progress is how far its work is (OSC 9;4): a percentage, "busy", "failed" or "paused"; empty for none.
	Progress string    `json:"progress,omitempty"`
	BellAt   time.Time `json:"bell_at,omitzero"`
}

// IsAgent reports whether the pane holds an agent: neither a shell of the user, nor a command that they started, nor
// an overview of agents.
func (p *Pane) IsAgent() bool { return p.Agent.Kind.IsAgent() && p.Agent.Role != RoleOverview }

// IsCommand reports whether the pane was started with a command of the user's own. It is shown and driven where it is
// named, and never counted or addressed as an agent.
func (p *Pane) IsCommand() bool { return p.Agent.Kind == KindCommand }

// IsUser reports whether the pane is the user's: it holds neither an agent nor a command.
func (p *Pane) IsUser() bool { return p.Agent.Kind == "" }

// Address returns SESSION.N.
func (p *Pane) Address() string { return AddressOf(p.Session, p.Ordinal).String() }

// Window is the window of a pane, and the pane's index in it.
type Window struct {
	ID    WindowID `json:"id"`
	Index int      `json:"index"`
	Name  string   `json:"name"`
	// PaneIndex is the engine's index of the pane in the window. It changes when other
	// panes close.
	PaneIndex int `json:"pane_index"`
}

// Agent is the program that a pane holds. The zero value is no agent.
type Agent struct {
	// Name is unique in its session: the kind's short name and a number, "cc_1".
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Variant is the model where it is known.
	Variant string `json:"variant,omitempty"`
	// Mode is the mode that its command line asks for; empty for the usual one of its kind.
	Mode Mode `json:"mode,omitempty"`
	// Profile is the profile that it was started with; empty for none.
	Profile string `json:"profile,omitempty"`
	// Sandbox is the sandbox that holds it; empty for none.
	Sandbox string `json:"sandbox,omitempty"`
	// Label is the user's own word for it; empty for none.
	Label string `json:"label,omitempty"`
	// Continues is the state of its continuation after limits.
	Continues Continuation `json:"continues,omitzero"`
	// Rules approve certain commands of it without its user, the oldest first.
	Rules []Rule `json:"rules,omitempty"`
	// Queued is how many prompts wait until it is idle.
	Queued int `json:"queued,omitempty"`
	// Pinned is true if it is first in the lists of the dashboard.
	Pinned bool `json:"pinned,omitempty"`
	// Snoozed is until when it neither needs its user nor notifies them; zero if it is not snoozed, or no longer.
	Snoozed time.Time `json:"snoozed_until,omitzero"`
	// Launch is the command line that Cupola started; empty for adopted agents.
	Launch string `json:"launch,omitempty"`
	// Started is when Cupola started it; zero if it did not.
	Started time.Time `json:"started_at,omitzero"`
	// Missed is when it last failed to accept a prompt; zero if it never failed, or has
	// accepted one since.
	Missed time.Time `json:"missed_at,omitzero"`
	// Recognised is the evidence for the kind: "tag", "process" for the program in the foreground, or "signs" if
	// several agree. Signs are the signs that agree, the strongest first, and Confidence is their reliability, from 0
	// to 1.
	Recognised string       `json:"recognised,omitempty"`
	Signs      []SignSource `json:"signs,omitempty"`
	Confidence float64      `json:"confidence,omitempty"`
	// PID is the process that is the agent, where another one is in the foreground; 0 otherwise.
	PID int `json:"pid,omitempty"`
	// Maybe is the kind of agent that a user pane probably holds: too few signs agree. Empty if Kind is known.
	Maybe Kind `json:"maybe,omitempty"`
	// Role is its part among agents that the program itself runs; empty for an agent on its own.
	Role Role `json:"role,omitempty"`
	// Team is the team of a member or lead, and Member the member's name there.
	Team   string `json:"team,omitempty"`
	Member string `json:"member,omitempty"`
}

// Role is the part of a pane among agents that an agent's own program runs.
type Role string

// An overview lists agents and is none: a prompt typed there starts another one. A lead has started members, which
// take orders from it.
const (
	RoleOverview Role = "overview"
	RoleLead     Role = "lead"
	RoleMember   Role = "member"
)

// Words returns the role for people; empty for an agent on its own.
func (r Role) Words(team string) string {
	switch r {
	case RoleOverview:
		return "overview of agents"
	case RoleLead:
		return "leads " + team
	case RoleMember:
		return "member of " + team
	}
	return ""
}

// SignSource is where a sign of an agent comes from.
type SignSource string

// The sources of signs, the strongest first: the program in the foreground, a hook whose agent still runs there, a
// program that the one in the foreground started, the screen, and the terminal's title.
const (
	SignProcess SignSource = "process"
	SignHook    SignSource = "hook"
	SignTree    SignSource = "tree"
	SignScreen  SignSource = "screen"
	SignTitle   SignSource = "title"
)

// Process is the process in a pane.
type Process struct {
	// PID is the process id of the leader of the pane's process session, on the machine of the pane; 0 if unknown.
	PID int `json:"pid"`
	// Command is the name of the foreground program.
	Command string `json:"command" names:"command-line"`
	// AtPrompt is true for a shell in the foreground that runs no command and no script.
	AtPrompt bool   `json:"-"`
	Dir      string `json:"dir"`
	// Dead is true once the program has ended and the pane stays open.
	Dead bool `json:"dead"`
	// ExitStatus is the exit status of a Dead program, -1 if it is unknown; Signal is the signal that ended it
	// instead, or 0.
	ExitStatus int       `json:"exit_status,omitempty"`
	Signal     int       `json:"signal,omitempty"`
	DiedAt     time.Time `json:"died_at,omitzero"`
	// Lost is true if a Dead program was killed together with its terminal server, which another one replaced.
	Lost bool `json:"lost,omitempty"`
}

// Viewport is the visible part of a pane's terminal, in cells.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	// AlternateOn is true for full-screen programs; history is then the shell's.
	AlternateOn bool `json:"alternate_on"`
	// InMode is true while the user scrolls back; keys then drive that mode.
	InMode bool `json:"in_mode"`
	// History counts the lines that have scrolled off the top.
	History int    `json:"history"`
	Cursor  Cursor `json:"cursor"`
	// Active is true for the pane that has the keyboard in its window.
	Active bool `json:"active"`
	// Partial is true while the terminal server does not know all that the program has drawn: it was replaced
	// meanwhile, and the program has not drawn its whole screen since. What is missing is not known to be empty.
	Partial bool `json:"partial,omitempty"`
}

// PartialScreen is the message about a pane whose screen is Partial.
const PartialScreen = "the terminal server was replaced, and the program has not drawn its whole screen since, so " +
	"that it is not known what it shows"

// Cursor is a position on a screen, from 0, 0 at the top left.
type Cursor struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Visible bool `json:"visible"`
}

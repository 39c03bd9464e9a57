package core

// Mode is how much an agent may do without asking.
type Mode string

// The modes, from the most cautious to the least. Not every kind has all of them.
const (
	// ModePlan reads and plans, and changes nothing.
	ModePlan Mode = "plan"
	// ModeAsk asks before each change.
	ModeAsk Mode = "ask"
	// ModeAcceptEdits changes files of the project unasked, and asks before it runs commands.
	ModeAcceptEdits Mode = "accept-edits"
	// ModeAuto asks before nothing.
	ModeAuto Mode = "auto"
)

// Modes returns all modes in order.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeAcceptEdits, ModeAuto} }

// Dangerous reports whether an agent in the mode does whatever it wants.
func (m Mode) Dangerous() bool { return m == ModeAuto }

package intent

// What can be asked for on the screen of the crews.
type (
	// NextFeed shows another part of what was said: all of it, messages alone, notes alone.
	NextFeed struct{}
	// NextTalker shows what the next agent, or the next pair of them, said; after the last all.
	NextTalker struct{}
	// ToggleMatrix shows who wrote to whom, or no longer.
	ToggleMatrix struct{}
)

// Asking for a form, about crews.
type (
	// AskCrew asks which crew is to begin.
	AskCrew struct{}
	// AskSay asks what to say to the crew with an ID. Agents are those that can be addressed.
	AskSay struct {
		ID     string
		Agents []string
	}
	// AskStop asks whether to stop a crew; What says what it is.
	AskStop struct{ ID, What string }
)

// Acts and questions about crews; the root passes these to effect.
type (
	// PauseCrew pauses a crew at the end of its turn, or lets it go on. One that ended goes on in the
	// background.
	PauseCrew struct{ ID string }
)

func (NextFeed) isIntent()     {}
func (NextTalker) isIntent()   {}
func (ToggleMatrix) isIntent() {}
func (AskCrew) isIntent()      {}
func (AskSay) isIntent()       {}
func (AskStop) isIntent()      {}
func (PauseCrew) isIntent()    {}

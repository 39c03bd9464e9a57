package agent

// Background is the question to a kind's program about the sessions that it runs without a terminal. The zero value
// means that it runs none.
type Background struct {
	// List are the arguments that list them as JSON, Attach those that open one in a terminal, whose id replaces
	// SessionID.
	List, Attach []string
}

// AttachArgs returns the arguments that open a session in a terminal; none if the kind has no such sessions.
func (b *Background) AttachArgs(session string) []string { return filled(b.Attach, session) }

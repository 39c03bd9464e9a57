package core

// Addressees are the panes of a session, or of all, as an act on agents sees them that names no pane.
type Addressees struct {
	// Agents take part.
	Agents []*Pane
	// Beside are the other panes, which take part only where they are named.
	Beside []*Pane
}

// AddresseesOf divides panes into those that an act on agents is for where it names none, and the others. All faces
// ask it: nothing else decides who gets a prompt.
func AddresseesOf(panes []*Pane) Addressees {
	var a Addressees
	for _, pane := range panes {
		if pane.WhyBeside() == "" {
			a.Agents = append(a.Agents, pane)
		} else {
			a.Beside = append(a.Beside, pane)
		}
	}
	return a
}

// WhyBeside says why an act on agents leaves the pane out unless it is named; empty for an agent's pane.
func (p *Pane) WhyBeside() string {
	switch {
	case p.Agent.Role == RoleOverview:
		return "an overview of agents"
	case p.Agent.Role == RoleMember:
		return "a member of a team"
	case p.IsAgent():
		return ""
	case p.IsCommand():
		return "a command"
	}
	return "a shell of yours"
}

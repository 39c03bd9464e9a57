package deliver

import (
	"context"
	"slices"

	"cupola/core"
)

// Approval is the permission of MaySpend to type a prompt. A delivery to an agent without one calls MaySpend
// itself, so that no path bypasses the ceilings.
type Approval bool

// MaySpend checks whether a prompt may go to agents of some sessions, which need not exist yet. It returns
// BudgetExceeded, or an error of the store if existing ceilings cannot be read.
func (s *Sender) MaySpend(ctx context.Context, override bool, sessions []string) (Approval, error) {
	if s.opts.Afford == nil || override || len(sessions) == 0 {
		return true, nil
	}
	err := s.opts.Afford(ctx, sessions)
	return err == nil, err
}

// sessionsOfAgents returns the sessions of those panes that hold agents. User panes cost nothing.
func sessionsOfAgents(panes ...*core.Pane) []string {
	var sessions []string
	for _, pane := range panes {
		if name := core.BareName(pane.Session); !pane.IsUser() && !slices.Contains(sessions, name) {
			sessions = append(sessions, name)
		}
	}
	return sessions
}

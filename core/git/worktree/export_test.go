package worktree

// BranchOf fills the fields of a pattern in.
func (s *Start) BranchOf(pattern, session, agent string, environ []string) (string, error) {
	return s.branchOf(pattern, session, agent, environ)
}

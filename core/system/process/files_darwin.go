package process

// Files returns the paths of the files that a process holds open; nil if it is
// gone, or another user's, or the system does not say, as this one does not.
func Files(int) []string { return nil }

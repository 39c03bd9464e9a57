package process

// WritesTerminal reports whether the standard output of a process is a terminal; true, since macOS does not say.
func WritesTerminal(int) bool { return true }

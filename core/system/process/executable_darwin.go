package process

// Executable returns the path of the file that a process runs; empty if it is
// gone, or another user's, or the system does not say, as this one does not.
func Executable(int) string { return "" }

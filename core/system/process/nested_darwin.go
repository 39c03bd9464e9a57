package process

// Nested returns the pid and an empty prefix: the system has no namespaces.
func Nested(pid int) (inner int, root string) { return pid, "" }

// SeesSameFiles returns true: the system has no namespaces.
func SeesSameFiles(int) (same, known bool) { return true, true }

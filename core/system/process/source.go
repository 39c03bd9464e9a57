package process

// Source reads the processes of one machine. A pid means a process of that machine alone. All methods may be called
// concurrently.
type Source interface {
	// Local reports whether it is this machine: only its processes have files here, and are signalled.
	Local() bool
	// Find returns the process with a pid; ErrGone if there is none.
	Find(pid int) (Proc, error)
	// Tree returns a process and its descendants, parents first; empty if the process is gone.
	Tree(pid int) []Proc
	// Argv returns the arguments of a process, its program first; nil if they are not known.
	Argv(pid int) []string
	// Environ, Executable and Files are as the functions of these names; empty of another machine.
	Environ(pid int) []string
	Executable(pid int) string
	Files(pid int) []string
	// WritesTerminal reports whether the standard output of a process is a terminal; true if it is not known.
	WritesTerminal(pid int) bool
}

// Local is the Source of this machine.
type Local struct{}

// Local returns true.
func (Local) Local() bool { return true }

// Find is the function Find.
func (Local) Find(pid int) (Proc, error) { return Find(pid) }

// Tree is the function Tree.
func (Local) Tree(pid int) []Proc { return Tree(pid) }

// Argv is the function Argv.
func (Local) Argv(pid int) []string { return Argv(pid) }

// Environ is the function Environ.
func (Local) Environ(pid int) []string { return Environ(pid) }

// Executable is the function Executable.
func (Local) Executable(pid int) string { return Executable(pid) }

// Files is the function Files.
func (Local) Files(pid int) []string { return Files(pid) }

// WritesTerminal is the function WritesTerminal.
func (Local) WritesTerminal(pid int) bool { return WritesTerminal(pid) }

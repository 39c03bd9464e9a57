package core

import "fmt"

// Progress reports how far a long operation is. Percent is 0 to 100, or -1
// where the total is not known.
type Progress struct {
	Phase   string
	Percent int
	Message string
}

// ProgressFunc takes reports of progress; nil takes none.
type ProgressFunc func(Progress)

// Report reports progress.
func (f ProgressFunc) Report(phase string, percent int, format string, args ...any) {
	if f != nil {
		f(Progress{Phase: phase, Percent: percent, Message: fmt.Sprintf(format, args...)})
	}
}

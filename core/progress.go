package core

import "fmt"

// Progress reports how far a long operation is. Percent is 0 to 100, or -1
// where the total is not known.
type Progress struct {
	Phase   string
	Percent int
	Message string
}

// ProgressFunc receives reports of progress. A nil ProgressFunc discards them.
type ProgressFunc func(Progress)

// Report calls f with a formatted message, unless f is nil. A percent of -1 means that the
// total is not known.
func (f ProgressFunc) Report(phase string, percent int, format string, args ...any) {
	if f != nil {
		f(Progress{Phase: phase, Percent: percent, Message: fmt.Sprintf(format, args...)})
	}
}

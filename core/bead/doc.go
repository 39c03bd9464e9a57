// Package bead knows work items ("beads"): the records of the tool bd, which
// keeps them as lines of JSON in a folder .beads of a project.
//
// Read takes whatever of them can be understood; what cannot is counted and
// told by line, and spoils nothing else. Graph says what follows from the
// items: what blocks what, what is ready, cycles, the critical path, what would
// free the most. Forecast learns from closed items how long one takes.
//
// The package never writes the files itself: Tool runs bd or br, which own them.
// It knows no agents and no terminal server, starts no goroutine that outlives a
// call, and keeps nothing.
package bead

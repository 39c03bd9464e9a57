// Package bead knows work items ("beads"): the records of the tool bd, which
// keeps them as lines of JSON in a folder .beads of a project.
//
// Read parses these lines leniently: it skips lines that it cannot parse, and reports each
// with its number. Graph derives from the items what blocks what, what is ready, cycles,
// the critical path, and which item unblocks the most others. Forecast learns from closed
// items how long one takes.
//
// The package never writes the files itself: Tool runs bd or br, which own them.
// It knows no agents and no terminal server, starts no goroutine that outlives a
// call, and keeps nothing.
package bead

// Package engine is the interface of a terminal server: list everything, capture screens,
// create and end sessions and panes, type into them, tag them, watch for changes, and
// attach a user's terminal.
//
// It holds the interface, the values that cross it and the sentinels that an
// implementation returns. It knows no agents and no implementation. The
// contract that each implementation must pass is in enginetest.
package engine

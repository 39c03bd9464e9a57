// Package engine says what Cupola needs of a terminal server: list everything,
// capture screens, make and end sessions and panes, type into them, tag them,
// hear that something changed, and say how a human attaches.
//
// It holds the interface, the values that cross it and the sentinels that an
// implementation returns. It knows no agents and no implementation. The
// contract that each implementation must pass is in enginetest.
package engine

// Package core holds Cupola's nouns and the rules that are true of them
// everywhere: sessions, panes, agents, states, alerts, events, snapshots,
// screens and error codes.
//
// It is pure. It knows no terminal server, no agent program, no file and no
// clock, starts no goroutine, and imports the standard library only. Types that
// cross a process boundary define their JSON names here, for the keeper, the faces
// and the tests.
package core

// Package core holds Cupola's nouns and the rules that are true of them
// everywhere: sessions, panes, agents, states, alerts, events, snapshots,
// screens and error codes.
//
// It is pure. It knows no terminal server, no agent program, no file and no
// clock, starts no goroutine, and imports the standard library only. Whatever
// crosses a process boundary carries JSON names here, so that the keeper, the
// faces and the tests agree on one spelling.
package core

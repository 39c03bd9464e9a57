// Package cli is the command line: it reads arguments, chooses the face, wires the parts
// together and runs what needs a terminal. Verbs come from the catalogue; nothing here knows
// what any of them does.
package cli

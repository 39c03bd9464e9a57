// Package house holds the gates that keep the house in order: which folder may
// import which, what must be documented, how large things may grow, and what
// nobody writes at all.
//
// It has tests only. Each gate is a function from the module to what it saw and
// what it objects to. A gate that sees less than its floor fails too, so that
// none can pass by going blind, and testdata holds an offence for every gate.
package house

// Package house holds the gates of the source tree: which directory may import which, what
// must be documented, how large things may grow, and what is forbidden.
//
// It has tests only. Each gate is a function from the module to a count of what it checked
// and the faults it found. A gate that checks less than its floor fails too, and testdata
// holds a fault for every gate.
package house

// Package robot is the face for programs: it calls a verb, frames the answer,
// renders it in the format asked for and returns the exit status. Exactly one
// document reaches the output for an answer or a failure of any kind; streams
// are one typed line each and end in an "end" line.
//
// It knows no terminal and no theme; cmd decides when this face is used.
package robot

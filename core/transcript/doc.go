// Package transcript reads what agents write down of their own work: which
// session it is, the last message, the tools that a turn called, the model, and
// how much of the context window is used.
//
// Every kind has a form of its own, none of them is promised to stay, and all
// may be cut off in the middle of a line. So everything is read leniently: what
// is not understood is left aside, and what is not there is zero. Files may be
// huge, so they are read from their end, and only as far as the last turn
// reaches. Nothing is ever written. Databases are opened read-only, and only
// when they are asked for.
//
// The package knows no terminal. It starts no goroutine and keeps nothing
// between calls.
package transcript

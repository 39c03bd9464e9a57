// Package transcript reads what agents record of their own work: which session it is, the
// last message, the tools that a turn called, the model, and how much of the context window
// is used.
//
// Each kind has its own format, which may change with any version, and a file may end in
// the middle of a line. So the package parses leniently: it skips what it cannot parse, and
// missing values are zero. Files may be huge, so it reads them from their end, and only
// back to the last turn. Only Tidy writes. Databases are opened read-only, and only when
// they are needed.
//
// The package knows no terminal. It starts no goroutine and keeps nothing
// between calls.
package transcript

// Package pipeline runs files of steps, each a call of a verb. What verbs there
// are, and how they are called, comes in as Verbs; the package knows none.
//
// Example is such a file.
//
// Steps run one at a time, in the order of the file, each behind those that it
// needs. A field of an earlier step's answer is ${steps.NAME.FIELD}, with dots
// into it; $${ is a plain ${. Where a step fails, those that ask for success are
// skipped, unless it says on_error = "continue".
//
// What became of each step is on disk before and after it, so that a run goes on
// where it was cut off. A step that had begun and writes is not repeated unless
// it is known that nothing came of it.
package pipeline

import _ "embed"

//go:embed example.toml
var example string

// Example is a pipeline that runs as it is, with comments that explain its keys.
func Example() string { return example }

// Package pipeline runs files of steps, each a call of a verb. The caller passes the verbs
// as Verbs; the package knows none.
//
// Example is such a file.
//
// Steps run one at a time, in the order of the file, each behind those that it needs. A
// field of an earlier step's answer is ${steps.NAME.FIELD}, with dots into it; $${ is a
// plain ${. If a step fails, later steps with when = "success" are skipped, unless it has
// on_error = "continue".
//
// The state of each step is stored on disk before and after it, so that an interrupted run
// can be resumed. A step that had started and writes is not repeated unless it is known to
// have had no effect.
package pipeline

import _ "embed"

//go:embed example.toml
var example string

// Example is a pipeline that runs as it is, with comments that explain its keys.
func Example() string { return example }

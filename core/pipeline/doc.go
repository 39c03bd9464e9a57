// Package pipeline runs files of steps, each a call of a verb. What verbs there
// are, and how they are called, comes in as Verbs; the package knows none.
//
//	name = "review"
//	[vars]
//	goal = "the tests pass"      # a default; --vars goes before it
//
//	[[step]]
//	name = "ask"
//	verb = "send"
//	args = {session = "${session}", msg = "See that ${vars.goal}."}
//
//	[[step]]
//	name = "wait"
//	verb = "wait"
//	args = {session = "${session}", timeout = "10m"}
//	needs = ["ask"]
//	retries = 2                  # times more, pause apart
//	pause = "5s"
//	timeout = "15m"              # of each try
//
//	[[step]]
//	name = "tell"
//	verb = "send"
//	args = {session = "boss", msg = "${steps.wait.error}"}
//	when = "failure"             # of what it needs; or "success", "always"
//	on_error = "continue"        # what comes behind runs all the same
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

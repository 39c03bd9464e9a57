// Package relay asks a backend one prompt, without a pane. A Request becomes a Plan, which can
// be shown before anything runs; a run of the plan gives events while the backend answers, and a
// Result at its end.
//
// A backend is a program that answers without a terminal (an agent kind with a [headless] part)
// or a server that speaks a known API. The package knows none of them by name: what they are
// comes in as data, and what they print is read by core/run/relay/stream.
//
// A backend runs with the prompt on its standard input, in a process group of its own that never
// outlives the call, and in a sandbox mode that it is known to hold: a mode that it cannot hold
// is refused.
package relay

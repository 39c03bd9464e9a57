// Package bridge runs tools, which are programs of others, and converts their answers to
// one form. Each tool is described by data, one TOML file: what it is good for, how to
// install it, how each of its actions is called, within which limits, and how its answer is
// parsed. Files of the user override those that come with Cupola or add tools. No Go code
// knows a tool by name.
//
// A tool is started without a shell, with an empty standard input, in a process group of
// its own that is killed at its time limit. The size of its output is limited. An
// expression in the jq language converts the output to the answer, whose fields must have
// the declared types. Files are decoded when they are first needed.
//
// The package knows no verb and no face, and starts nothing that outlives a
// call.
package bridge

// Package guide describes the verbs of a catalogue to those who have never seen
// them: capabilities, JSON Schemas, the document that teaches an agent to use
// Cupola, the skills and commands that agents read, and the generated reference. All
// of it is derived from the declarations; the schemas are generated ahead, because
// reflecting them at run time would cost every call.
package guide

//go:generate go run cupola/cmd/generate

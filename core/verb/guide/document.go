package guide

import (
	"cupola/core/verb/advice"
)

// Document is the introduction for an agent that has never seen Cupola: the sections that were asked for, and how to
// get the others.
type Document struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Start is the first part to read: a few sentences.
	Start []string `json:"start,omitempty"`
	// Daily are the calls of daily use, each with an answer and a failure.
	Daily []Call `json:"daily,omitempty"`
	// StateVerbs are the verbs that report states, each with its use.
	StateVerbs []Topic `json:"state_verbs,omitempty"`
	// Kinds are the kinds of agents that are built in.
	Kinds     []Topic    `json:"kinds,omitempty"`
	Words     []Topic    `json:"words,omitempty"`
	Envelope  []Topic    `json:"envelope,omitempty"`
	Workflows []Workflow `json:"workflows,omitempty"`
	Formats
	// Commands is all about the verbs, by name.
	Commands map[string]Verb `json:"commands,omitempty"`
	// Aliases has a line for each other name of a verb: the name, and its command.
	Aliases    []string         `json:"aliases,omitempty"`
	Globals    []Flag           `json:"global_flags,omitempty"`
	ErrorCodes []advice.CodeRow `json:"error_codes,omitempty"`
	// ParseCodes are finer names that details.parse_code may carry, and names
	// that other tools give the same conditions.
	ParseCodes   []Topic       `json:"parse_codes,omitempty"`
	Deprecations []Deprecation `json:"deprecations,omitempty"`
	// DeprecatedFor is how long deprecated forms work.
	DeprecatedFor string `json:"deprecated_for,omitempty"`
	// EnvelopeSchema is the JSON Schema of what all answers have in common; the
	// schemas of the verbs leave it out.
	EnvelopeSchema any `json:"envelope_schema,omitempty"`
	// Sections are all parts of the document, with the command that gives each; empty
	// where only some parts were asked for.
	Sections []Section `json:"sections"`
}

// Formats are the forms of answers and their ends.
type Formats struct {
	// Activation is when robot mode is on.
	Activation []Topic `json:"activation,omitempty"`
	// Formatting is how the form of an answer is chosen.
	Formatting  []Topic `json:"formatting,omitempty"`
	ExitCodes   []Topic `json:"exit_codes,omitempty"`
	Environment []Topic `json:"environment,omitempty"`
}

// Topic is a term and what it means.
type Topic struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Workflow is a task and the commands that do it, in order.
type Workflow struct {
	Name  string `json:"name"`
	Steps []Step `json:"steps"`
}

// Step is a command of a workflow and what it is for.
type Step struct {
	Command string `json:"command" names:"command-line"`
	Purpose string `json:"purpose"`
}

package guide

import (
	"cupola/core"
	"cupola/robot/registry"
)

// Document is everything that an agent which has never seen Cupola needs.
type Document struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Start is what to read first: a few sentences.
	Start      []string `json:"start"`
	Activation []Topic  `json:"activation"`
	// Formatting is how the form of an answer is chosen.
	Formatting []Topic         `json:"formatting"`
	Envelope   []Topic         `json:"envelope"`
	Words      []Topic         `json:"words"`
	Workflows  []Workflow      `json:"workflows"`
	Commands   map[string]Verb `json:"commands"`
	Globals    []Flag          `json:"global_flags"`
	ErrorCodes []core.CodeRow  `json:"error_codes"`
	// ParseCodes are finer names that details.parse_code may carry, and names
	// that other tools give the same conditions.
	ParseCodes   []Topic         `json:"parse_codes"`
	ExitCodes    []Topic         `json:"exit_codes"`
	Deprecations []Deprecation   `json:"deprecations"`
	Environment  []Topic         `json:"environment"`
	Planned      []registry.Plan `json:"planned"`
}

// Topic is a term and what it means.
type Topic struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Workflow is a task and the commands that do it, in order.
type Workflow struct {
	Name  string   `json:"name"`
	Steps []string `json:"steps"`
}

// Write makes the document of a catalogue. Schemas adds each verb's response
// schema.
func Write(c *registry.Catalog, schemas bool) (Document, error) {
	doc := Document{
		Name: "cupola", Description: description, Start: start, Activation: activation, Formatting: formatting, Envelope: envelope, Words: words, Workflows: workflows,
		Commands: map[string]Verb{}, Globals: Globals(), ErrorCodes: core.Codes(), ParseCodes: parseCodes, ExitCodes: exitCodes,
		Deprecations: Deprecations(c), Environment: environment, Planned: c.Planned,
	}
	for _, verb := range c.Verbs {
		d := Describe(c, verb, true)
		if schemas {
			schema, err := Schema(verb.Schema)
			if err != nil {
				return Document{}, err
			}
			d.ResponseSchema = schema
		}
		doc.Commands[verb.Name] = d
	}
	return doc, nil
}

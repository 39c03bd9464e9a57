package guide

import (
	"encoding/json"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
)

// Section is a part of the document.
type Section struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Bytes is how large it is as JSON.
	Bytes   int    `json:"bytes"`
	Command string `json:"command" names:"command-line"`
}

// All means every section.
const All = "all"

// section is how a part of the document is made.
type section struct {
	name, what string
	write      func(doc *Document, c *registry.Catalog) error
}

var sections = []section{
	{"guide", "Daily verbs, agent kinds, words", writeGuide},
	{"workflows", "Tasks with their commands", writeWorkflows},
	{"formats", "Formats, columns, jq, exit status, environment", writeFormats},
	{"flags", "Flags of every verb", writeGlobals},
	{"errors", "Error codes, and what to do", writeErrors},
	{"aliases", "Other names of verbs", writeAliases},
	{"deprecations", "Deprecated flags", writeDeprecations},
	{"commands", "Every verb; for some, cupola capabilities VERB...", writeCommands},
	{"schemas", "The same with JSON Schemas; for one, cupola schema VERB", writeSchemas},
}

// Usual are the sections to read first; Reference are the sections of the printed one.
var (
	Usual     = []string{"guide"}
	Reference = []string{"guide", "workflows", "formats", "flags", "errors", "aliases", "deprecations", "commands"}
)

// Write makes the sections of a catalogue's document that are named. An unknown one
// is InvalidInput.
func Write(c *registry.Catalog, names ...string) (Document, error) {
	doc := Document{Name: "cupola", Description: description, Sections: []Section{}}
	for _, name := range names {
		if name != All && !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return doc, core.Errorf(core.InvalidInput, "there is no section %q", name)
		}
	}
	for _, section := range sections {
		if !slices.Contains(names, section.name) && !slices.Contains(names, All) {
			continue
		}
		if err := section.write(&doc, c); err != nil {
			return doc, fmt.Errorf("section %s: %w", section.name, err)
		}
	}
	return doc, nil
}

// Index lists all sections of a catalogue's document.
func Index(c *registry.Catalog) ([]Section, error) {
	rows := make([]Section, 0, len(sections)+1)
	total := 0
	for _, section := range sections {
		var doc Document
		if err := section.write(&doc, c); err != nil {
			return nil, fmt.Errorf("section %s: %w", section.name, err)
		}
		text, err := json.Marshal(doc)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", section.name, err)
		}
		rows = append(rows, Section{section.name, section.what, len(text), "cupola docs --sections=" + section.name})
		if section.name != "commands" { // the schemas bring it along
			total += len(text)
		}
	}
	return append(rows, Section{All, "All of it", total, "cupola docs --sections=" + All}), nil
}

func writeGuide(doc *Document, _ *registry.Catalog) error {
	var err error
	doc.Kinds, err = kinds()
	doc.Start, doc.Daily, doc.StateVerbs, doc.Words, doc.Envelope = start, daily, stateVerbs, words, envelope
	return err
}

// kinds are the built-in agent kinds that can be spawned, with how.
func kinds() ([]Topic, error) {
	known, err := agent.Load()
	if err != nil {
		return nil, fmt.Errorf("built-in kinds: %w", err)
	}
	rows := []Topic{}
	for _, kind := range known.All() {
		if len(kind.Launch.Command) > 0 {
			rows = append(rows,
				Topic{
					string(kind.ID),
					fmt.Sprintf("%s; agents %s_1, ...", kind.Name, kind.Short),
				})
		}
	}
	return rows, nil
}

func writeWorkflows(doc *Document, _ *registry.Catalog) error {
	doc.Workflows = append([]Workflow{dailyLoop()}, workflows...)
	return nil
}

func writeFormats(doc *Document, _ *registry.Catalog) error {
	doc.Formats = Formats{activation, formatting, exitCodes, environment}
	return nil
}

func writeGlobals(doc *Document, _ *registry.Catalog) error {
	doc.Globals = Globals()
	return nil
}

func writeErrors(doc *Document, _ *registry.Catalog) error {
	doc.ErrorCodes, doc.ParseCodes = advice.Codes(), slices.Clone(parseCodes)
	for _, row := range core.Codes() {
		for _, synonym := range row.Code.Synonyms() {
			doc.ParseCodes = append(doc.ParseCodes, Topic{synonym, string(row.Code)})
		}
	}
	return nil
}

func writeAliases(doc *Document, c *registry.Catalog) error {
	doc.Aliases = Aliases(c)
	return nil
}

func writeDeprecations(doc *Document, c *registry.Catalog) error {
	doc.Deprecations, doc.DeprecatedFor = Deprecations(c), deprecatedFor
	return nil
}

func writeCommands(doc *Document, c *registry.Catalog) error {
	doc.Commands = map[string]Verb{}
	for _, verb := range c.RealVerbs() {
		doc.Commands[verb.Name] = Describe(c, verb, true)
	}
	return nil
}

func writeSchemas(doc *Document, c *registry.Catalog) error {
	if doc.Commands == nil {
		if err := writeCommands(doc, c); err != nil {
			return err
		}
	}
	var err error
	if doc.EnvelopeSchema, err = Schema(EnvelopeType); err != nil {
		return err
	}
	for name, verb := range doc.Commands {
		if verb.ResponseSchema, err = OwnSchema(verb.SchemaType); err != nil {
			return err
		}
		doc.Commands[name] = verb
	}
	return nil
}

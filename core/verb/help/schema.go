package help

import (
	"context"
	"encoding/json"

	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

type schemaIn struct {
	Type string `arg:"1" required:"true" names:"verb" help:"Verb or schema type, or all"`
}

type schemaOut struct {
	Type string `json:"type"`
	// Version is the version of the schemas.
	Version string `json:"version"`
	// Schema is a JSON Schema (draft-07), or an object of all of them.
	Schema any `json:"schema"`
	// Types are all types that there are.
	Types []string `json:"types"`
}

var schema = registry.Define(registry.Spec[*verb.Local, schemaIn, schemaOut]{
	Name: "schema", Group: verb.GroupLearn, Short: "Give the JSON Schema of an answer",
	Scope: registry.Resource, Effect: registry.Reads, Sessionless: true, Examples: []string{"status", "all"},
	Run: runSchema,
}).SeeAlso("capabilities", "docs")

func (o schemaOut) Report() *report.Report {
	text, err := json.MarshalIndent(o.Schema, "", "  ")
	if err != nil {
		text = []byte(err.Error())
	}
	return (&report.Report{}).Add(report.Block{Raw: string(text) + "\n"})
}

func runSchema(_ context.Context, env *verb.Local, in schemaIn) (schemaOut, error) {
	types, err := guide.SchemaTypes()
	if err != nil {
		return schemaOut{}, err
	}
	name := in.Type
	if verb := env.Catalog.Find(name); verb != nil {
		name = verb.Schema
	}
	out := schemaOut{Type: name, Version: guide.SchemaVersion, Types: types}
	if name != "all" {
		out.Schema, err = guide.Schema(name)
		return out, err
	}
	all := map[string]json.RawMessage{}
	for _, name := range types {
		if all[name], err = guide.Schema(name); err != nil {
			return schemaOut{}, err
		}
	}
	out.Schema = all
	return out, nil
}

package main

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf compiles the schema that the program itself gives for a verb.
func schemaOf(m *machine, verb string) (*jsonschema.Schema, error) {
	reply := m.call("schema", verb, "--json")
	doc, err := oneDocument(reply.stdout)
	if err != nil {
		return nil, err
	}
	schema, ok := doc.(map[string]any)["schema"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("cupola schema %s: no schema in %s", verb, reply.stdout)
	}
	return compiled(verb, schema)
}

// compiled compiles a schema with which formats count too.
func compiled(name string, schema any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	url := "https://cupola.invalid/" + strings.ReplaceAll(name, " ", "-")
	if err := compiler.AddResource(url, schema); err != nil {
		return nil, err
	}
	return compiler.Compile(url)
}

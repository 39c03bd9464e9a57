package guide

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"sync"

	"cupola/core"
	"cupola/core/verb/suggest"
)

//go:embed schemas.json
var schemaFile []byte

// schemas are the generated schemas by type, read at first use.
var schemas = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(schemaFile, &all); err != nil {
		return nil, fmt.Errorf("read embedded schemas: %w", err)
	}
	return all, nil
})

// EnvelopeType is the schema type of what all answers have in common.
const EnvelopeType = "envelope"

// SchemaTypes returns the types that have a schema, sorted.
func SchemaTypes() ([]string, error) {
	all, err := schemas()
	if err != nil {
		return nil, err
	}
	types := make([]string, 0, len(all))
	for name := range all {
		types = append(types, name)
	}
	sort.Strings(types)
	return types, nil
}

// Schema returns the JSON Schema (draft-07) of a type's answers. An unknown
// type is an InvalidInput error with the near miss.
func Schema(name string) (json.RawMessage, error) {
	own, err := OwnSchema(name)
	if err != nil || name == EnvelopeType {
		return own, err
	}
	envelope, err := OwnSchema(EnvelopeType)
	if err != nil {
		return nil, err
	}
	var schema, common map[string]any
	if err := errors.Join(json.Unmarshal(own, &schema), json.Unmarshal(envelope, &common)); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	place := schema
	if end, ok := schema["then"].(map[string]any); ok && end["properties"] != nil {
		place = end // the last line of a stream, where the envelope is
	}
	add(place, common, "properties")
	add(schema, common, "definitions")
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// add adds to an object in a schema what another has there.
func add(schema, other map[string]any, name string) {
	own, _ := schema[name].(map[string]any)
	if own == nil {
		own = map[string]any{}
		schema[name] = own
	}
	from, _ := other[name].(map[string]any)
	for key, value := range from {
		if _, there := own[key]; !there {
			own[key] = value
		}
	}
}

// OwnSchema is a type's schema without what those of all types have in common,
// which is the schema of EnvelopeType. It fails as Schema does.
func OwnSchema(name string) (json.RawMessage, error) {
	all, err := schemas()
	if err != nil {
		return nil, err
	}
	if schema, ok := all[name]; ok {
		return schema, nil
	}
	types, err := SchemaTypes()
	if err != nil {
		return nil, err
	}
	return nil, suggest.Near(&core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("no schema type %q", name),
		Hint: "Use 'cupola schema all' to see every type.", Details: map[string]any{"valid": append(types, "all")},
	}, name, types)
}

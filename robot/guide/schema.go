package guide

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sort"
	"sync"

	"cupola/core"
	"cupola/core/near"
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
	return nil, &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("no schema type %q", name), Suggestions: near.Words(name, types), Slip: core.Slip{Word: name},
		Hint: "Use 'cupola schema all' to see every type.", Details: map[string]any{"valid": append(types, "all")},
	}
}

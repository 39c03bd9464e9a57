package main

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"cupola/core"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/robot"
)

// draft is the JSON Schema version of everything generated.
const draft = "http://json-schema.org/draft-07/schema#"

// commented are the packages whose doc comments become descriptions.
var commented = []string{"core", "robot"}

// schemasOf reflects the answer of every verb, framed as robot mode frames it.
func schemasOf(catalog *registry.Catalog) (map[string]any, error) {
	reflector := &jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true, AllowAdditionalProperties: true, Mapper: written, Namer: nameOf,
	}
	for _, pkg := range commented {
		if err := reflector.AddGoComments("cupola", pkg, jsonschema.WithFullComment()); err != nil {
			return nil, fmt.Errorf("read comments of %s: %w", pkg, err)
		}
	}
	schemas := map[string]any{}
	for _, verb := range catalog.Verbs {
		schema, err := framed(reflector, verb)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", verb.Name, err)
		}
		schema["definitions"] = used(schema, object(schema, "definitions"), map[string]any{})
		schemas[verb.Schema] = schema
	}
	definitions := map[string]any{}
	properties, err := frameProperties(reflector, definitions)
	if err != nil {
		return nil, fmt.Errorf("schema of the envelope: %w", err)
	}
	schemas[guide.EnvelopeType] = map[string]any{
		"$schema": draft, "title": "cupola", "description": "What the answers of all verbs have in common",
		"version": guide.SchemaVersion, "type": "object",
		"properties": properties, "definitions": definitions, "required": []any{"success", "timestamp"},
	}
	return schemas, nil
}

// written returns the schema of a type that answers write in a way of its own; nil for any other.
func written(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[registry.Since]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[core.Milliseconds]():
		return &jsonschema.Schema{Type: "integer"}
	}
	return nil
}

// verbPackages is where the types of answers are, but for those that other programs know by the names that they have.
const verbPackages = "cupola/core/verb"

var publicPackages = []string{
	verbPackages + "/advice", verbPackages + "/guide", verbPackages + "/registry", verbPackages + "/render",
}

// runPackages is the path of the kinds of run, whose types have the same names.
const runPackages = "cupola/core/run/"

// nameOf names the definition of a type; whether several packages of verbs share one shows in no schema.
func nameOf(t reflect.Type) string {
	name := t.Name()
	if kind := path.Base(t.PkgPath()); strings.HasPrefix(t.PkgPath(), runPackages) && !strings.EqualFold(kind, name) {
		return strings.ToUpper(kind[:1]) + kind[1:] + name
	}
	if strings.HasPrefix(t.PkgPath(), verbPackages) && !slices.Contains(publicPackages, t.PkgPath()) {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	return name
}

// framed is the schema of a verb's document: on success its own fields are required, on failure the error's. The
// properties that all verbs have in common belong to the envelope, which guide adds.
func framed(reflector *jsonschema.Reflector, verb *registry.Verb) (map[string]any, error) {
	body, err := reflected(reflector, verb.Output())
	if err != nil {
		return nil, err
	}
	properties, definitions := object(body, "properties"), object(body, "definitions")
	loosen(definitions["Verb"], reflect.TypeFor[guide.Full]())
	required, _ := body["required"].([]any)
	schema := map[string]any{
		"$schema": draft, "title": "cupola " + verb.Name, "description": verb.Short, "version": guide.SchemaVersion,
		"type":       "object",
		"properties": properties, "definitions": definitions,
	}
	if verb.Streams {
		return streamed(reflector, verb, schema, required)
	}
	schema["required"] = []any{"success", "timestamp", "_meta"}
	schema["if"] = map[string]any{"properties": map[string]any{"success": map[string]any{"const": true}}}
	schema["then"] = map[string]any{"required": nonNil(required)}
	schema["else"] = map[string]any{"required": []any{"error", "error_code", "hint"}}
	if verb.Line() != nil {
		return mixed(reflector, verb, schema, required)
	}
	return schema, nil
}

// mixed is the schema of a verb that answers some inputs line by line: of a
// document without a type, or of a line with one.
func mixed(
	reflector *jsonschema.Reflector, verb *registry.Verb, document map[string]any, required []any,
) (map[string]any, error) {
	line, err := lineOf(reflector, verb, object(document, "definitions"))
	if err != nil {
		return nil, err
	}
	object(document, "properties")["type"] = map[string]any{"type": "string"}
	end := map[string]any{
		"properties": map[string]any{"type": map[string]any{"const": "end"}},
		"required":   []any{"type", "success", "timestamp"},
	}
	failed := map[string]any{
		"properties": map[string]any{"success": map[string]any{"const": false}},
		"required":   []any{"success", "timestamp", "error", "error_code", "hint"},
	}
	delete(document, "required")
	document["if"] = map[string]any{
		"properties": map[string]any{"success": map[string]any{"const": true}}, "required": []any{"success"},
		"not": map[string]any{"required": []any{"type"}},
	}
	document["then"] = map[string]any{"required": append([]any{"success", "timestamp", "_meta"}, required...)}
	document["else"] = map[string]any{"anyOf": []any{failed, end, line}}
	return document, nil
}

// lineOf is the schema of a verb's lines before the last. Its definitions are added to others.
func lineOf(reflector *jsonschema.Reflector, verb *registry.Verb, definitions map[string]any) (map[string]any, error) {
	line, err := reflected(reflector, verb.Line())
	if err != nil {
		return nil, err
	}
	merge(definitions, line["definitions"])
	delete(line, "definitions")
	delete(line, "$schema")
	return line, nil
}

// streamed is the schema of one line of a stream: one of its own or the end line.
func streamed(
	reflector *jsonschema.Reflector, verb *registry.Verb, end map[string]any, required []any,
) (map[string]any, error) {
	properties, definitions := object(end, "properties"), object(end, "definitions")
	line, err := lineOf(reflector, verb, definitions)
	if err != nil {
		return nil, err
	}
	properties["type"] = map[string]any{"const": "end"}
	return map[string]any{
		"$schema": draft, "title": end["title"], "description": verb.Short, "version": guide.SchemaVersion,
		"type":     "object",
		"required": []any{"type"}, "definitions": definitions,
		"if": map[string]any{"properties": map[string]any{"type": map[string]any{"const": "end"}}},
		"then": map[string]any{
			"properties": properties, "required": []any{"type", "success", "timestamp"},
			"if":   map[string]any{"properties": map[string]any{"success": map[string]any{"const": true}}},
			"then": map[string]any{"required": nonNil(required)},
			"else": map[string]any{"required": []any{"error", "error_code"}},
		},
		"else": line,
	}, nil
}

// frameProperties are the fields that every document may have.
func frameProperties(reflector *jsonschema.Reflector, definitions map[string]any) (map[string]any, error) {
	type frame struct {
		Success     bool              `json:"success"`
		Timestamp   string            `json:"timestamp" jsonschema:"format=date-time"`
		Error       string            `json:"error,omitempty"`
		ErrorCode   string            `json:"error_code,omitempty"`
		Hint        string            `json:"hint,omitempty"`
		Suggestions []string          `json:"suggestions,omitempty"`
		Actions     []string          `json:"actions,omitempty"`
		Details     any               `json:"details,omitempty"`
		Meta        robot.Meta        `json:"_meta"`
		Hints       registry.Hints    `json:"_agent_hints,omitempty"`
		NextActions []registry.Action `json:"next_actions,omitempty"`
	}
	body, err := reflected(reflector, reflect.TypeFor[frame]())
	if err != nil {
		return nil, err
	}
	merge(definitions, body["definitions"])
	properties := object(body, "properties")
	codes := core.Map(core.Codes(), func(row core.CodeRow) any { return string(row.Code) })
	object(properties, "error_code")["enum"] = codes
	return properties, nil
}

// reflected is a type's schema as plain maps, in draft-07's words.
func reflected(reflector *jsonschema.Reflector, t reflect.Type) (map[string]any, error) {
	text, err := json.Marshal(reflector.ReflectFromType(t))
	if err != nil {
		return nil, err
	}
	draft07 := strings.NewReplacer(`"$defs"`, `"definitions"`, `#/$defs/`, `#/definitions/`).Replace(string(text))
	var schema map[string]any
	if err := json.Unmarshal([]byte(draft07), &schema); err != nil {
		return nil, err
	}
	shadowed(t, object(schema, "definitions"), map[reflect.Type]bool{})
	return schema, nil
}

// shadowed makes fields optional that are so where they hide a field of an embedded struct, in the definitions of t and
// of all types within: the reflector leaves them required.
func shadowed(t reflect.Type, definitions map[string]any, seen map[reflect.Type]bool) {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	own, hidden := map[string]bool{}, map[string]bool{}
	for i := range t.NumField() {
		field := t.Field(i)
		shadowed(field.Type, definitions, seen)
		if name, options, _ := strings.Cut(field.Tag.Get("json"), ","); strings.Contains(options, "omit") {
			own[name] = true
		}
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			for _, inner := range reflect.VisibleFields(field.Type) {
				name, _, _ := strings.Cut(inner.Tag.Get("json"), ",")
				hidden[name] = true
			}
		}
	}
	schema, _ := definitions[nameOf(t)].(map[string]any)
	required, _ := schema["required"].([]any)
	if len(required) > 0 {
		schema["required"] = slices.DeleteFunc(required, func(name any) bool {
			field, _ := name.(string)
			return own[field] && hidden[field]
		})
	}
}

// loosen makes the fields of a struct that is embedded as a pointer optional, since they are
// absent if it is nil.
func loosen(definition any, embedded reflect.Type) {
	schema, _ := definition.(map[string]any)
	if schema == nil {
		return
	}
	optional := map[any]bool{}
	for _, field := range reflect.VisibleFields(embedded) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		optional[name] = true
	}
	required, _ := schema["required"].([]any)
	schema["required"] = slices.DeleteFunc(required, func(name any) bool { return optional[name] })
}

func merge(into map[string]any, from any) {
	definitions, _ := from.(map[string]any)
	for name, definition := range definitions {
		into[name] = definition
	}
}

// used adds to found the definitions that a part of a schema refers to, directly or through others. A field
// that another one takes the place of leaves one that nothing refers to.
func used(part any, all, found map[string]any) map[string]any {
	switch part := part.(type) {
	case map[string]any:
		for key, inner := range part {
			if name, is := inner.(string); is && key == "$ref" {
				name = strings.TrimPrefix(name, "#/definitions/")
				if _, known := found[name]; !known {
					found[name] = all[name]
					used(all[name], all, found)
				}
			} else if key != "definitions" {
				used(inner, all, found)
			}
		}
	case []any:
		for _, inner := range part {
			used(inner, all, found)
		}
	}
	return found
}

func nonNil(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

// object returns an object in a schema, made if it is not there.
func object(schema map[string]any, name string) map[string]any {
	inner, ok := schema[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		schema[name] = inner
	}
	return inner
}

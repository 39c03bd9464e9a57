package service

import (
	"slices"
	"strconv"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Dialect is the JSON Schema dialect of Schema.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is the JSON Schema of what verbs take together: an object whose properties are their inputs, by name. What
// every one of them requires is required. A type is never a union, since some clients refuse those. Where there are
// other hosts, HostInput is among them.
func (s *Service) Schema(verbs ...*registry.Verb) render.Object {
	properties, required := render.Object{}, []any{}
	for _, verb := range verbs {
		for _, field := range verb.Fields() {
			if _, there := properties.Get(field.Name); !there {
				properties.Set(field.Name, property(field))
				if requiredByAll(verbs, field.Name) {
					required = append(required, field.Name)
				}
			}
		}
	}
	if _, own := properties.Get(HostInput); s.Hosts != nil && !own {
		properties.Set(HostInput, render.Object{
			{Key: "type", Value: "string"},
			{Key: "description", Value: "Other hosts that answer: a name, a pattern, or all (default: this machine)"},
		})
	}
	schema := render.Object{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if len(required) > 0 {
		schema.Set("required", required)
	}
	schema.Set("additionalProperties", false)
	return schema
}

func requiredByAll(verbs []*registry.Verb, name string) bool {
	return !slices.ContainsFunc(verbs, func(verb *registry.Verb) bool {
		field, err := registry.Takes(verb, name)
		return err != nil || !field.Required
	})
}

// property is the schema of one input.
func property(field *registry.Field) render.Object {
	values := render.Object{{Key: "type", Value: types[field.Type]}}
	if len(field.Enum) > 0 && !field.Open {
		values.Set("enum", field.Enum)
	}
	schema := values
	if field.Type == "list" {
		schema = render.Object{{Key: "type", Value: "array"}, {Key: "items", Value: values}}
	}
	if field.Min != nil {
		schema.Set("minimum", *field.Min)
	}
	if field.Max != nil {
		schema.Set("maximum", *field.Max)
	}
	schema.Set("description", described(field))
	if value := defaultOf(field); value != nil {
		schema.Set("default", value)
	}
	return schema
}

// types are the JSON types of inputs; that of a list is the type of its items.
var types = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "list": "string", "duration": "string", "since": "string",
}

// described returns the help of an input, with its format where its type does not show it.
func described(field *registry.Field) string {
	help := Worded(nil, field.Help)
	if field.Type == "duration" {
		return help + ", as 30s, 5m or 1h30m"
	}
	return help
}

// defaultOf is the default of an input as its type has it; nil for zero values and lists.
func defaultOf(field *registry.Field) any {
	switch {
	case field.Default == "", field.Type == "list":
		return nil
	case field.Type == "int":
		if n, err := strconv.Atoi(field.Default); err == nil {
			return n
		}
	case field.Type == "bool":
		return field.Default == "true"
	}
	return field.Default
}

package mcp

import (
	"encoding/json"
	"reflect"
	"strings"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// outputOf is the schema of the answers of verbs: the members that they may have at the top, with their types. It
// requires none, since lists can be cut and columns chosen; 'cupola schema' has the whole of it. No verbs is any verb.
func outputOf(verbs []*registry.Verb) render.Object {
	properties := render.Object{}
	for _, verb := range verbs {
		members(verb.Output(), &properties)
	}
	schema := render.Object{{Key: "type", Value: "object"}}
	if len(properties) > 0 {
		schema.Set("properties", properties)
	}
	return schema
}

// members adds the members of the JSON of a struct. One that verbs give different types has none.
func members(of reflect.Type, to *render.Object) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-", !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			members(field.Type, to)
		default:
			declared := typeOf(field.Type)
			if before, there := to.Get(name); there && !reflect.DeepEqual(before, declared) {
				declared = render.Object{}
			}
			to.Set(name, declared)
		}
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// typeOf is the type of a member as JSON has it; empty where the type writes itself.
func typeOf(of reflect.Type) render.Object {
	pointed := of
	for pointed.Kind() == reflect.Pointer {
		pointed = pointed.Elem()
	}
	if of.Implements(marshaler) || pointed.Implements(marshaler) || reflect.PointerTo(pointed).Implements(marshaler) {
		return render.Object{}
	}
	name := ""
	switch pointed.Kind() {
	case reflect.String:
		name = "string"
	case reflect.Bool:
		name = "boolean"
	case reflect.Slice, reflect.Array:
		name = "array"
	case reflect.Struct, reflect.Map:
		name = "object"
	case reflect.Float32, reflect.Float64:
		name = "number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		name = "integer"
	default:
		return render.Object{}
	}
	return render.Object{{Key: "type", Value: name}}
}

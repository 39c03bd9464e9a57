package http

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// schema is a JSON Schema.
type schema = map[string]any

// bundle collects the schemas of an OpenAPI document. Definitions of verbs that are equal, with all that they refer to,
// become one component; others with the same name get a number.
type bundle struct {
	components schema
	// names are the components by the digest of a definition, taken are names as generators of clients compare them.
	names map[[sha256.Size]byte]string
	taken map[string]int
}

func newBundle() *bundle {
	return &bundle{components: schema{}, names: map[[sha256.Size]byte]string{}, taken: map[string]int{}}
}

// name takes a free name for a component: generators make types of them, which begin with a capital letter.
func (b *bundle) name(wanted string) string {
	var name strings.Builder
	for _, part := range strings.FieldsFunc(wanted, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	key := strings.ToLower(name.String())
	b.taken[key]++
	if n := b.taken[key]; n > 1 {
		return b.name(wanted + "-v" + strconv.Itoa(n))
	}
	return name.String()
}

// answer adds the schema of a verb's answers that succeeded, and returns a reference to it.
func (b *bundle) answer(verb *registry.Verb) schema {
	text, err := guide.Schema(verb.Schema)
	if err != nil {
		return schema{"type": "object"}
	}
	value, err := render.Value(text)
	whole, is := unordered(value).(schema)
	if err != nil || !is {
		return schema{"type": "object"}
	}
	definitions, _ := whole["definitions"].(schema)
	local := b.define(definitions)
	name := b.name(verb.Name + "-answer")
	shape := succeeded(whole)
	if verb.Streams {
		shape = lines(whole)
	}
	shape["title"] = name
	if version, has := whole["version"]; has {
		shape["x-schema-version"] = version
	}
	rewrite(shape, local)
	b.components[name] = shape
	return reference(name)
}

// unordered is a value of JSON whose objects have no order.
func unordered(value any) any {
	switch value := value.(type) {
	case render.Object:
		object := make(schema, len(value))
		for _, member := range value {
			object[member.Key] = unordered(member.Value)
		}
		return object
	case []any:
		for i := range value {
			value[i] = unordered(value[i])
		}
	}
	return value
}

func reference(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

// define adds definitions and returns their components by their own names.
func (b *bundle) define(definitions schema) map[string]string {
	local := map[string]string{}
	var fresh []string
	own := make([]string, 0, len(definitions))
	for name := range definitions {
		own = append(own, name)
	}
	slices.Sort(own)
	for _, name := range own {
		key := digestOf(name, definitions)
		if b.names[key] == "" {
			b.names[key] = b.name(name)
			fresh = append(fresh, name)
		}
		local[name] = b.names[key]
	}
	for _, name := range fresh {
		definition := definitions[name]
		rewrite(definition, local)
		b.components[local[name]] = definition
	}
	return local
}

// definitionsPrefix begins a reference to a definition of a verb's own schema.
const definitionsPrefix = "#/definitions/"

// digestOf is the digest of a definition with all that it refers to.
func digestOf(name string, definitions schema) [sha256.Size]byte {
	reached, wait := map[string]any{}, []string{name}
	for len(wait) > 0 {
		next := wait[0]
		wait = wait[1:]
		if _, seen := reached[next]; seen {
			continue
		}
		reached[next] = definitions[next]
		walk(definitions[next], func(object schema) {
			if to, is := object["$ref"].(string); is {
				wait = append(wait, strings.TrimPrefix(to, definitionsPrefix))
			}
		})
	}
	text, _ := json.Marshal([]any{name, reached}) // it was decoded from JSON
	return sha256.Sum256(text)
}

// rewrite makes references to definitions references to components, and writes properties of any value as {}:
// generators of Go clients read no schema that is true.
func rewrite(value any, local map[string]string) {
	walk(value, func(object schema) {
		if to, is := object["$ref"].(string); is && strings.HasPrefix(to, definitionsPrefix) {
			object["$ref"] = "#/components/schemas/" + local[strings.TrimPrefix(to, definitionsPrefix)]
		}
		properties, _ := object["properties"].(schema)
		for name, property := range properties {
			if property == true {
				properties[name] = schema{}
			}
		}
	})
}

// walk calls each for every object in a value of JSON.
func walk(value any, each func(schema)) {
	switch value := value.(type) {
	case schema:
		each(value)
		for _, part := range value {
			walk(part, each)
		}
	case []any:
		for _, part := range value {
			walk(part, each)
		}
	}
}

// ofFailures are the fields that only failures have.
var ofFailures = []string{"error", "error_code", "hint", "suggestions", "actions"}

// succeeded is the schema of answers without what only failures have and without its condition, which generators of
// clients do not know.
func succeeded(whole schema) schema {
	shape := schema{"type": "object"}
	properties, _ := whole["properties"].(schema)
	kept := schema{}
	for name, property := range properties {
		if !slices.Contains(ofFailures, name) {
			kept[name] = property
		}
	}
	shape["properties"] = kept
	if text, has := whole["description"]; has {
		shape["description"] = text
	}
	then, _ := whole["then"].(schema)
	required := slices.DeleteFunc(append(list(whole["required"]), list(then["required"])...), func(name any) bool {
		text, is := name.(string)
		return !is || kept[text] == nil
	})
	if len(required) > 0 {
		shape["required"] = required
	}
	return shape
}

// lines is the schema of one line of a stream: a line, or the last one.
func lines(whole schema) schema {
	end, _ := whole["then"].(schema)
	line, _ := whole["else"].(schema)
	if end == nil || line == nil {
		return succeeded(whole)
	}
	return schema{"anyOf": []any{line, succeeded(end)}}
}

func list(value any) []any {
	all, _ := value.([]any)
	return slices.Clone(all)
}

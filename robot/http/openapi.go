package http

import (
	"encoding/json"
	"net/http"
	"regexp"

	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// openAPI answers with the description of all calls that clients may make.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = writeLine(w, OpenAPI(s.opts.Service, s.opts.Version)) // a client that has gone reads no answer
}

// OpenAPI is the OpenAPI 3.1 document of a service: a path for each real verb that clients may call. Aliases have a
// path too, which it does not list.
func OpenAPI(s *service.Service, version string) render.Object {
	paths := render.Object{}
	for _, verb := range s.Catalog.RealVerbs() {
		if s.Allows(verb) {
			paths.Set(API+verb.Name, operations(s, verb))
		}
	}
	paths.Set(API+"events", render.Object{{Key: "get", Value: eventsOperation()}})
	return render.Object{
		{Key: "openapi", Value: "3.1.0"},
		{Key: "info", Value: render.Object{
			{Key: "title", Value: "Cupola"},
			{Key: "version", Value: version},
			{Key: "description", Value: "The verbs of Cupola. An answer is the document of the command line."},
		}},
		{Key: "jsonSchemaDialect", Value: service.Dialect},
		{Key: "paths", Value: paths},
		{Key: "components", Value: render.Object{
			{Key: "securitySchemes", Value: render.Object{
				{Key: "token", Value: render.Object{{Key: "type", Value: "http"}, {Key: "scheme", Value: "bearer"}}},
			}},
			{Key: "schemas", Value: render.Object{{Key: "failure", Value: failureSchema()}}},
		}},
		{Key: "security", Value: []any{render.Object{{Key: "token", Value: []any{}}}}},
	}
}

// operations are the methods of the path of a verb of a service.
func operations(s *service.Service, verb *registry.Verb) render.Object {
	methods := render.Object{}
	if verb.Effect == registry.Reads {
		get := operation(verb, "get")
		get.Set("parameters", parameters(s, verb))
		get.Set("responses", responses(verb))
		methods.Set("get", get)
	}
	post := operation(verb, "post")
	post.Set("parameters", []any{fieldsParameterOf(verb)})
	post.Set("requestBody", render.Object{
		{Key: "required", Value: true}, {Key: "content", Value: content("application/json", s.Schema(verb))},
	})
	post.Set("responses", responses(verb))
	methods.Set("post", post)
	return methods
}

func operation(verb *registry.Verb, method string) render.Object {
	text := verb.Short + "."
	if verb.Long != "" {
		text += " " + verb.Long
	}
	return render.Object{
		{Key: "operationId", Value: method + "-" + verb.Name},
		{Key: "tags", Value: []string{verb.Group}},
		{Key: "summary", Value: verb.Short},
		{Key: "description", Value: text},
		{Key: "x-effect", Value: string(verb.Effect)},
	}
}

// parameters are the inputs of a verb in a URL.
func parameters(s *service.Service, verb *registry.Verb) []any {
	schema := s.Schema(verb)
	own, _ := schema.Get("properties")
	properties, _ := own.(render.Object)
	all := []any{}
	for _, property := range properties {
		field := verb.Field(property.Key)
		all = append(all, render.Object{
			{Key: "name", Value: property.Key},
			{Key: "in", Value: "query"},
			{Key: "required", Value: field != nil && field.Required},
			{Key: "schema", Value: property.Value},
		})
	}
	return append(all, fieldsParameterOf(verb))
}

func fieldsParameterOf(verb *registry.Verb) render.Object {
	about := "Columns of the answer's list, separated by commas, or minimal, standard, full"
	if verb.List == "" {
		about = "For answers with a list alone"
	}
	return render.Object{
		{Key: "name", Value: fieldsParameter},
		{Key: "in", Value: "query"},
		{Key: "required", Value: false},
		{Key: "description", Value: about},
		{Key: "schema", Value: render.Object{{Key: "type", Value: "string"}}},
	}
}

func responses(verb *registry.Verb) render.Object {
	kind := "application/json"
	if verb.Streams {
		kind = "application/x-ndjson"
	}
	failure := render.Object{
		{Key: "description", Value: "A failure, with its code"},
		{Key: "content", Value: content("application/json",
			render.Object{{Key: "$ref", Value: "#/components/schemas/failure"}})},
	}
	return render.Object{
		{Key: "200", Value: render.Object{
			{Key: "description", Value: "The answer"}, {Key: "content", Value: content(kind, answerSchema(verb))},
		}},
		{Key: "default", Value: failure},
	}
}

func content(kind string, schema any) render.Object {
	return render.Object{{Key: kind, Value: render.Object{{Key: "schema", Value: schema}}}}
}

// references are references to definitions, which are the same in draft-07 and 2020-12 but for their place here.
var references = regexp.MustCompile(`"\$ref":"#/definitions/`)

// answerSchema is the schema of a verb's answer. It is complete: what it refers to is inside it.
func answerSchema(verb *registry.Verb) any {
	schema, err := guide.Schema(verb.Schema)
	if err != nil {
		return render.Object{{Key: "type", Value: "object"}}
	}
	value, err := render.Value(schema)
	object, is := value.(render.Object)
	if err != nil || !is {
		return render.Object{{Key: "type", Value: "object"}}
	}
	standing := render.Object{{Key: "$id", Value: "urn:cupola:" + verb.Schema}}
	for _, member := range object {
		switch member.Key {
		case "$schema", "$id":
		case "definitions":
			standing = append(standing, render.Member{Key: "$defs", Value: member.Value})
		default:
			standing = append(standing, member)
		}
	}
	text := []byte(nil)
	if text, err = json.Marshal(standing); err != nil {
		return standing
	}
	return json.RawMessage(references.ReplaceAll(text, []byte(`"$$ref":"#/$$defs/`)))
}

func failureSchema() render.Object {
	text := func(about string) render.Object {
		return render.Object{{Key: "type", Value: "string"}, {Key: "description", Value: about}}
	}
	return render.Object{
		{Key: "type", Value: "object"},
		{Key: "properties", Value: render.Object{
			{Key: "success", Value: render.Object{{Key: "const", Value: false}}},
			{Key: "error", Value: text("What went wrong")},
			{Key: "error_code", Value: text("The code, as docs/robot.md lists them")},
			{Key: "hint", Value: text("What to do")},
		}},
		{Key: "required", Value: []string{"success", "error", "error_code"}},
	}
}

func eventsOperation() render.Object {
	parameter := func(name, about string) render.Object {
		return render.Object{
			{Key: "name", Value: name},
			{Key: "in", Value: "query"},
			{Key: "description", Value: about},
			{Key: "schema", Value: render.Object{{Key: "type", Value: "string"}}},
		}
	}
	return render.Object{
		{Key: "operationId", Value: "get-events"},
		{Key: "summary", Value: "Events as they happen"},
		{Key: "parameters", Value: []any{
			parameter("since", "rev:N continues after that revision"), parameter("session", "Only this session"),
			parameter("types", "Only these types, separated by commas"),
		}},
		{Key: "responses", Value: render.Object{{Key: "200", Value: render.Object{
			{Key: "description", Value: "Server-Sent Events: the data of each is a line of the verb watch"},
			{Key: "content", Value: content("text/event-stream", render.Object{{Key: "type", Value: "string"}})},
		}}}},
	}
}

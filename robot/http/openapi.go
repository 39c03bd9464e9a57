package http

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// openAPI answers with the description of all calls that clients may make. It is made once.
func (s *Server) openAPI() http.HandlerFunc {
	document := sync.OnceValues(func() (*asset, error) {
		text, err := encoded(OpenAPI(s.opts.Service, s.opts.Version))
		return newAsset("openapi.json", text), err
	})
	return func(w http.ResponseWriter, r *http.Request) {
		file, err := document()
		if err != nil {
			fail(w, http.StatusInternalServerError, err)
			return
		}
		file.serve(w, r)
	}
}

// OpenAPI is the OpenAPI 3.1 document of a service: a path for each real verb that clients may call, and the other
// paths. Aliases have a path too, which it does not list.
func OpenAPI(s *service.Service, version string) render.Object {
	parts := newBundle()
	failed := parts.name("failure")
	parts.components[failed] = failureSchema()
	paths, groups := render.Object{}, []string{otherPaths}
	for _, verb := range s.Catalog.RealVerbs() {
		if s.Allows(verb) {
			paths.Set(API+verb.Name, operations(s, verb, parts))
			if !slices.Contains(groups, verb.Group) {
				groups = append(groups, verb.Group)
			}
		}
	}
	for _, other := range others {
		paths.Set(other.path, render.Object{{Key: other.method, Value: other.operation()}})
	}
	tags := []any{}
	for _, group := range groups {
		about := "Verbs: " + group
		if group == otherPaths {
			about = "Paths that call no verb by its name"
		}
		tags = append(tags, render.Object{{Key: "name", Value: group}, {Key: "description", Value: about}})
	}
	return render.Object{
		{Key: "openapi", Value: "3.1.0"},
		{Key: "info", Value: render.Object{
			{Key: "title", Value: "Cupola"},
			{Key: "version", Value: version},
			{Key: "description", Value: "The verbs of Cupola. An answer is the document of the command line."},
		}},
		{Key: "jsonSchemaDialect", Value: service.Dialect},
		{Key: "servers", Value: []any{render.Object{
			{Key: "url", Value: "/"}, {Key: "description", Value: "The server that has answered with this document"},
		}}},
		{Key: "tags", Value: tags},
		{Key: "paths", Value: paths},
		{Key: "components", Value: render.Object{
			{Key: "securitySchemes", Value: render.Object{
				{Key: "token", Value: render.Object{{Key: "type", Value: "http"}, {Key: "scheme", Value: "bearer"}}},
			}},
			{Key: "responses", Value: render.Object{{Key: "Failure", Value: render.Object{
				{Key: "description", Value: "A failure, with its code"},
				{Key: "content", Value: content("application/json", reference(failed))},
			}}}},
			{Key: "schemas", Value: parts.components},
		}},
		{Key: "security", Value: []any{render.Object{{Key: "token", Value: []any{}}}}},
	}
}

// operations are the methods of the path of a verb of a service.
func operations(s *service.Service, verb *registry.Verb, parts *bundle) render.Object {
	methods := render.Object{}
	answers := responses(verb, parts.answer(verb))
	if verb.Effect == registry.Reads {
		get := operation(verb, "get")
		get.Set("parameters", parameters(s, verb))
		get.Set("responses", answers)
		methods.Set("get", get)
	}
	post := operation(verb, "post")
	post.Set("parameters", []any{fieldsParameterOf(verb)})
	post.Set("requestBody", render.Object{
		{Key: "required", Value: true}, {Key: "content", Value: content("application/json", s.Schema(verb))},
	})
	post.Set("responses", answers)
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

func responses(verb *registry.Verb, answer schema) render.Object {
	kind := "application/json"
	if verb.Streams {
		kind = "application/x-ndjson"
	}
	all := render.Object{{Key: "200", Value: render.Object{
		{Key: "description", Value: "The answer"}, {Key: "content", Value: content(kind, answer)},
	}}}
	return append(all, failures()...)
}

func failures() render.Object {
	failure := render.Object{{Key: "$ref", Value: "#/components/responses/Failure"}}
	return render.Object{{Key: "4XX", Value: failure}, {Key: "5XX", Value: failure}}
}

func content(kind string, schema any) render.Object {
	return render.Object{{Key: kind, Value: render.Object{{Key: "schema", Value: schema}}}}
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
			{Key: "calls", Value: render.Object{
				{Key: "type", Value: "array"},
				{Key: "description", Value: "The requests that help"},
				{Key: "items", Value: render.Object{
					{Key: "type", Value: "object"},
					{Key: "properties", Value: render.Object{
						{Key: "method", Value: text("Its method")},
						{Key: "path", Value: text("Its path")},
						{Key: "body", Value: render.Object{{Key: "type", Value: "object"}}},
					}},
				}},
			}},
		}},
		{Key: "required", Value: []string{"success", "error", "error_code"}},
	}
}

// otherPaths is the heading of the paths that call no verb by its name.
const otherPaths = "Other"

// otherPath is a path that calls no verb by its name.
type otherPath struct {
	path, method, id, summary, kind string
	// parameters are the parameters of the URL, each with its name and its help.
	parameters [][2]string
	// open paths need no token; takes is true for those with a body.
	open, takes bool
}

const (
	jsonKind   = "application/json"
	streamKind = "text/event-stream"
)

var others = []otherPath{
	{
		path: API + "events", method: "get", id: "get-events", kind: streamKind,
		summary: "Events as they happen: the data of each is a line of the verb watch", parameters: [][2]string{
			{"since", "rev:N continues after that revision"},
			{"session", "Only this session"},
			{"types", "Only these types, separated by commas"},
		},
	},
	{
		path: API + "live", method: "get", id: "get-live", kind: streamKind,
		summary:    "Screens of panes as they change, and word of other changes",
		parameters: [][2]string{{"panes", "Ids of panes, separated by commas"}},
	},
	{path: "/api/sessions", method: "get", id: "get-crews", kind: jsonKind, summary: "Crews"},
	{
		path: "/api/sessions/{id}", method: "get", id: "get-crew", kind: jsonKind,
		summary: "A crew, and what was said in it",
	},
	{path: "/api/stats", method: "get", id: "get-crew-counts", kind: jsonKind, summary: "Crews by their state"},
	{
		path: "/api/events", method: "get", id: "get-crew-events", kind: streamKind, summary: "Events of crews",
		parameters: [][2]string{{"session", "The id of a crew"}, {"types", "Only these types, separated by commas"}},
	},
	{
		path: "/api/ingest", method: "post", id: "post-crew-events", kind: jsonKind, takes: true,
		summary: "Pass events of a crew on that runs on another machine",
	},
	{path: "/mcp", method: "post", id: "post-mcp", kind: jsonKind, takes: true, summary: "The MCP server"},
	{path: "/metrics", method: "get", id: "get-openmetrics", kind: "application/openmetrics-text", summary: "Metrics"},
	{path: "/healthz", method: "get", id: "get-healthz", kind: jsonKind, summary: "Whether it answers", open: true},
}

func (o *otherPath) operation() render.Object {
	text := render.Object{{Key: "type", Value: "string"}}
	parameters := []any{}
	if strings.Contains(o.path, "{id}") {
		parameters = append(parameters, render.Object{
			{Key: "name", Value: "id"},
			{Key: "in", Value: "path"},
			{Key: "required", Value: true},
			{Key: "schema", Value: text},
		})
	}
	for _, parameter := range o.parameters {
		parameters = append(parameters, render.Object{
			{Key: "name", Value: parameter[0]},
			{Key: "in", Value: "query"},
			{Key: "description", Value: parameter[1]},
			{Key: "schema", Value: text},
		})
	}
	shape := text
	if o.kind == jsonKind {
		shape = render.Object{{Key: "type", Value: "object"}}
	}
	success := render.Object{{Key: "200", Value: render.Object{
		{Key: "description", Value: "The answer"}, {Key: "content", Value: content(o.kind, shape)},
	}}}
	operation := render.Object{
		{Key: "operationId", Value: o.id},
		{Key: "tags", Value: []string{otherPaths}},
		{Key: "summary", Value: o.summary},
	}
	if len(parameters) > 0 {
		operation.Set("parameters", parameters)
	}
	if o.takes {
		operation.Set("requestBody", render.Object{
			{Key: "required", Value: true},
			{Key: "content", Value: content(jsonKind, render.Object{{Key: "type", Value: "object"}})},
		})
	}
	if o.open {
		operation.Set("security", []any{})
	}
	operation.Set("responses", append(success, failures()...))
	return operation
}

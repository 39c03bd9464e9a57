package verbs

import (
	"bytes"
	"encoding/json"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
	"cupola/robot"
	"cupola/robot/http"
	"cupola/robot/mcp"
	"cupola/robot/service"
)

// TestEveryExampleAnswersTheSameOnEveryFace gives each example of each verb to the command line, to MCP and to HTTP.
func TestEveryExampleAnswersTheSameOnEveryFace(t *testing.T) {
	for _, verb := range allVerbs().Verbs {
		if verb.Local {
			continue
		}
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			stage := func() *robot.Face { return faceOf(t, verb) }
			if verb.Effect == registry.Reads { // one stage is enough
				shared := faceOf(t, verb)
				stage = func() *robot.Face { copied := *shared; return &copied }
			}
			for _, a := range answersOf(t, verb) {
				example := a.example
				if changesWithEachCall(example) {
					continue
				}
				input := map[string]any{}
				for _, given := range registry.Values(verb, exampleOf(t, verb, example)) {
					input[given.Name] = given.Value
				}
				want := compared(t, verb, a.raw)
				if got := overHTTP(t, serviceOf(stage), verb, input); !alike(got, want) {
					t.Errorf("%s\nover HTTP:        %s\non a command line: %s", example, got, want)
				}
				if verb.Streams {
					continue // MCP has the lines in one value
				}
				got := overMCP(t, serviceOf(stage), verb, input)
				if whole := len(want) < 40_000; whole && !alike(got, want) || !whole && len(got) >= len(want) {
					t.Errorf("%s\nover MCP:         %s\non a command line: %s", example, got, want)
				}
			}
		})
	}
}

// changesWithEachCall reports whether an example answers with something new each time.
func changesWithEachCall(example string) bool {
	return strings.Contains(example, "--background") || strings.Contains(example, "agent-session-init")
}

// faceOf is a face on an environment of its own.
func faceOf(t *testing.T, verb *registry.Verb) *robot.Face {
	t.Helper()
	return &robot.Face{
		Env: stagedFor(t, &verbtest.Server{}, verb), Started: verbtest.Noon,
		Now:      func() time.Time { return verbtest.Noon },
		Revision: func() core.Revision { return 0 },
	}
}

// serviceOf answers each call on a stage.
func serviceOf(stage func() *robot.Face) *service.Service {
	return &service.Service{
		Catalog: allVerbs(), Border: registry.Border{Level: registry.Destroys, Commands: true}, Escapes: true,
		Open: func(core.ProgressFunc) (*robot.Face, func()) { return stage(), func() {} },
	}
}

// alike reports whether answers differ at most in what is the machine's.
func alike(got, want string) bool { return got == want || machineless(got) == machineless(want) }

// compared is an answer without the calls that MCP adds, and with a failure in the words of servers.
func compared(t *testing.T, verb *registry.Verb, text string) string {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return text
	}
	delete(document, "calls")
	if document["success"] == false {
		for _, name := range []string{"error", "hint", "details"} {
			document[name] = worded(verb, document[name])
		}
	}
	next, _ := document["next_actions"].([]any)
	for _, action := range next {
		if row, is := action.(map[string]any); is {
			delete(row, "call")
		}
	}
	for name, value := range document {
		if value == nil {
			delete(document, name)
		}
	}
	sorted, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

// worded is a value whose texts are in the words of servers.
func worded(verb *registry.Verb, value any) any {
	switch value := value.(type) {
	case string:
		return service.Worded(verb, value)
	case []any:
		for i := range value {
			value[i] = worded(verb, value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = worded(verb, value[name])
		}
	}
	return value
}

func overHTTP(t *testing.T, s *service.Service, verb *registry.Verb, input map[string]any) string {
	t.Helper()
	body, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	server := http.New(http.Options{Service: s, Guard: &http.Guard{Token: "x"}})
	request := httptest.NewRequestWithContext(t.Context(), nethttp.MethodPost, "http://localhost"+http.API+verb.Name,
		bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer x")
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	server.Handler().ServeHTTP(response, request)
	return compared(t, verb, response.Body.String())
}

func overMCP(t *testing.T, s *service.Service, verb *registry.Verb, input map[string]any) string {
	t.Helper()
	server := mcp.New(mcp.Options{Service: s})
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	result, err := client.CallTool(t.Context(), &sdk.CallToolParams{
		Name:      "cupola_call",
		Arguments: map[string]any{"verb": verb.Name, "input": input, "response_format": "detailed"},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := result.Content[0].(*sdk.TextContent)
	return compared(t, verb, text.Text)
}

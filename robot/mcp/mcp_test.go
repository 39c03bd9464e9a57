package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core/config/palette"
	"cupola/core/verb/registry"
	"cupola/robot/mcp"
	"cupola/robot/service"
	"cupola/robot/service/servicetest"
)

// client connects to a server over the fleet of two sessions.
func client(t *testing.T, change func(*service.Service)) *sdk.ClientSession {
	t.Helper()
	s := servicetest.New(t)
	if change != nil {
		change(s)
	}
	server := mcp.New(mcp.Options{
		Service: s, Version: "1.2.3",
		Prompts: func() ([]palette.Prompt, error) {
			return []palette.Prompt{
				{Key: "review", Label: "Review", Text: "Review the diff."},
				{Key: "web", Label: "Web", Text: "For web alone.", Sessions: []string{"web"}},
			}, nil
		},
		Parse: func(command string) (*registry.Verb, any, bool) {
			verb := s.Catalog.Find("status")
			input := verb.Zero()
			return verb, input, command == "cupola status"
		},
	})
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool, and returns the text of its answer.
func call(t *testing.T, c *sdk.ClientSession, name string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	content, _ := result.Content[0].(*sdk.TextContent)
	if !result.IsError {
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil || !sameJSON(t, string(structured), content.Text) {
			t.Errorf("%s: the text and the structure differ: %v", name, err)
		}
	}
	return content.Text, result.IsError
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var left, right any
	if err := json.Unmarshal([]byte(a), &left); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &right); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(left) == fmt.Sprint(right)
}

func TestToolsSayWhatTheyDo(t *testing.T) {
	listed := func(allow registry.Effect) (names []string) {
		c := client(t, func(s *service.Service) { s.Border.Level = allow })
		for tool, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
			schema, err := json.Marshal(tool.InputSchema)
			if err != nil || tool.Description == "" || tool.Title == "" || strings.Contains(string(schema), "null") ||
				!strings.Contains(string(schema), `"additionalProperties":false`) {
				t.Errorf("%s: %v %q %s", tool.Name, err, tool.Description, schema)
			}
			hints := tool.Annotations
			if hints.DestructiveHint == nil || allow != registry.Destroys && *hints.DestructiveHint {
				t.Errorf("%s may destroy where only %s is allowed", tool.Name, allow)
			}
			if allow == registry.Reads && !hints.ReadOnlyHint {
				t.Errorf("%s does more than reading", tool.Name)
			}
		}
		return names
	}
	all := listed(registry.Destroys)
	for _, name := range []string{"cupola_status", "cupola_send", "cupola_kill", "cupola_crew", "cupola_call"} {
		if !slices.Contains(all, name) {
			t.Errorf("no %s among %v", name, all)
		}
	}
	for allow, gone := range map[registry.Effect]string{registry.Writes: "cupola_kill", registry.Reads: "cupola_send"} {
		if slices.Contains(listed(allow), gone) {
			t.Errorf("%s is there where %s are allowed", gone, allow)
		}
	}
}

func TestToolsCallTheirVerbs(t *testing.T) {
	c := client(t, nil)
	for name, test := range map[string]struct {
		tool      string
		arguments map[string]any
		failed    bool
		part      string
	}{
		"one verb":    {"cupola_tail", map[string]any{"session": "api", "lines": 2}, false, `"two()"`},
		"in short":    {"cupola_status", map[string]any{}, false, `"limit":50`},
		"in detail":   {"cupola_status", map[string]any{"response_format": "detailed"}, false, `"foreign":true`},
		"an odd form": {"cupola_status", map[string]any{"response_format": "long"}, true, "concise or detailed"},
		"an action":   {"cupola_crew", map[string]any{"action": "list"}, false, `"crews":[]`},
		"no action":   {"cupola_crew", map[string]any{}, true, "It is one of run, list"},
		"another":     {"cupola_crew", map[string]any{"action": "lst"}, true, `not \"lst\"`},
		"any verb":    {"cupola_call", map[string]any{"verb": "version"}, false, `"success":true`},
		"with input": {
			"cupola_call", map[string]any{"verb": "tail", "input": map[string]any{"session": "api"}}, false, "two()",
		},
		"input outside": {"cupola_call", map[string]any{"verb": "tail", "session": "api"}, true, "belongs into input"},
		"no object":     {"cupola_call", map[string]any{"verb": "tail", "input": "api"}, true, "no JSON object"},
		"no verb":       {"cupola_call", map[string]any{"verb": "tial"}, true, `"suggestions":["tail"]`},
		"what fails":    {"cupola_tail", map[string]any{"session": "nosuch"}, true, `"calls":[{"tool":"cupola_status"`},
		"kept back":     {"cupola_call", map[string]any{"verb": "kill"}, true, "allows writes"},
	} {
		t.Run(name, func(t *testing.T) {
			text, failed := call(t, c, test.tool, test.arguments)
			if failed != test.failed || !strings.Contains(text, test.part) {
				t.Errorf("failed %v: %.600s", failed, text)
			}
		})
	}
}

func TestLongAnswersAreCutToWhatAgentsTake(t *testing.T) {
	c := client(t, nil)
	for _, verb := range []string{"robot-docs", "docs", "capabilities"} {
		text, failed := call(t, c, "cupola_call",
			map[string]any{"verb": verb, "input": map[string]any{}, "response_format": "detailed"})
		if failed || len(text) > 64_000 {
			t.Errorf("%s: failed %v with %d bytes", verb, failed, len(text))
		}
		if len(text) > 48_000 && !strings.Contains(text, "the answer was too long") {
			t.Errorf("%s is cut and does not say so: %.300s", verb, text)
		}
	}
}

func TestResourcesAreScreensAndDocs(t *testing.T) {
	c := client(t, func(s *service.Service) { s.Border.Sessions = []string{"api"} })
	read := func(uri string) (string, error) {
		result, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return result.Contents[0].Text, nil
	}
	if text, err := read("cupola://sessions/api/panes/1/screen"); err != nil || !strings.Contains(text, "two()") {
		t.Errorf("%v: %s", err, text)
	}
	for _, uri := range []string{
		"cupola://sessions/web/panes/1/screen", "cupola://sessions/api/panes/9/screen", "cupola://nosuch",
		"cupola://sessions/api%2F..%2Fweb/panes/1/screen",
	} {
		if text, err := read(uri); err == nil {
			t.Errorf("%s: %s", uri, text)
		}
	}
}

func TestPanesOfResourcesAreCompleted(t *testing.T) {
	complete := func(c *sdk.ClientSession, argument, begun string, known map[string]string) []string {
		result, err := c.Complete(t.Context(), &sdk.CompleteParams{
			Ref: &sdk.CompleteReference{
				Type: "ref/resource", URI: "cupola://sessions/{session}/panes/{pane}/screen",
			},
			Argument: sdk.CompleteParamsArgument{Name: argument, Value: begun},
			Context:  &sdk.CompleteContext{Arguments: known},
		})
		if err != nil {
			t.Fatal(err)
		}
		return result.Completion.Values
	}
	c := client(t, nil)
	for _, test := range []struct {
		argument, begun, session string
		want                     []string
	}{
		{"session", "", "", []string{"api", "web"}},
		{"session", "w", "", []string{"web"}},
		{"session", "x", "", []string{}},
		{"pane", "", "api", []string{"0", "1"}},
		{"pane", "", "nosuch", []string{}},
	} {
		got := complete(c, test.argument, test.begun, map[string]string{"session": test.session})
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q", test, got)
		}
	}
	confined := client(t, func(s *service.Service) { s.Border.Sessions = []string{"web", "other"} })
	if got := complete(confined, "session", "", nil); !slices.Equal(got, []string{"web"}) {
		t.Errorf("confined: %q", got)
	}
	for resource, err := range confined.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := confined.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: resource.URI}); err != nil {
			t.Errorf("%s is listed: %v", resource.URI, err)
		}
	}
}

func TestPromptsAreTheSavedOnes(t *testing.T) {
	c := client(t, func(s *service.Service) { s.Border.Sessions = []string{"api"} })
	var names []string
	for prompt, err := range c.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, prompt.Name)
	}
	if !slices.Equal(names, []string{"review"}) {
		t.Errorf("prompts %v", names)
	}
	result, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "review"})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := result.Messages[0].Content.(*sdk.TextContent); text == nil || text.Text != "Review the diff." {
		t.Errorf("the prompt is %v", result.Messages[0].Content)
	}
}

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
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
	return connect(t, mcp.New(mcp.Options{
		Service: s, Version: "1.2.3", Tools: mcp.Choice{Sets: []string{"all"}},
		Prompts: func() ([]palette.Prompt, error) {
			return []palette.Prompt{
				{Key: "review", Label: "Review", Text: "Review the diff."},
				{Key: "web", Label: "Web", Text: "For web alone.", Sessions: []string{"web"}},
			}, nil
		},
	}), nil)
}

// connect connects to a server as a client that may be able to ask its user.
func connect(t *testing.T, server *mcp.Server, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	implementation := &sdk.Implementation{Name: "test", Version: "1"}
	session, err := sdk.NewClient(implementation, options).Connect(t.Context(), near, nil)
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
		validates(t, c, name, result.StructuredContent)
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
		"an action":   {"cupola_runs", map[string]any{"action": "list"}, false, `"runs":[]`},
		"no action":   {"cupola_runs", map[string]any{}, true, "It is one of list, show"},
		"its own":     {"cupola_budget", map[string]any{}, false, `"ceilings":`},
		"another":     {"cupola_runs", map[string]any{"action": "lst"}, true, `not \"lst\"`},
		"a stream":    {"cupola_tail", map[string]any{"session": "api", "follow": true, "timeout": "50ms"}, false, `"reason":"timeout"`},
		"words":       {"cupola_tail", map[string]any{"session": "api", "lines": "many"}, true, `"error":"lines: `},
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
	complete := func(c *sdk.ClientSession, argument, typed string, known map[string]string) []string {
		result, err := c.Complete(t.Context(), &sdk.CompleteParams{
			Ref: &sdk.CompleteReference{
				Type: "ref/resource", URI: "cupola://sessions/{session}/panes/{pane}/screen",
			},
			Argument: sdk.CompleteParamsArgument{Name: argument, Value: typed},
			Context:  &sdk.CompleteContext{Arguments: known},
		})
		if err != nil {
			t.Fatal(err)
		}
		return result.Completion.Values
	}
	c := client(t, nil)
	for _, test := range []struct {
		argument, typed, session string
		want                     []string
	}{
		{"session", "", "", []string{"api", "web"}},
		{"session", "w", "", []string{"web"}},
		{"session", "x", "", []string{}},
		{"pane", "", "api", []string{"0", "1"}},
		{"pane", "", "nosuch", []string{}},
	} {
		got := complete(c, test.argument, test.typed, map[string]string{"session": test.session})
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

// validates checks the structure of an answer against what its tool declares.
func validates(t *testing.T, c *sdk.ClientSession, name string, structure any) {
	t.Helper()
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil || tool.Name != name {
			continue
		}
		declared, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(declared, &schema); err != nil || schema.Type != "object" {
			t.Fatalf("%s declares %s: %v", name, declared, err)
		}
		resolved, err := schema.Resolve(nil)
		if err == nil {
			err = resolved.Validate(structure)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// server is a server over the fleet of two sessions with some tools.
func server(t *testing.T, tools mcp.Choice) *mcp.Server {
	t.Helper()
	return mcp.New(mcp.Options{
		Service: servicetest.New(t), Version: "1.2.3", Tools: tools,
		Fleet: func() string { return "the fleet of a test" },
	})
}

// bytesOfCore are the most bytes of the tools that are offered where no others are asked for: 4,000 tokens, of 4.45
// bytes each for such texts in the vocabulary o200k.
const bytesOfCore = 17_800

func TestToolsAreOfferedInSets(t *testing.T) {
	for name, test := range map[string]struct {
		tools     mcp.Choice
		has, lack []string
	}{
		"none":  {mcp.Choice{}, []string{"send", "call"}, []string{"crew", "runs", "budget"}},
		"a set": {mcp.Choice{Sets: []string{"crew"}}, []string{"crew", "runs", "call"}, []string{"send", "story"}},
		"two":   {mcp.Choice{Sets: []string{"core", "relay"}}, []string{"send", "relay", "runs"}, []string{"crew"}},
		"all":   {mcp.Choice{Sets: []string{"all"}}, []string{"send", "crew", "story", "budget", "worktrees"}, nil},
		"by name": {
			mcp.Choice{Only: []string{"cupola_send", "wait"}}, []string{"send", "wait"}, []string{"call", "tail"},
		},
		"but one": {mcp.Choice{Except: []string{"spawn", "call"}}, []string{"send"}, []string{"spawn", "call"}},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			size := 0
			for tool, err := range connect(t, server(t, test.tools), nil).Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(tool)
				if err != nil || strings.Contains(string(text), "--") {
					t.Errorf("%v %s", err, text)
				}
				names, size = append(names, strings.TrimPrefix(tool.Name, "cupola_")), size+len(text)
			}
			for _, wanted := range test.has {
				if !slices.Contains(names, wanted) {
					t.Errorf("no %s among %v", wanted, names)
				}
			}
			for _, unwanted := range test.lack {
				if slices.Contains(names, unwanted) {
					t.Errorf("%s among %v", unwanted, names)
				}
			}
			if name == "none" && size > bytesOfCore {
				t.Errorf("%d bytes", size)
			}
		})
	}
	for part, wrong := range map[string]mcp.Choice{
		"--toolsets": {Sets: []string{"cor"}}, "--tools": {Only: []string{"sned"}},
		"--exclude-tools": {Except: []string{"cupola_sned"}},
	} {
		if err := wrong.Check(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestWhatDestroysIsAskedOfTheUser(t *testing.T) {
	for name, test := range map[string]struct {
		action string
		part   string
	}{
		"allowed": {"accept", `"success":true`},
		"not":     {"decline", "the user did not allow it"},
		"closed":  {"cancel", "the user did not allow it"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			c := connect(t, server(t, mcp.Choice{}), &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = r.Params.Message
					return &sdk.ElicitResult{Action: test.action, Content: map[string]any{}}, nil
				},
			})
			listed := false
			for tool, err := range c.Tools(t.Context(), nil) {
				listed = listed || err == nil && tool.Name == "cupola_kill"
			}
			text, _ := call(t, c, "cupola_kill", map[string]any{"session": "web"})
			if !listed || !strings.Contains(text, test.part) || !strings.Contains(asked, "cupola kill web") {
				t.Errorf("listed %v, asked %q: %.400s", listed, asked, text)
			}
		})
	}
}

func TestNoSessionsSaysWhoseFleet(t *testing.T) {
	c := connect(t, server(t, mcp.Choice{}), nil)
	if text, _ := call(t, c, "cupola_status", map[string]any{"session": "api"}); strings.Contains(text, "of a test") {
		t.Errorf("%.400s", text)
	}
}

func TestPanesThatAreNotThereAreNotSubscribedTo(t *testing.T) {
	for uri, want := range map[string]string{
		"cupola://sessions/api/panes/1/screen":   `"result":{}`,
		"cupola://sessions/api/panes/1/reply":    `"result":{}`,
		"cupola://sessions/api/panes/9/screen":   `"error":{`,
		"cupola://sessions/nosuch/panes/1/reply": `"error":{`,
	} {
		text := served(t, opening+`{"jsonrpc":"2.0","id":"asked","method":"resources/subscribe","params":{"uri":"`+uri+`"}}`)
		if !strings.Contains(text, `"id":"asked",`+want) {
			t.Errorf("%s: %s", uri, text)
		}
	}
}

// opening is how a client of an older version of the protocol begins.
const opening = `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// served returns the output of a server to a client that writes a text.
func served(t *testing.T, text string) string {
	t.Helper()
	in, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, text+"\n")
		_ = out.Close()
	}()
	var got closable
	if err := server(t, mcp.Choice{}).Serve(t.Context(), in, &got); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	return got.String()
}

func TestLinesThatAreNoMessagesAreAnswered(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
	for line, code := range map[string]string{
		"garbage": "-32700", "{": "-32700", `"text"`: "-32600", "7": "-32600", "null": "-32600", "[]": "-32600", "{}": "-32600",
		`[{}]`: "-32600", `{"jsonrpc":"1.0","id":1,"method":"ping"}`: "-32600", `{"jsonrpc":"2.0","id":1}`: "-32600",
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:             "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":"no"}`: "-32600",
		strings.Repeat("x", 5<<20):                               "-32600",
	} {
		text := served(t, line+"\n\n"+opening+line+"\n"+ping)
		if strings.Count(text, code) != 2 || !strings.Contains(text, `"id":"last"`) {
			t.Errorf("%.60s: %.600s", line, text)
		}
	}
}

// closable is a buffer that is closed without effect.
type closable struct{ bytes.Buffer }

func (*closable) Close() error { return nil }

//go:build servers

package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
)

// The conformance suite asks for tools, resources and prompts of these names, which answer what it wants to see. Those
// that ask the client something are missing, since this server asks clients nothing: see testdata/conformance.yml.

// content returns the answer of a tool of the suite.
type content func(ctx context.Context, request *sdk.CallToolRequest) ([]sdk.Content, error)

// addFixtures adds what the suite asks for to a server.
func addFixtures(t *testing.T, server *sdk.Server) {
	t.Helper()
	pixel, err := base64.StdEncoding.DecodeString(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	silence := append([]byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"),
		"\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"...)
	embedded := &sdk.EmbeddedResource{
		Resource: &sdk.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "embedded"},
	}
	image := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	for name, answer := range map[string]content{
		"test_simple_text":            always(&sdk.TextContent{Text: "This is a simple text response for testing."}),
		"test_image_content":          always(image),
		"test_audio_content":          always(&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"}),
		"test_embedded_resource":      always(embedded),
		"test_multiple_content_types": always(&sdk.TextContent{Text: "text"}, image, embedded),
		"test_error_handling": func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
			return nil, errors.New("this tool fails for testing")
		},
		"test_tool_with_progress":    progresses,
		"test_reconnection":          reconnects,
		"test_missing_capability":    misses,
		"test_streaming_elicitation": always(&sdk.TextContent{Text: "nothing was asked"}),
		"test_logging_tool":          always(&sdk.TextContent{Text: "nothing was logged"}),
		"test_trigger_tool_change": func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
			addTool(server, "test_transient_tool", `{"type":"object"}`, always())
			return []sdk.Content{&sdk.TextContent{Text: "added"}}, nil
		},
		"test_trigger_prompt_change": func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
			server.AddPrompt(&sdk.Prompt{Name: "test_transient_prompt", Description: "Added"}, says("nothing", ""))
			return []sdk.Content{&sdk.TextContent{Text: "added"}}, nil
		},
	} {
		addTool(server, name, `{"type":"object"}`, answer)
	}
	addTool(server, "test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string",
		"x-mcp-header":"Region"},"level":{"type":"integer"}}}`, always(&sdk.TextContent{Text: "seen"}))
	addTool(server, "json_schema_2020_12_tool", dialect, always(&sdk.TextContent{Text: "seen"}))
	addResources(server, pixel)
	server.AddReceivingMiddleware(watchesTheFleet)
	server.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "A prompt"}, says("A simple prompt.", ""))
	server.AddPrompt(&sdk.Prompt{
		Name: "test_prompt_with_arguments", Description: "A prompt",
		Arguments: []*sdk.PromptArgument{
			{Name: "arg1", Description: "The first", Required: true},
			{Name: "arg2", Description: "The second", Required: true},
		},
	}, says("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'", ""))
	server.AddPrompt(&sdk.Prompt{
		Name: "test_prompt_with_embedded_resource", Description: "A prompt",
		Arguments: []*sdk.PromptArgument{{Name: "resourceUri", Description: "A resource", Required: true}},
	}, says("Please look at it.", "resourceUri"))
	server.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "A prompt"},
		func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: image}}}, nil
		})
}

// dialect is a schema with words that only draft 2020-12 of JSON Schema has.
const dialect = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},
		"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

// addTool adds a tool that answers the content; an error that is none of the protocol becomes a failed result.
func addTool(server *sdk.Server, name, schema string, answer content) {
	declared := &sdk.Tool{Name: name, Description: "For the conformance suite", InputSchema: json.RawMessage(schema)}
	server.AddTool(declared, func(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		parts, err := answer(ctx, request)
		if protocol := (*jsonrpc.Error)(nil); errors.As(err, &protocol) {
			return nil, err
		}
		if err != nil {
			parts = []sdk.Content{&sdk.TextContent{Text: err.Error()}}
		}
		return &sdk.CallToolResult{Content: parts, IsError: err != nil}, nil
	})
}

func always(parts ...sdk.Content) content {
	return func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) { return parts, nil }
}

// progresses reports three times how far it is.
func progresses(ctx context.Context, request *sdk.CallToolRequest) ([]sdk.Content, error) {
	token := request.Params.GetProgressToken()
	for _, at := range []float64{0, 50, 100} {
		err := request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: at, Total: 100, Message: "on the way",
		})
		if err != nil {
			return nil, err
		}
	}
	return []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(token)}}, nil
}

// reconnects closes the stream before it answers.
func reconnects(ctx context.Context, request *sdk.CallToolRequest) ([]sdk.Content, error) {
	if request.Extra != nil && request.Extra.CloseSSEStream != nil {
		request.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	return []sdk.Content{&sdk.TextContent{Text: "connected again"}}, core.Sleep(ctx, 100*time.Millisecond)
}

// misses needs a client that samples.
func misses(_ context.Context, request *sdk.CallToolRequest) ([]sdk.Content, error) {
	//nolint:staticcheck // it is deprecated, and the suite asks for it
	if has := request.ClientCapabilities(); has != nil && has.Sampling != nil {
		return []sdk.Content{&sdk.TextContent{Text: "it samples"}}, nil
	}
	//nolint:staticcheck // as above
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{
		Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client does not sample", Data: data,
	}
}

// says is a prompt with its arguments in it, and the resource that an argument names.
func says(text, resource string) sdk.PromptHandler {
	return func(_ context.Context, request *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		filled := text
		for name, value := range request.Params.Arguments {
			filled = strings.ReplaceAll(filled, "{"+name+"}", value)
		}
		var messages []*sdk.PromptMessage
		if uri := request.Params.Arguments[resource]; uri != "" {
			messages = append(messages, &sdk.PromptMessage{Role: "user", Content: &sdk.EmbeddedResource{
				Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "embedded"},
			}})
		}
		return &sdk.GetPromptResult{
			Messages: append(messages, &sdk.PromptMessage{Role: "user", Content: &sdk.TextContent{Text: filled}}),
		}, nil
	}
}

func addResources(server *sdk.Server, pixel []byte) {
	read := func(kind, text string, blob []byte) sdk.ResourceHandler {
		return func(_ context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			uri := request.Params.URI
			id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: uri, MIMEType: kind, Text: strings.ReplaceAll(text, "{id}", id), Blob: blob,
			}}}, nil
		}
	}
	for name, handler := range map[string]sdk.ResourceHandler{
		"static-text":      read("text/plain", "This is the content of the static text resource.", nil),
		"static-binary":    read("image/png", "", pixel),
		"watched-resource": read("text/plain", "Watched", nil),
	} {
		server.AddResource(&sdk.Resource{Name: name, URI: "test://" + name, MIMEType: "text/plain"}, handler)
	}
	server.AddResourceTemplate(
		&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		read("application/json", `{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}`, nil))
}

// watchesTheFleet lets the suite, which subscribes to a resource of its own, subscribe to the status.
func watchesTheFleet(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		switch params := request.GetParams().(type) {
		case *sdk.SubscribeParams:
			params.URI = "cupola://status"
		case *sdk.UnsubscribeParams:
			params.URI = "cupola://status"
		}
		return next(ctx, method, request)
	}
}

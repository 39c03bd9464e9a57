package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// The forms of an answer.
const (
	concise  = "concise"
	detailed = "detailed"
)

// usualColumns is the preset of a concise list.
const usualColumns = "standard"

// Limits of an answer. Agents cut or refuse what is longer.
const (
	// maxAnswer is the most bytes of an answer.
	maxAnswer = 48_000
	// usualRows is how many rows a concise list has where the caller set no limit.
	usualRows = 50
	// maxLines is how many lines of a stream are returned.
	maxLines = 500
	// progressEvery is how often progress is reported at most, and unchangedEvery how often what has not changed is.
	progressEvery  = 500 * time.Millisecond
	unchangedEvery = 15 * time.Second
)

// handler calls a verb that choose finds among the arguments, from which it takes what is no input of the verb.
func (s *Server) handler(choose func(arguments map[string]any) (*registry.Verb, error)) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, err := decoded(request.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		form, err := formOf(arguments)
		if err != nil {
			return failed(err), nil
		}
		verb, err := choose(arguments)
		if err != nil {
			return failed(err), nil
		}
		return s.call(ctx, request, verb, arguments, form), nil
	}
}

// decoded are the arguments of a call; a whole number stays one.
func decoded(raw json.RawMessage) (map[string]any, error) {
	arguments := map[string]any{}
	if len(raw) == 0 {
		return arguments, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil || arguments == nil {
		return nil, core.Errorf(core.InvalidInput, "the arguments are no JSON object")
	}
	return arguments, nil
}

// formOf takes the form of the answer out of the arguments.
func formOf(arguments map[string]any) (string, error) {
	given, has := arguments[format]
	delete(arguments, format)
	if !has || given == nil {
		return concise, nil
	}
	form, _ := given.(string)
	if form != concise && form != detailed {
		return "", core.Errorf(core.InvalidInput, "%s is %s or %s, not %v", format, concise, detailed, given)
	}
	return form, nil
}

// verbOf returns what finds the verb of a tool, by its action where it has several.
func (t *tool) verbOf(verbs []*registry.Verb) func(map[string]any) (*registry.Verb, error) {
	return func(arguments map[string]any) (*registry.Verb, error) {
		if len(t.verbs) == 1 {
			return verbs[0], nil
		}
		given, _ := arguments[action].(string)
		delete(arguments, action)
		if given == "" && verbs[0].Name == t.name && verbs[0].Effect == registry.Reads {
			return verbs[0], nil
		}
		var names []string
		for _, verb := range verbs {
			name := t.actionOf(verb.Name)
			if name == given {
				return verb, nil
			}
			names = append(names, name)
		}
		message := fmt.Sprintf("%s of %s is not %q", action, prefix+t.name, core.Cut(given))
		if given == "" {
			message = prefix + t.name + " needs an " + action
		}
		return nil, &core.Error{
			Code: core.InvalidInput, Message: message,
			Hint: "It is one of " + strings.Join(names, ", ") + ".", Suggestions: names, Actions: []string{},
		}
	}
}

// anyVerbOf finds the verb that the arguments of cupola_call name, and leaves its input in them.
func (s *Server) anyVerbOf(arguments map[string]any) (*registry.Verb, error) {
	name, _ := arguments["verb"].(string)
	delete(arguments, "verb")
	verb, err := s.opts.Service.Verb(name)
	if err != nil {
		return nil, err
	}
	input, has := arguments["input"]
	delete(arguments, "input")
	for other := range arguments {
		return nil, core.Errorf(core.InvalidInput, "%s takes no %q: it belongs into input", callTool, core.Cut(other))
	}
	values, is := input.(map[string]any)
	if has && input != nil && !is {
		return nil, core.Errorf(core.InvalidInput, "input is no JSON object")
	}
	maps.Copy(arguments, values)
	return verb, nil
}

// call calls a verb and makes its answer a result.
func (s *Server) call(
	ctx context.Context, request *mcp.CallToolRequest, verb *registry.Verb, input map[string]any, form string,
) *mcp.CallToolResult {
	call := &service.Call{Verb: verb.Name, Input: input, Progress: progressOf(ctx, request)}
	user := &allowing{given: request.Params.InputResponses}
	if canConfirm(request.ClientCapabilities()) {
		call.Confirm = user.confirm
	}
	if form == concise {
		call.Usual = usualColumns
	}
	if verb.Field("limit") != nil && verb.List != "" && form == concise && input["limit"] == nil {
		input["limit"] = usualRows
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := &streamed{cancel: cancel}
	answer := s.opts.Service.Run(ctx, call, got.add)
	if user.question != "" {
		return user.ask()
	}
	if answer.Document != nil {
		_ = got.add(answer.Document) // it never fails
	}
	if got.cut {
		answer.Code = ""
	}
	document := got.document()
	result := s.result(verb, s.where(document), answer.Code)
	if answer.Code == "" && linksTo(request.Session) && slices.Contains(beginners, verb.Name) {
		result.Content = append(result.Content, links(document)...)
	}
	return result
}

// where adds to an answer without any session which fleet it is about, for a client may see another one than its user.
func (s *Server) where(document render.Object) render.Object {
	sessions, has := document.Get("sessions")
	if rows, is := sessions.([]any); !has || !is || len(rows) > 0 || s.opts.Fleet == nil {
		return document
	}
	return warned(document, "this server sees "+s.opts.Fleet()+", and there is no session; agents of another "+
		"server are not seen")
}

// streamed keeps the lines of an answer and its document, and ends a stream that has too many.
type streamed struct {
	all    []any
	size   int
	cancel func()
	cut    bool
}

// add takes one line.
func (l *streamed) add(line render.Object) error {
	if len(l.all) >= maxLines || l.size > maxAnswer {
		l.cut = true
		l.cancel()
		return nil
	}
	l.all, l.size = append(l.all, line), l.size+size(line)
	return nil
}

// document is the answer as one value: a document, or the lines of a stream.
func (l *streamed) document() render.Object {
	if len(l.all) == 1 && !l.cut {
		document, _ := l.all[0].(render.Object)
		return document
	}
	return render.Object{{Key: "lines", Value: l.all}, {Key: "cut", Value: l.cut}}
}

// result is an answer as a result: the document as structured content and, since clients show either, as text.
func (s *Server) result(verb *registry.Verb, document render.Object, code core.Code) *mcp.CallToolResult {
	text, err := encoded(fitted(verb, s.opts.Service.AddCalls(document, toolOf)))
	if err != nil {
		return failed(err)
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: code != ""}
	if code == "" {
		result.StructuredContent = json.RawMessage(text)
	}
	return result
}

// encoded is an answer as this server sends it: it is encoded here alone, and once.
func encoded(document render.Object) ([]byte, error) {
	text, err := render.Compact(document)
	if err != nil {
		return nil, core.Errorf(core.InternalError, "%w", err)
	}
	return text, nil
}

// failed is a failure before there was an answer.
func failed(err error) *mcp.CallToolResult {
	e := core.AsError(err)
	text, _ := encoded(render.Object{ // texts can always be encoded
		{Key: "success", Value: false},
		{Key: "error", Value: e.Error()},
		{Key: "error_code", Value: string(e.Code)},
		{Key: "hint", Value: e.Hint},
		{Key: "suggestions", Value: e.Suggestions},
	})
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: true}
}

// progressOf returns what notifies a client that asked for it how far a call is; nil for others.
func progressOf(ctx context.Context, request *mcp.CallToolRequest) core.ProgressFunc {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var mu sync.Mutex
	var reported time.Time
	var last core.Progress
	count := 0.0
	return func(at core.Progress) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if since := now.Sub(reported); since < progressEvery || at == last && since < unchangedEvery {
			return
		}
		reported, last = now, at
		count++
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: count, Message: strings.TrimSpace(at.Phase + ": " + at.Message),
		})
	}
}

// toolOf is the call of the tool that does what a verb does with an input.
func toolOf(verb *registry.Verb, input render.Object) render.Object {
	for i := range tools {
		t := &tools[i]
		if !slices.Contains(t.verbs, verb.Name) {
			continue
		}
		if len(t.verbs) > 1 {
			input = append(render.Object{{Key: action, Value: t.actionOf(verb.Name)}}, input...)
		}
		return toolCall(prefix+t.name, input)
	}
	return toolCall(callTool, render.Object{{Key: "verb", Value: verb.Name}, {Key: "input", Value: input}})
}

func toolCall(name string, arguments render.Object) render.Object {
	return render.Object{{Key: "tool", Value: name}, {Key: "arguments", Value: arguments}}
}

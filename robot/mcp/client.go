package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core/verb/render"
	"cupola/robot/service"
)

// linked is the first version of the protocol with links to resources.
const linked = "2025-06-18"

// beginners are the verbs whose answer links to the screens of the panes in it.
var beginners = []string{"spawn", "add"}

// mostLinks is how many panes an answer links to.
const mostLinks = 8

// versionOf is the version of the protocol that a client speaks; empty if it is unknown.
func versionOf(session *mcp.ServerSession) string {
	if session == nil || session.InitializeParams() == nil {
		return ""
	}
	return session.InitializeParams().ProtocolVersion
}

// linksTo reports whether a client knows links to resources.
func linksTo(session *mcp.ServerSession) bool { return versionOf(session) >= linked }

// links are links to the screens of the panes in an answer.
func links(document render.Object) []mcp.Content {
	var all []mcp.Content
	for _, pane := range document.Objects("panes") {
		name, number := pane.Text("session"), strconv.FormatUint(pane.Number("ordinal"), 10)
		if agent, _ := pane.Get("agent"); agent == nil || name == "" || len(all) == mostLinks {
			continue
		}
		all = append(all, &mcp.ResourceLink{
			URI: screenURI(name, number), Name: name + "." + number, MIMEType: mimeType,
			Title: "Its screen; subscribe to follow it",
		})
	}
	return all
}

// canConfirm reports whether a client that makes a request can ask its user.
func canConfirm(capabilities *mcp.ClientCapabilities) bool {
	return capabilities != nil && capabilities.Elicitation != nil
}

// allowing is the question of a call to the user of its client. A call that needs an answer ends with the question, and
// is made again with the answer; it has done nothing before.
type allowing struct {
	given    mcp.InputResponseMap
	question string
}

// allowed is the id of the question in a call.
const allowed = "allowed"

var errAsks = errors.New("the question goes to the client first")

// confirm returns the user's answer; without one it keeps the question, and fails.
func (a *allowing) confirm(_ context.Context, question string) (bool, error) {
	given, has := a.given[allowed]
	if !has {
		a.question = "An agent asks for: " + question
		return false, errAsks
	}
	answer, is := given.(*mcp.ElicitResult)
	return is && answer.Action == "accept", nil
}

// ask is the result of a call that ends with the question.
func (a *allowing) ask() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{allowed: &mcp.ElicitParams{
		Message: a.question, RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	}}}
}

// maxValues is how many values the protocol lets a completion have.
const maxValues = 100

// complete completes the session and the pane of a resource. For anything else it knows nothing.
func (s *Server) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	result := &mcp.CompleteResult{}
	result.Completion.Values = []string{}
	asked := request.Params
	if asked.Ref == nil || !strings.HasPrefix(asked.Ref.URI, scheme) {
		return result, nil
	}
	input := map[string]any{}
	if asked.Context != nil && asked.Argument.Name == "pane" {
		input["session"] = asked.Context.Arguments["session"]
	}
	var values []string
	for _, at := range s.places(ctx, input) {
		value := at.session
		if asked.Argument.Name == "pane" {
			value = strconv.FormatUint(at.ordinal, 10)
		}
		if strings.HasPrefix(value, asked.Argument.Value) && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	result.Completion.Total = len(values)
	result.Completion.HasMore = len(values) > maxValues
	result.Completion.Values = append(result.Completion.Values, values[:min(len(values), maxValues)]...)
	return result, nil
}

// place is where a pane is.
type place struct {
	session string
	ordinal uint64
}

// places returns the addresses of all panes that clients may see; none if the fleet cannot be read.
func (s *Server) places(ctx context.Context, input map[string]any) []place {
	sessions := s.opts.Service.Border.Sessions
	if given, _ := input["session"].(string); given != "" || len(sessions) == 0 {
		sessions = []string{given}
	}
	var all []place
	for _, session := range sessions {
		call := &service.Call{Verb: "status", Fields: []string{"minimal"}, Input: map[string]any{}}
		if session != "" {
			call.Input["session"] = session
		}
		for _, pane := range s.opts.Service.Read(ctx, call).Document.Objects("panes") {
			all = append(all, place{pane.Text("session"), pane.Number("ordinal")})
		}
	}
	return all
}

package mcp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/robot/service"
)

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

package mcp

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/config/palette"
	"cupola/robot/service"
)

// scheme is the scheme of the URIs of resources.
const scheme = "cupola://"

// mimeType is the type of all resources: documents of verbs.
const mimeType = "application/json"

// overview is a resource of the whole fleet, which a verb answers.
type overview struct{ uri, title, about, verb string }

var overviews = []overview{
	{scheme + "status", "Status", "Sessions, agents and their states", "status"},
	{scheme + "attention", "Attention", "Agents that need the user, the most urgent first", "attention"},
	{scheme + "docs", "Docs", "How to use Cupola", "docs"},
}

// templates are the resources of each pane. A pane is its number in the session.
var templates = []struct{ uri, title, about, part, verb string }{
	{
		scheme + "sessions/{session}/panes/{pane}/screen", "Screen of a pane",
		"What a pane shows now, as text", "screen", "tail",
	},
	{
		scheme + "sessions/{session}/panes/{pane}/reply", "Last reply of an agent",
		"What an agent said last, from its own transcript", "reply", "reply",
	},
}

// readable are the overviews that clients may read: those who are confined to several sessions must name one, and an
// overview names none.
func (s *Server) readable() []overview {
	if len(s.opts.Service.Border.Sessions) <= 1 {
		return overviews
	}
	return slices.DeleteFunc(slices.Clone(overviews), func(of overview) bool {
		verb := s.opts.Service.Catalog.Find(of.verb)
		return verb != nil && verb.Field("session") != nil
	})
}

func (s *Server) addResources() {
	for _, of := range s.readable() {
		s.mcp.AddResource(
			&mcp.Resource{URI: of.uri, Name: of.verb, Title: of.title, Description: of.about, MIMEType: mimeType},
			func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return s.read(ctx, of.uri, of.verb, map[string]any{})
			})
	}
	for i := range templates {
		of := &templates[i]
		s.mcp.AddResourceTemplate(
			&mcp.ResourceTemplate{
				URITemplate: of.uri, Name: of.part, Title: of.title, Description: of.about, MIMEType: mimeType,
			},
			func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				session, pane, ok := paneOf(request.Params.URI)
				if !ok {
					return nil, mcp.ResourceNotFoundError(request.Params.URI)
				}
				return s.read(ctx, request.Params.URI, of.verb,
					map[string]any{"session": session, "panes": []any{pane}})
			})
	}
}

// paneOf reads the URI of a resource of a pane.
func paneOf(uri string) (session, pane string, ok bool) {
	path, is := strings.CutPrefix(uri, scheme+"sessions/")
	parts := strings.Split(path, "/")
	if !is || len(parts) != 4 || parts[1] != "panes" {
		return "", "", false
	}
	session, err := url.PathUnescape(parts[0])
	if err != nil {
		return "", "", false
	}
	pane, err = url.PathUnescape(parts[2])
	return session, pane, err == nil
}

// screenURI is the URI of the screen of a pane, and replyURI that of the last reply of its agent.
func screenURI(session, pane string) string { return panesURI(session, pane) + "/screen" }
func replyURI(session, pane string) string  { return panesURI(session, pane) + "/reply" }

func panesURI(session, pane string) string {
	return scheme + "sessions/" + url.PathEscape(session) + "/panes/" + pane
}

// read answers a resource with the document of a verb.
func (s *Server) read(ctx context.Context, uri, verb string, input map[string]any) (*mcp.ReadResourceResult, error) {
	answer := s.opts.Service.Read(ctx, &service.Call{Verb: verb, Input: input})
	text, err := encoded(answer.Document)
	if err != nil {
		return nil, err
	}
	switch answer.Code {
	case "":
	case core.SessionNotFound, core.PaneNotFound, core.NotFound:
		return nil, mcp.ResourceNotFoundError(uri)
	default:
		return nil, core.Errorf(answer.Code, "%s", text)
	}
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: string(text)}},
	}, nil
}

// addPrompts adds the saved prompts of the user and of the project, as they are when the server starts. The text of one
// is read again at each use.
func (s *Server) addPrompts() {
	if s.opts.Prompts == nil {
		return
	}
	saved, err := s.opts.Prompts()
	if err != nil {
		s.opts.Log.Warn("mcp: saved prompts", "error", err)
		return
	}
	for i := range saved {
		p := &saved[i]
		if p.Shadowed || !s.offered(p) {
			continue
		}
		key := p.Key
		s.mcp.AddPrompt(&mcp.Prompt{Name: key, Title: p.Label, Description: core.Excerpt(p.Text)},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return s.saved(key) })
	}
}

// offered reports whether a prompt is for one of the sessions that clients are confined to.
func (s *Server) offered(p *palette.Prompt) bool {
	return len(s.opts.Service.Border.Sessions) == 0 || slices.ContainsFunc(s.opts.Service.Border.Sessions, p.Offered)
}

func (s *Server) saved(key string) (*mcp.GetPromptResult, error) {
	saved, err := s.opts.Prompts()
	if err != nil {
		return nil, err
	}
	found, err := palette.Find(saved, key)
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{
		Description: found.Label,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: found.Text}}},
	}, nil
}

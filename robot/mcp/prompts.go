package mcp

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/config/palette"
)

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

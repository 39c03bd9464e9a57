package mcp

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core/config/palette"
	"cupola/core/fleet/keeper"
	"cupola/robot/service"
)

// Options configures a Server. Service is required.
type Options struct {
	Service *service.Service
	Version string
	// Fleet says which fleet is seen, for clients that see none of it; nil says nothing.
	Fleet func() string
	// Tools chooses the tools that are offered; the zero value offers the core.
	Tools Choice
	// Prompts returns the saved prompts; nil has none.
	Prompts func() ([]palette.Prompt, error)
	// Watch streams the snapshot and the screens of panes, for clients that subscribe to resources; nil is none.
	Watch func(context.Context) (*keeper.Live, error)
	// Log gets the details that clients do not; nil discards it.
	Log *slog.Logger
}

// Server is an MCP server. Its methods may be called concurrently.
type Server struct {
	opts    Options
	mcp     *mcp.Server
	watcher *watcher
}

// readsLast is how long clients may keep what is read; the fleet changes at any moment.
const readsLast = time.Second

// New makes a server with its tools, resources and prompts.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: o}
	s.watcher = newWatcher(s)
	s.mcp = mcp.NewServer(
		&mcp.Implementation{Name: "cupola", Title: "Cupola", Version: o.Version},
		&mcp.ServerOptions{
			Instructions:       s.instructions(),
			Logger:             slog.New(slog.DiscardHandler),
			Capabilities:       &mcp.ServerCapabilities{},
			CompletionHandler:  s.complete,
			SubscribeHandler:   s.watcher.subscribe,
			UnsubscribeHandler: s.watcher.unsubscribe,
			SetCacheable:       cacheable,
		})
	s.addTools()
	s.addResources()
	s.addPrompts()
	return s
}

// cacheable says how long lists and what is read may be kept, and that both are the user's alone.
func cacheable(_ context.Context, request mcp.Request, c *mcp.Cacheable) {
	c.CacheScope = "private"
	if _, read := request.(*mcp.ReadResourceRequest); read {
		c.TTLMs = int(readsLast.Milliseconds())
	}
}

// MCP is the server of the library, to which tests add tools.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Serve answers one client, which writes to in and reads from out, until in ends or ctx does.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go s.watcher.run(ctx)
	return s.mcp.Run(ctx, patient{checked(in, out)})
}

// instructions returns the introduction of agents to all tools.
func (s *Server) instructions() string {
	text := "Cupola runs coding agents (Claude Code, Codex, Gemini, OpenCode, any command) in terminal sessions and " +
		"knows which works, which waits for the user and which is in trouble. Begin with cupola_attention or " +
		"cupola_status. A session holds panes: NAME is a session, NAME.N its pane number N. cupola_send delivers a " +
		"prompt and proves it; cupola_wait waits until agents are done; cupola_reply has their words. Before " +
		"cupola_answer, read what the agent asks, and repeat that in showing. Lists take limit and offset; " +
		"response_format detailed has all columns. Failures have error_code, hint and what to call next. " +
		"cupola_call calls all other verbs."
	if len(s.opts.Service.Border.Sessions) > 0 {
		text += " This server is confined to the sessions: " + strings.Join(s.opts.Service.Border.Sessions, ", ") + "."
	}
	return text
}

func (s *Server) addTools() {
	for _, t := range s.opts.Tools.chosen() {
		verbs := t.allowed(s.opts.Service)
		if len(verbs) == 0 && s.opts.Service.Asks() {
			verbs = t.asked(s.opts.Service)
		}
		if len(verbs) > 0 {
			s.mcp.AddTool(t.declare(s.opts.Service, verbs), s.handler(t.verbOf(verbs)))
		}
	}
	if s.opts.Tools.offers(callTool) {
		s.mcp.AddTool(anyVerb(s.opts.Service), s.handler(s.anyVerbOf))
	}
	s.mcp.AddReceivingMiddleware(s.withoutAsked)
}

// withoutAsked leaves the tools out of the list of a client that need the user's word, where it cannot ask for it.
func (s *Server) withoutAsked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		listed, is := result.(*mcp.ListToolsResult)
		call, _ := request.(*mcp.ListToolsRequest)
		if !is || err != nil || !s.opts.Service.Asks() || call != nil && canConfirm(call.ClientCapabilities()) {
			return result, err
		}
		without := *listed
		without.Tools = slices.DeleteFunc(slices.Clone(listed.Tools), func(declared *mcp.Tool) bool {
			return declared.Annotations != nil && declared.Annotations.DestructiveHint != nil &&
				*declared.Annotations.DestructiveHint
		})
		return &without, nil
	}
}

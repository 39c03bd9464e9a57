package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"cupola/core/agent/acp/rpc"
	"cupola/core/fleet/keeper"
	"cupola/robot/service"
)

// Options configures a Server. Service and Watch are required.
type Options struct {
	Service *service.Service
	Version string
	// Watch streams the snapshot.
	Watch func(context.Context) (*keeper.Live, error)
	// To is who gets the prompts of a new session, as an id of a mode; empty routes them.
	To string
}

// Server is the agent.
type Server struct {
	opts   Options
	editor editor
	fleet  *fleet
	verbs  verbs

	mu       sync.Mutex
	met      bool
	sessions map[string]*session
	// count numbers sessions, and last is the one that was used last.
	count int
	last  *session
	work  sync.WaitGroup
}

// New returns a server.
func New(opts Options) *Server {
	s := &Server{opts: opts, verbs: verbs{opts.Service}, sessions: map[string]*session{}}
	s.fleet = newFleet(opts.Service.Border.Sessions)
	return s
}

// mostSessions is how many sessions one editor may have open.
const mostSessions = 64

// Serve answers one editor until its input ends or ctx does. Agents keep running.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	ctx, stop := context.WithCancel(ctx)
	defer s.work.Wait()
	defer stop()
	live, err := s.opts.Watch(ctx)
	if err != nil {
		return err
	}
	asks := newAsks(s)
	s.work.Go(func() {
		s.fleet.follow(ctx, live.Frames, func() { asks.look(ctx) })
	})
	s.editor.conn = rpc.New(out, func(m *rpc.Message) { s.handle(ctx, m) }, s.fault)
	ended := make(chan error, 1)
	go func() { ended <- s.read(in) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = nil
	}
	stop()
	s.editor.conn.End(errors.New("the editor is gone"))
	select {
	case <-s.editor.conn.Written():
	case <-time.After(writeTime): // it does not read
	}
	return err
}

// writeTime is how long an editor that has closed its side may take to read the last messages.
const writeTime = time.Second

// read passes on what the editor writes, until it ends.
func (s *Server) read(in io.Reader) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := in.Read(buffer)
		if n > 0 {
			s.editor.conn.Take(buffer[:n])
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// fault answers a line that is no message. What else is wrong concerns no request of the editor.
func (s *Server) fault(f rpc.Fault) {
	if f.Code != 0 {
		s.editor.conn.Reply(json.RawMessage("null"), nil, &rpc.Error{Code: f.Code, Message: "this line is no message"})
	}
}

// method answers a request. A nil result and no error mean that the answer comes later.
type method func(ctx context.Context, m *rpc.Message) (any, *rpc.Error)

// methods are the methods of the protocol that are offered.
func (s *Server) methods() map[string]method {
	return map[string]method{
		"initialize":                s.initialize,
		"session/new":               s.newSession,
		"session/resume":            s.resumeSession,
		"session/list":              s.listSessions,
		"session/close":             s.closeSession,
		"session/set_mode":          s.setMode,
		"session/set_config_option": s.setOption,
		"session/prompt":            s.prompt,
		"session/cancel":            s.cancel,
	}
}

// handle answers a request or takes a notification.
func (s *Server) handle(ctx context.Context, m *rpc.Message) {
	call, known := s.methods()[m.Method]
	var result any
	var failed *rpc.Error
	switch {
	case !known:
		failed = &rpc.Error{Code: rpc.CodeNoMethod, Message: "not offered: " + rpc.Line(m.Method, mostWord)}
	case m.Method != "initialize" && !s.started():
		failed = &rpc.Error{Code: rpc.CodeNoRequest, Message: "the first request is initialize"}
	default:
		result, failed = call(ctx, m)
	}
	if len(m.ID) > 0 && (result != nil || failed != nil) {
		s.editor.conn.Reply(m.ID, result, failed)
	}
}

// mostWord bounds words of an editor that messages repeat, in bytes.
const mostWord = 128

// started reports whether the editor has introduced itself.
func (s *Server) started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met
}

// initialize says what is offered. Version 1 is spoken, also with editors that ask for a later one.
func (s *Server) initialize(context.Context, *rpc.Message) (any, *rpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met = true
	return map[string]any{
		"protocolVersion": 1,
		"agentCapabilities": map[string]any{
			"loadSession":         false,
			"promptCapabilities":  map[string]bool{"image": false, "audio": false, "embeddedContext": true},
			"mcpCapabilities":     map[string]bool{"http": false, "sse": false},
			"sessionCapabilities": map[string]any{"list": struct{}{}, "resume": struct{}{}, "close": struct{}{}},
		},
		"agentInfo":   map[string]string{"name": "cupola", "title": "Cupola", "version": s.opts.Version},
		"authMethods": []any{},
	}, nil
}

func badParams(text string) *rpc.Error { return &rpc.Error{Code: rpc.CodeNoParams, Message: text} }

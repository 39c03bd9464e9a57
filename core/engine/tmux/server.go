package tmux

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/tmux/wire"
	"cupola/core/system/process"
)

// Server is one tmux server. All its methods may be called concurrently.
type Server struct {
	address
	binary string
	now    func() time.Time
	auto   bool
	// timeout is how long a question may take.
	timeout time.Duration

	seeks   *seeker
	process *processes
	direct  *wire.Client // nil if only exec was asked for

	// surprise is why the socket is not used any more.
	surprise atomic.Pointer[string]
	buffers  atomic.Uint64
}

// address is where a server is.
type address struct {
	path   string
	made   bool   // path is in tmux's own folder, which may have to be made
	inside string // $TMUX
	// processes reads the processes of its machine.
	processes process.Source
}

// SocketPath returns the path of the server's socket, which names the server.
func (a *address) SocketPath() string { return a.path }

// Processes returns those of the machine of the server.
func (a *address) Processes() process.Source { return a.processes }

// effect says whether a request may be made again when its answer was lost.
type effect bool

const (
	reads  effect = false
	writes effect = true
)

// ask runs commands in one invocation and returns what they printed. An error
// is wrapped with op; what was printed before it comes along.
func (s *Server) ask(ctx context.Context, op string, kind effect, commands ...command) ([]byte, error) {
	limit := s.timeout
	if kind == writes {
		limit *= 3
	}
	return s.request(ctx, op, limit, func(ctx context.Context) (reply, error) { return s.carry(ctx, kind, commands) })
}

// request is ask by any transport, within a limit.
func (s *Server) request(
	ctx context.Context, op string, limit time.Duration, send func(context.Context) (reply, error),
) ([]byte, error) {
	r, err := answered(ctx, limit, send)
	if err == nil && r.exit != 0 {
		err = refusal(r)
	}
	if err != nil {
		return r.stdout, fmt.Errorf("%s: %w", op, explain(ctx, s, err))
	}
	return r.stdout, nil
}

// answered carries out a request that may take as long as a limit. Where the server
// takes longer, the error is engine.ErrSilent.
func answered(ctx context.Context, limit time.Duration, request func(context.Context) (reply, error)) (reply, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := request(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return reply{}, fmt.Errorf("%w: no answer within %v", engine.ErrSilent, limit)
	}
	return r, err
}

// carry chooses the transport, and turns to exec after a surprise.
func (s *Server) carry(ctx context.Context, kind effect, commands []command) (reply, error) {
	if s.direct == nil || s.surprise.Load() != nil {
		return s.process.run(ctx, commands, nil)
	}
	r, err := overSocket(ctx, s.direct, kind, commands)
	refused := errors.Is(err, wire.ErrVersion)
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, wire.ErrTooLong), errors.Is(err, wire.ErrNUL),
		errors.Is(err, wire.ErrOverflow) && kind == reads:
		return s.process.run(ctx, commands, nil)
	case !s.auto || !refused && !errors.Is(err, wire.ErrProtocol):
		return reply{}, err
	}
	note := err.Error()
	s.surprise.Store(&note)
	// A refused version was sent nothing. Otherwise what writes may have been done.
	if refused || kind == reads {
		return s.process.run(ctx, commands, nil)
	}
	return reply{}, err
}

// Overlaps returns true on the socket transport.
func (s *Server) Overlaps() bool { return s.direct != nil && s.surprise.Load() == nil }

// explain finds out whether an error without a known reason has one: a program
// that is missing or too old.
func explain(ctx context.Context, s *Server, err error) error {
	var strange anomaly
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, engine.ErrNoServer) && s.process.over == nil:
		if hides := hidden(s); hides != nil {
			return hides
		}
		if _, missing := exec.LookPath(s.binary); missing != nil {
			return fmt.Errorf("%w: %w", engine.ErrUnavailable, missing)
		}
	case errors.As(err, &strange), !known(err):
		if _, old := s.process.release(ctx); errors.Is(old, engine.ErrTooOld) {
			return old
		}
	}
	return err
}

// known reports whether err wraps a sentinel of the engine.
func known(err error) bool {
	for _, c := range complaints {
		if errors.Is(err, c.err) {
			return true
		}
	}
	return errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrSilent)
}

// Info returns which tmux program and server this is. It runs the program once in the life
// of s.
func (s *Server) Info(ctx context.Context) (engine.Info, error) {
	info := engine.Info{Program: "tmux", Socket: s.path, Transport: Exec}
	version, err := s.process.release(ctx)
	if err != nil {
		return info, fmt.Errorf("tmux version: %w", err)
	}
	info.Version = version
	if s.direct != nil && s.surprise.Load() == nil {
		// The server may be of another version than the program.
		out, err := s.ask(ctx, "server version", reads, command{"display-message", "-p", "#{version}"})
		if err != nil && !errors.Is(err, engine.ErrNoServer) {
			return info, err
		}
		if running := firstLine(out); running != "" {
			info.Version = running
		}
	}
	if why := s.surprise.Load(); why != nil {
		info.Note = *why
	} else if s.direct != nil {
		info.Transport = Socket
	}
	return info, nil
}

// Close does nothing, because a Server holds nothing between calls.
func (s *Server) Close() error { return nil }

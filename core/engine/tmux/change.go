package tmux

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"cupola/core"
)

// KillPane ends a pane. A window, and a session, end with their last pane.
func (s *Server) KillPane(ctx context.Context, pane core.PaneID) error {
	if err := checkPane(pane); err != nil {
		return fmt.Errorf("kill pane: %w", err)
	}
	_, err := s.ask(ctx, "kill pane", writes, command{"kill-pane", "-t", string(pane)})
	return err
}

// KillSession ends a session with all its panes.
func (s *Server) KillSession(ctx context.Context, session core.SessionID) error {
	if err := checkSession(session); err != nil {
		return fmt.Errorf("kill session: %w", err)
	}
	_, err := s.ask(ctx, "kill session", writes, command{"kill-session", "-t", string(session)})
	return err
}

// Rename gives a session another name. It returns an error for a name that tmux would
// change.
func (s *Server) Rename(ctx context.Context, session core.SessionID, name string) error {
	const op = "rename session"
	if err := cmp.Or(checkSession(session), checkName(name)); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	_, err := s.ask(ctx, op, writes, command{"rename-session", "-t", string(session), "--", literal(name)})
	return err
}

// Resize sets the size of the window that contains a pane. From then on the window does not
// follow the sizes of attached terminals.
func (s *Server) Resize(ctx context.Context, pane core.PaneID, width, height int) error {
	if err := checkPane(pane); err != nil {
		return fmt.Errorf("resize: %w", err)
	}
	_, err := s.ask(ctx, "resize", writes,
		command{"resize-window", "-t", string(pane), "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)})
	return err
}

// Attach returns the command line for a human's terminal: attach-session or,
// within this same server, switch-client.
func (s *Server) Attach(session core.SessionID, pane core.PaneID) []string {
	verb := "attach-session"
	if isInside(s.inside, s.path) {
		verb = "switch-client"
	}
	target := string(session)
	if pane != "" {
		target += ":." + string(pane)
	}
	argv := []string{s.binary}
	if s.path != "" {
		argv = append(argv, "-S", s.path)
	}
	return append(argv, verb, "-t", target)
}

// isInside reports whether $TMUX is the server's on a socket: PATH,PID,SESSION,
// where the path may hold commas of its own.
func isInside(environ, socket string) bool {
	path := environ
	for range 2 {
		at := strings.LastIndexByte(path, ',')
		if at < 0 {
			return false
		}
		path = path[:at]
	}
	return samePath(path, socket)
}

func samePath(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// checkName refuses what tmux would store differently: it escapes backslashes
// and some dollars, and what is not UTF-8.
func checkName(name string) error {
	if err := core.CheckSessionName(name); err != nil {
		return err
	}
	if strings.ContainsAny(name, `\$`) || !utf8.ValidString(name) {
		return fmt.Errorf("session name %q holds what tmux would change", name)
	}
	return nil
}

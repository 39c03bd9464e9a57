package tmux

import (
	"strings"

	"cupola/core/engine"
	"cupola/core/system/private/socket"
	"cupola/core/system/process"
)

// hidden returns an *engine.HiddenError if a tmux of this user listens at the path of the server, but its socket was
// deleted, or replaced by another one. On macOS, which does not show this, it returns nil.
func hidden(s *Server) error {
	if s.process.over != nil || !socket.Deserted(s.path) {
		return nil
	}
	p, is := process.Listener(s.path)
	if !is || !strings.HasPrefix(p.Name, engine.Tmux) {
		return nil
	}
	return &engine.HiddenError{PID: p.PID, Socket: s.path}
}

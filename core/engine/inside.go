package engine

import (
	"strconv"
	"strings"

	"cupola/core"
)

// The variables that Cupola's own terminal server sets for programs in its panes: which pane it is, and the
// path of the
// server's socket. Those of tmux are TMUX_PANE and TMUX.
const (
	PaneVariable   = "CUPOLA_PANE_ID"
	SocketVariable = "CUPOLA_SERVER_SOCKET"
)

// Inside is the pane in which a program runs. The zero value is none.
type Inside struct {
	// Engine is the name of the engine: Tmux or Own.
	Engine string
	// Socket is the path of the server's socket.
	Socket string
	Pane   core.PaneID
	// Server is the pid of a tmux server; 0 for others.
	Server int
}

// InsideOf reads from an environment in which pane its program runs. Where a tmux runs in a pane of Cupola's
// own server
// that is the pane of tmux; the own server hands on none of tmux's variables.
func InsideOf(getenv func(string) string) Inside {
	if socket, rest, _ := strings.Cut(getenv("TMUX"), ","); socket != "" {
		pid, _, _ := strings.Cut(rest, ",")
		server, _ := strconv.Atoi(pid) // 0 where it is no number
		return Inside{Tmux, socket, core.PaneID(getenv("TMUX_PANE")), server}
	}
	if socket := getenv(SocketVariable); socket != "" {
		return Inside{Engine: Own, Socket: socket, Pane: core.PaneID(getenv(PaneVariable))}
	}
	return Inside{}
}

// Colours is the variable by which programs learn that the terminal shows 24 bits of colour. Every engine does; where
// the user's display shows fewer, the server that draws there takes the nearest.
const Colours = "COLORTERM=truecolor"

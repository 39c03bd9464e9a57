package verb

import (
	"fmt"

	"cupola/core/engine"
)

// ServerElsewhere says where a terminal server lives that this program does not look at, and how to look there.
func ServerElsewhere(e engine.OtherServer) string {
	if e.User != "" {
		return fmt.Sprintf("%s, who became this user, has a tmux server at %s: 'sudo -u %s cupola status' lists what "+
			"runs there", e.User, e.Socket, e.User)
	}
	return fmt.Sprintf("another tmux server of yours lives at %s: '%s cupola status' lists what runs there", e.Socket,
		e.Env)
}

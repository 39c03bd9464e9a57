package tmux

import (
	"context"
	"fmt"
	"strings"

	"cupola/core/system/shell"
)

// endHook names the hook, with an index apart from the user's own.
const endHook = "session-closed[7117]"

// NoteEnd implements engine.EndNoter by a hook of the server. The script is the condition of an if-shell, which starts
// it at once: run-shell starts it a moment later, and a server without clients has ended by then.
func (s *Server) NoteEnd(ctx context.Context, path string) error {
	if s.process.over != nil {
		return nil // the path is of this machine
	}
	literal := strings.NewReplacer("#", "##")
	script := fmt.Sprintf(`%s -S "#{socket_path}" list-sessions >/dev/null 2>&1 && : >%s`,
		literal.Replace(shell.Quote(s.binary)), literal.Replace(shell.Quote(path)))
	hook := "if-shell -F '#{S:x}' '' " + quote("if-shell "+quote(script)+" ''")
	_, err := s.ask(ctx, "note the end", writes, command{"set-hook", "-g", endHook, hook})
	return err
}

package tmux

import (
	"context"
	"fmt"
	"strings"

	"cupola/core/system/shell"
)

// endHook names the hook, with an index apart from the user's own.
const endHook = "session-closed[7117]"

// NoteEnd implements engine.EndNoter by a hook of the server. tmux often ends before it runs its hooks where the last
// program exits by itself and no client is there; then nothing is noted.
func (s *Server) NoteEnd(ctx context.Context, path string) error {
	if s.process.over != nil {
		return nil // the path is of this machine
	}
	literal := strings.NewReplacer("#", "##")
	script := fmt.Sprintf(`%s -S "#{socket_path}" list-sessions >/dev/null 2>&1 && : >%s`,
		literal.Replace(shell.Quote(s.binary)), literal.Replace(shell.Quote(path)))
	hook := "if-shell -F '#{S:x}' '' " + quote("run-shell "+quote(script))
	_, err := s.ask(ctx, "note the end", writes, command{"set-hook", "-g", endHook, hook})
	return err
}

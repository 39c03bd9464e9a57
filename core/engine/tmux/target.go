package tmux

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/engine"
)

// tmux takes an empty target for the pane it thinks best and matches others by
// pattern. So nothing but an id is ever a target.

func checkPane(id core.PaneID) error       { return checkID(string(id), "%", engine.ErrNoPane) }
func checkSession(id core.SessionID) error { return checkID(string(id), "$", engine.ErrNoSession) }
func checkWindow(id core.WindowID) error   { return checkID(string(id), "@", engine.ErrNoWindow) }
func checkID(id, sigil string, none error) error {
	digits, ok := strings.CutPrefix(id, sigil)
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return fmt.Errorf("%w: %q is not an id", none, id)
	}
	return nil
}

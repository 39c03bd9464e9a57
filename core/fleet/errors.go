package fleet

import (
	"context"
	"errors"
	"io/fs"

	"cupola/core"
	"cupola/core/engine"
)

// translations says what each sentinel of the lower packages means to the
// callers of fleet. The first that matches counts.
var translations = []struct {
	sentinel error
	code     core.Code
	message  string
	hint     string
}{
	{context.Canceled, core.Cancelled, "cancelled", ""},
	{context.DeadlineExceeded, core.Timeout, "", ""},
	{engine.ErrUnavailable, core.EngineUnavailable, "tmux is not installed", ""},
	{engine.ErrTooOld, core.EngineUnavailable, "", ""},
	{engine.ErrNoServer, core.SessionNotFound, "no tmux server is running, so there are no sessions", "Start one with 'cupola spawn NAME'."},
	{engine.ErrNoSession, core.SessionNotFound, "the session is gone", ""},
	{engine.ErrNoWindow, core.PaneNotFound, "the window is gone", ""},
	{engine.ErrNoPane, core.PaneNotFound, "the pane is gone", ""},
	{engine.ErrDuplicate, core.AlreadyExists, "a session of that name exists", ""},
	{engine.ErrNoSpace, core.Conflict, "there is no space for another pane in that window", "Use the layout 'windows', or fewer panes."},
	{engine.ErrBadKey, core.InvalidInput, "", "Name keys as tmux does: Enter, Escape, C-c, Up, F1, a."},
	{engine.ErrDenied, core.PermissionDenied, "", "The tmux socket belongs to somebody else, or its folder does."},
	{fs.ErrPermission, core.PermissionDenied, "", ""},
}

// translate turns an error of the packages below into a *core.Error of the
// operation; one that is a *core.Error already only gets the operation.
func translate(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *core.Error
	if errors.As(err, &known) {
		if known.Op == "" {
			known.Op = op
		}
		return known
	}
	for _, t := range translations {
		if errors.Is(err, t.sentinel) {
			return &core.Error{Code: t.code, Op: op, Message: t.message, Hint: t.hint, Err: err}
		}
	}
	return &core.Error{Code: core.InternalError, Op: op, Err: err}
}

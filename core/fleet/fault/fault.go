// Package fault turns the errors of the packages below the fleet into *core.Error, once.
package fault

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
	{
		engine.ErrSilent, core.EngineUnavailable, "the terminal server is not answering",
		"tmux is stopped or has too much to do; look at its process, or try again in a moment. Its sessions may all " +
			"be there.",
	},
	{
		engine.ErrNoServer, core.SessionNotFound, "no tmux server is running, so there are no sessions",
		"Start one with 'cupola spawn NAME'.",
	},
	{engine.ErrNoSession, core.SessionNotFound, "the session is gone", ""},
	{engine.ErrNoWindow, core.PaneNotFound, "the window is gone", ""},
	{engine.ErrNoPane, core.PaneNotFound, "the pane is gone", ""},
	{engine.ErrDuplicate, core.AlreadyExists, "a session of that name exists", ""},
	{
		engine.ErrNoSpace, core.Conflict, "there is no space for another pane in that window",
		"Use the layout 'windows', or fewer panes.",
	},
	{engine.ErrBadKey, core.InvalidInput, "", "Name keys as tmux does: Enter, Escape, C-c, Up, F1, a."},
	{engine.ErrDenied, core.PermissionDenied, "", "The tmux socket belongs to somebody else, or its folder does."},
	{fs.ErrPermission, core.PermissionDenied, "", ""},
}

// unavailable is what an EngineUnavailable has for programs: which kind it is.
type unavailable struct {
	Reason string `json:"reason"`
}

var whys = map[error]string{
	engine.ErrSilent: "not_answering", engine.ErrUnavailable: "not_installed",
	engine.ErrTooOld: "too_old",
}

// NotAnswering reports whether an error means that there is a terminal server and it
// did not answer in time.
func NotAnswering(err error) bool { return errors.Is(err, engine.ErrSilent) }

// Wrap turns an error of the packages below into a *core.Error of the
// operation; one that is a *core.Error already only gets the operation.
func Wrap(op string, err error) error {
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
			known := &core.Error{Code: t.code, Op: op, Message: t.message, Hint: t.hint, Err: err}
			if t.code == core.EngineUnavailable {
				known.Details = unavailable{whys[t.sentinel]}
			}
			return known
		}
	}
	return &core.Error{Code: core.InternalError, Op: op, Err: err}
}

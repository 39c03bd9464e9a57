// Package fault converts errors of the packages below the fleet to *core.Error.
package fault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"cupola/core"
	"cupola/core/engine"
)

// translations maps sentinel errors of lower packages to codes. The first match counts.
var translations = []struct {
	sentinel error
	code     core.Code
	message  string
	hint     string
}{
	{context.Canceled, core.Cancelled, "cancelled", ""},
	{context.DeadlineExceeded, core.Timeout, "", ""},
	{engine.ErrUnattached, core.EngineUnavailable, "", ""},
	{
		engine.ErrEnded, core.NotReady, "",
		"The user's shell runs there first: start it by hand to see why it ends, and look at the files that it reads.",
	},
	{engine.ErrUnavailable, core.EngineUnavailable, "tmux is not installed", ""},
	{
		engine.ErrNoEngine, core.EngineUnavailable, "",
		"The setting engine.kind leaves it out; auto uses both.",
	},
	{engine.ErrTooOld, core.EngineUnavailable, "", ""},
	{
		engine.ErrSilent, core.EngineBusy, "the terminal server is not answering",
		"It lives: it is stopped or has too much to do. Look at its process, or try again in a moment. Its sessions " +
			"may all be there.",
	},
	{engine.ErrHidden, core.EngineUnavailable, "", ""},
	{engine.ErrOtherServer, core.EngineUnavailable, "", ""},
	{
		engine.ErrBusy, core.EngineBusy, "",
		"Its sessions live. Try again in a moment.",
	},
	{
		engine.ErrNoServer, core.SessionNotFound, "no terminal server is running, so there are no sessions", "",
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
	{engine.ErrDenied, core.PermissionDenied, "", "The server's socket, or its folder, belongs to another user."},
	{fs.ErrPermission, core.PermissionDenied, "", ""},
}

// unavailable is the machine-readable detail of EngineUnavailable.
type unavailable struct {
	Reason string `json:"reason"`
	// PID and Socket belong to a server that lives and cannot be reached.
	PID    int    `json:"pid,omitempty"`
	Socket string `json:"socket,omitempty"`
}

var whys = map[error]string{
	engine.ErrSilent: "not_answering", engine.ErrUnavailable: "not_installed",
	engine.ErrTooOld: "too_old", engine.ErrUnattached: "ends_sessions", engine.ErrNoEngine: "not_used",
	engine.ErrBusy: "replaced", engine.ErrHidden: "socket_deleted",
	engine.ErrOtherServer: "elsewhere",
}

// NotAnswering reports whether a terminal server exists and did not answer in time, or cannot be reached.
func NotAnswering(err error) bool {
	return errors.Is(err, engine.ErrSilent) || errors.Is(err, engine.ErrHidden)
}

// Wrap converts an error of a lower package to a *core.Error of the operation; a *core.Error only gets the
// operation.
func Wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	if known, is := errors.AsType[*core.Error](err); is {
		known.Op = cmp.Or(known.Op, op)
		return known
	}
	for _, t := range translations {
		if !errors.Is(err, t.sentinel) {
			continue
		}
		known := &core.Error{Code: t.code, Op: op, Message: t.message, Hint: t.hint, Err: err}
		var hidden *engine.HiddenError
		var other *engine.OtherServerError
		switch {
		case errors.As(err, &hidden):
			known.Message = fmt.Sprintf("the tmux server %d lives, but its socket %s was deleted", hidden.PID,
				hidden.Socket)
			known.Details = unavailable{whys[engine.ErrHidden], hidden.PID, hidden.Socket}
			known.Hint = fmt.Sprintf("Its sessions live. 'kill -USR1 %d' lets it make the socket anew; no other "+
				"server is started beside it.", hidden.PID)
		case errors.As(err, &other):
			known.Message = fmt.Sprintf("a tmux server with sessions lives at %s, and none at %s", other.Socket,
				other.Missing)
			known.Details = unavailable{Reason: whys[engine.ErrOtherServer], Socket: other.Socket}
			known.Hint = fmt.Sprintf("Use it with '%s'. To start another one beside it, name that: "+
				"CUPOLA_ENGINE_SOCKET=%s.", other.Env, other.Missing)
		case errors.Is(err, engine.ErrLimit):
			known.Details = unavailable{Reason: "limit"}
			known.Hint = "Raise the limit that is named, or end what is not needed."
		case t.code == core.EngineUnavailable, t.code == core.EngineBusy:
			known.Details = unavailable{Reason: whys[t.sentinel]}
			if errors.Is(err, engine.ErrUnattached) {
				known.Remedies = []core.Remedy{core.RemedyOwnServer}
			}
		case errors.Is(t.sentinel, engine.ErrNoServer):
			known.Remedies = []core.Remedy{core.RemedyStartSession}
		}
		return known
	}
	return &core.Error{Code: core.InternalError, Op: op, Err: err}
}

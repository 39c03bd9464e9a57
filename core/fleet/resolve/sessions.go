package resolve

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/near"
)

// Sessions is which sessions there are, those of others too.
type Sessions struct {
	// EngineUp is false where no terminal server runs.
	EngineUp bool
	// Names are in alphabetical order.
	Names []string
	// Hidden are those of Names that answers about all sessions leave out, where the
	// settings hide foreign sessions.
	Hidden []string

	// ids are the engine's, in the order of the names.
	ids []core.SessionID
}

// SessionsOf returns the sessions of a snapshot.
func SessionsOf(snapshot *core.Snapshot) Sessions {
	sessions := Sessions{EngineUp: snapshot.EngineUp, Names: []string{}}
	for i := range snapshot.Sessions {
		sessions.Names = append(sessions.Names, snapshot.Sessions[i].Name)
		sessions.ids = append(sessions.ids, snapshot.Sessions[i].ID)
	}
	return sessions
}

// Find returns the name of the session that a name or id means. Nothing else is
// taken for it; gone are names that count though there is no such session now. It
// returns SessionNotFound with the near misses.
func (r Sessions) Find(name string, gone ...string) (string, error) {
	if slices.Contains(r.Names, name) || slices.Contains(gone, name) {
		return name, nil
	}
	if bare, exact := strings.CutPrefix(name, "="); exact &&
		(slices.Contains(r.Names, bare) || slices.Contains(gone, bare)) {
		return bare, nil
	}
	if at := slices.Index(r.ids, core.SessionID(name)); at >= 0 {
		return r.Names[at], nil
	}
	return "", r.notFoundError(name, gone)
}

// notFoundError is the error of a name that means no session.
func (r Sessions) notFoundError(name string, gone []string) *core.Error {
	err := core.Errorf(core.SessionNotFound, "no session is named %q", name)
	gone = slices.DeleteFunc(slices.Clone(gone),
		func(name string) bool { return name == "" || slices.Contains(r.Names, name) })
	slices.Sort(gone)
	gone = slices.Compact(gone)
	known := slices.Sorted(slices.Values(slices.Concat(r.Names, gone)))
	err.Details, err.Slip.Word = map[string][]string{"sessions": known}, name
	if session, is := r.ofPane(name); is {
		err.Message = fmt.Sprintf("%q is a pane; a session is wanted here", name)
		if session != "" {
			err.Suggestions, err.Hint = []string{session}, fmt.Sprintf("The pane is in %s.", session)
		}
		return err
	}
	if !r.EngineUp && len(known) == 0 {
		err.Message += ": no tmux server is running"
		err.Hint = "Start one with 'cupola spawn NAME'."
		return err
	}
	err.Suggestions = near.Words(name, known)
	switch {
	case len(known) == 0:
		err.Hint = "There are no sessions; start one with 'cupola spawn NAME'."
	case len(known) <= listedMax:
		err.Hint = strings.TrimSpace(sentence("There are: ", r.Names) + sentence("Gone, but on record: ", gone))
	}
	return err
}

// sentence is a sentence that lists names; empty without any.
func sentence(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return what + strings.Join(names, ", ") + ". "
}

// ofPane reports whether a name is the address of a pane, and of which session as
// far as the address tells.
func (r Sessions) ofPane(name string) (session string, is bool) {
	if isPaneID(name) {
		return "", true
	}
	if at := strings.IndexAny(name, ".:"); at > 0 && slices.Contains(r.Names, name[:at]) {
		return name[:at], true
	}
	return "", false
}

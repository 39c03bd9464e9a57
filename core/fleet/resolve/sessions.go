package resolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/near"
)

// Sessions lists the sessions of a server, foreign ones included.
type Sessions struct {
	// EngineUp is false where no terminal server runs.
	EngineUp bool
	// Names are in alphabetical order.
	Names []string
	// Hidden are the foreign sessions that results for all sessions leave out.
	Hidden []string

	snapshot *core.Snapshot
}

// Created returns when the session with a name was made; zero if there is none.
func (r Sessions) Created(name string) time.Time {
	if r.snapshot == nil {
		return time.Time{}
	}
	if session := r.snapshot.Session(name); session != nil {
		return session.Created
	}
	return time.Time{}
}

// SessionsOf returns the sessions of a snapshot.
func SessionsOf(snapshot *core.Snapshot) Sessions {
	sessions := Sessions{EngineUp: snapshot.EngineUp, Names: []string{}, snapshot: snapshot}
	for i := range snapshot.Sessions {
		sessions.Names = append(sessions.Names, snapshot.Sessions[i].Name)
	}
	return sessions
}

// Find returns the name of the session with a name, full address, id or identity. Names in gone also match,
// although no such session exists now. It returns SessionNotFound with near misses, and Ambiguous for the name of
// two sessions that is on record of neither.
func (r Sessions) Find(name string, gone ...string) (string, error) {
	if slices.Contains(r.Names, name) || slices.Contains(gone, name) {
		return name, nil
	}
	if bare, exact := strings.CutPrefix(name, "="); exact &&
		(slices.Contains(r.Names, bare) || slices.Contains(gone, bare)) {
		return bare, nil
	}
	if r.snapshot != nil {
		if session := r.snapshot.Session(name); session != nil {
			return session.Name, nil
		}
		if namesakes := r.snapshot.Namesakes(name); len(namesakes) > 0 {
			return "", namesakesError(name, namesakes)
		}
	}
	return "", r.notFoundError(name, gone)
}

// notFoundError reports a name without a session.
func (r Sessions) notFoundError(name string, gone []string) *core.Error {
	err := core.Errorf(core.SessionNotFound, "no session is named %q", name)
	if host := core.ParseAddress(name).Host; host != "" {
		err.Message += fmt.Sprintf(", and no host %q", host) // one that is known would have been asked
	}
	gone = slices.DeleteFunc(slices.Clone(gone),
		func(name string) bool { return name == "" || slices.Contains(r.Names, name) })
	slices.Sort(gone)
	gone = slices.Compact(gone)
	known := slices.Sorted(slices.Values(slices.Concat(r.Names, gone)))
	err.Details, err.Slip.Word = map[string][]string{"sessions": known}, name
	if sessions, is := r.ofPane(name); is {
		err.Message = fmt.Sprintf("%q is a pane; a session is wanted here", name)
		if err.Suggestions = sessions; len(sessions) > 0 {
			err.Hint = fmt.Sprintf("The pane is in %s.", strings.Join(sessions, " or "))
		}
		return err
	}
	if !r.EngineUp && len(known) == 0 {
		err.Message += ": no terminal server is running"
		err.Remedies = []core.Remedy{core.RemedyStartSession}
		return err
	}
	err.Suggestions = near.Words(name, known)
	switch {
	case len(known) == 0:
		err.Message += ": there are no sessions"
		err.Remedies = []core.Remedy{core.RemedyStartSession}
	case len(known) <= listedMax:
		err.Hint = strings.TrimSpace(sentence("There are: ", r.Names) + sentence("Gone, but on record: ", gone))
	}
	return err
}

// sentence returns a sentence that lists names; empty without any.
func sentence(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return what + strings.Join(names, ", ") + ". "
}

// ofPane reports whether a name is the address of a pane, and returns the sessions in which the address may point to
// one: several for the name of several sessions, none for an id.
func (r Sessions) ofPane(name string) (sessions []string, is bool) {
	if isPaneID(name) {
		return nil, true
	}
	for at, c := range name {
		if at == 0 || c != '.' && c != ':' {
			continue
		}
		if sessions := r.named(name[:at]); len(sessions) > 0 {
			return sessions, true
		}
	}
	return nil, false
}

// named returns the sessions of a name.
func (r Sessions) named(name string) (names []string) {
	if slices.Contains(r.Names, name) {
		return []string{name}
	}
	if r.snapshot != nil {
		for _, session := range r.snapshot.Namesakes(name) {
			names = append(names, session.Name)
		}
	}
	return names
}

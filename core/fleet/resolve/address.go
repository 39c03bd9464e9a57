package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/near"
)

// FindSession returns the session with exactly this name, full address, id or identity. The name of two sessions is
// Ambiguous. The error suggests near misses.
func FindSession(snapshot *core.Snapshot, name string) (*core.Session, error) {
	var found []*core.Session
	bare, exact := exactName(snapshot, name)
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		if exact && session.Name == bare || !exact && session.Called(name) {
			found = append(found, session)
		}
	}
	switch namesakes := snapshot.Namesakes(strings.TrimPrefix(name, "=")); {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && len(namesakes) > 0:
		return nil, namesakesError(name, namesakes)
	case len(found) == 0 && core.IsIdentity(name):
		err := core.Errorf(core.SessionNotFound, "the session that was meant has ended")
		err.Remedies = []core.Remedy{core.RemedyListSessions}
		return nil, err
	case len(found) == 0:
		return nil, noSessionError(snapshot, name)
	}
	err := core.Errorf(core.Ambiguous, "%q is the name of one session and the id of another", name)
	for _, session := range found {
		err.Suggestions = append(err.Suggestions, string(session.ID))
	}
	return nil, err
}

// namesakesError reports a name that sessions of two engines have.
func namesakesError(name string, sessions []*core.Session) error {
	err := &core.Error{Code: core.Ambiguous}
	var described []string
	for _, session := range sessions {
		err.Suggestions = append(err.Suggestions, session.Name)
		what := session.Name + " (" + session.Engine
		if !session.Created.IsZero() {
			what += ", made " + session.Created.UTC().Format(time.RFC3339)
		}
		described = append(described, what+")")
	}
	err.Message = fmt.Sprintf("%q is the name of several sessions: %s", name, strings.Join(described, ", "))
	err.Hint, err.Slip.Word = "Name one in full: "+strings.Join(err.Suggestions, " or ")+".", name
	err.Details = map[string][]string{"sessions": slices.Clone(err.Suggestions)}
	return err
}

// exactName parses =NAME, which names a session whose name would otherwise parse as something else, such as
// %3. A session literally named =NAME takes precedence.
func exactName(snapshot *core.Snapshot, word string) (name string, is bool) {
	bare, marked := strings.CutPrefix(word, "=")
	if !marked || bare == "" ||
		slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Name == word }) {
		return "", false
	}
	return bare, slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Name == bare })
}

// findPane returns the pane of an address: %ID, SESSION:WINDOW.PANE or SESSION.N. ok is false if the text has
// none of these forms.
func findPane(snapshot *core.Snapshot, address string) (pane *core.Pane, ok bool, err error) {
	if isPaneID(address) {
		if pane = snapshot.Pane(core.PaneID(address)); pane == nil {
			return nil, true, noPaneIDError(snapshot, address)
		}
		return pane, true, nil
	}
	dot := strings.LastIndexByte(address, '.')
	if dot <= 0 {
		return nil, false, nil
	}
	head, last := address[:dot], address[dot+1:]
	found, err := panesAt(snapshot, address, head, last)
	switch {
	case len(found) == 1:
		return found[0], true, nil
	case len(found) > 1:
		return nil, true, ambiguousError(fmt.Sprintf("%q is the address of %d panes", address, len(found)), found)
	}
	return nil, true, err
}

// panesAt returns the panes that SESSION.N or SESSION:WINDOW.PANE may mean, and the error of the first reading where
// that is none. A full address holds a colon of its own, and so may a window's name.
func panesAt(snapshot *core.Snapshot, address, head, last string) (found []*core.Pane, missing error) {
	try := func(name string, pane func(*core.Session) (*core.Pane, error)) {
		session, err := FindSession(snapshot, name)
		if err != nil {
			// That a name means two sessions says more than that there is none of another name.
			if missing == nil || !core.AsError(err).HasCode(core.SessionNotFound) {
				missing = withinError(err, name, address)
			}
			return
		}
		at, err := pane(session)
		switch {
		case err != nil:
			missing = err
		case !slices.Contains(found, at):
			found = append(found, at)
		}
	}
	colon := strings.IndexByte(head, ':')
	if colon < 0 || core.BareName(head) != head || snapshot.Session(head) != nil {
		try(head, func(session *core.Session) (*core.Pane, error) {
			pane, err := paneNumbered(session, last)
			return pane, withinError(err, last, address)
		})
	}
	for ; colon > 0; colon = nextColon(head, colon) {
		window := head[colon+1:]
		try(head[:colon], func(session *core.Session) (*core.Pane, error) {
			return paneOfWindow(session, window, last)
		})
	}
	return found, missing
}

// nextColon is the place of the colon behind another one; -1 if there is none.
func nextColon(text string, at int) int {
	next := strings.IndexByte(text[at+1:], ':')
	if next < 0 {
		return -1
	}
	return at + 1 + next
}

// paneNumbered finds a pane of a session by its ordinal or its id.
func paneNumbered(session *core.Session, word string) (*core.Pane, error) {
	for i := range session.Panes {
		if pane := &session.Panes[i]; strconv.Itoa(pane.Ordinal) == word || string(pane.ID) == word {
			return pane, nil
		}
	}
	return nil, noPaneError(session, word)
}

// withinError converts an error about one word of an address to one about the address, suggestions included.
func withinError(err error, word, address string) error {
	if err == nil {
		return nil
	}
	e := core.AsError(err)
	if e.Slip.Word != word {
		return err
	}
	e.Slip.Word = address
	if rest, ok := strings.CutPrefix(address, word); ok && (e.HasCode(core.SessionNotFound) ||
		e.HasCode(core.Ambiguous)) {
		for i, name := range e.Suggestions {
			e.Suggestions[i] = name + rest
		}
	}
	return e
}

// paneOfWindow finds a pane by the engine's own numbers; a window may also be given by name.
func paneOfWindow(session *core.Session, window, index string) (*core.Pane, error) {
	n, err := strconv.Atoi(index)
	if err != nil {
		return nil, noPaneError(session, window+"."+index)
	}
	var byIndex, byName []*core.Pane
	for i := range session.Panes {
		pane := &session.Panes[i]
		if pane.Window.PaneIndex != n {
			continue
		}
		if strconv.Itoa(pane.Window.Index) == window {
			byIndex = append(byIndex, pane)
		}
		if pane.Window.Name == window {
			byName = append(byName, pane)
		}
	}
	found := byIndex
	if len(found) == 0 {
		found = byName
	}
	switch len(found) {
	case 0:
		return nil, noPaneError(session, window+"."+index)
	case 1:
		return found[0], nil
	}
	return nil, ambiguousError(
		fmt.Sprintf("session %q has %d windows named %q", session.Name, len(found), window), found)
}

// paneIn finds the pane that one word of Target.Panes names in a session: an ordinal, an engine id, an
// agent's name, or any address.
func paneIn(snapshot *core.Snapshot, session *core.Session, word string) (*core.Pane, error) {
	for i := range session.Panes {
		pane := &session.Panes[i]
		if string(pane.ID) == word || pane.Agent.Name == word && word != "" || strconv.Itoa(pane.Ordinal) == word {
			return pane, nil
		}
	}
	pane, ok, err := findPane(snapshot, word)
	switch {
	case !ok || err != nil:
		return nil, noPaneError(session, word)
	case pane.Session != session.Name:
		return nil, otherSessionError(session, pane, word)
	}
	return pane, nil
}

// isPaneID reports whether a word is an engine's id of a pane: %7 or, of Cupola's own server, %o7.
func isPaneID(word string) bool {
	number, is := strings.CutPrefix(word, "%")
	_, err := strconv.ParseUint(strings.TrimPrefix(number, "o"), 10, 64)
	return is && err == nil
}

// OnePane returns the pane of an address, with its session.
func OnePane(snapshot *core.Snapshot, address string) (*core.Session, *core.Pane, error) {
	session, pane, err := Locate(snapshot, address)
	if err != nil || pane != nil {
		return session, pane, err
	}
	missing := core.Errorf(core.InvalidInput, "%q names a session; a pane's address is needed", address)
	for i := range session.Panes[:min(len(session.Panes), near.Most)] {
		missing.Suggestions = append(missing.Suggestions, session.Panes[i].Address())
	}
	return nil, nil, missing
}

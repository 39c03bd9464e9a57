package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/near"
)

// FindSession returns the session with exactly this name or id. The error suggests near misses.
func FindSession(snapshot *core.Snapshot, name string) (*core.Session, error) {
	var found []*core.Session
	bare, exact := exactName(snapshot, name)
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		if exact && session.Name == bare || !exact && (session.Name == name || string(session.ID) == name) {
			found = append(found, session)
		}
	}
	switch len(found) {
	case 0:
		return nil, noSessionError(snapshot, name)
	case 1:
		return found[0], nil
	}
	err := core.Errorf(core.Ambiguous, "%q is the name of one session and the id of another", name)
	for _, session := range found {
		err.Suggestions = append(err.Suggestions, string(session.ID))
	}
	return nil, err
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
	place, last := address[:dot], address[dot+1:]
	name, window, inWindow := strings.Cut(place, ":")
	session, err := FindSession(snapshot, name)
	if err != nil {
		return nil, true, withinError(err, name, address)
	}
	if inWindow {
		pane, err = paneOfWindow(session, window, last)
		return pane, true, err
	}
	if n, err := strconv.Atoi(last); err == nil {
		for i := range session.Panes {
			if session.Panes[i].Ordinal == n {
				return &session.Panes[i], true, nil
			}
		}
	}
	return nil, true, withinError(noPaneError(session, last), last, address)
}

// withinError converts an error about one word of an address to one about the address, suggestions included.
func withinError(err error, word, address string) error {
	e := core.AsError(err)
	if e.Slip.Word != word {
		return err
	}
	e.Slip.Word = address
	if rest, ok := strings.CutPrefix(address, word); ok && e.HasCode(core.SessionNotFound) {
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
	session, pane, err := Place(snapshot, address)
	if err != nil || pane != nil {
		return session, pane, err
	}
	missing := core.Errorf(core.InvalidInput, "%q names a session; a pane's address is needed", address)
	for i := range session.Panes[:min(len(session.Panes), near.Most)] {
		missing.Suggestions = append(missing.Suggestions, session.Panes[i].Address())
	}
	return nil, nil, missing
}

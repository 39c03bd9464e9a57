package core

import (
	"strconv"
	"strings"
)

// A session is an identity: its engine, its id there, and when it was made. Its name only points to it. Three words
// name a session beside its name: its id, its full address, and its identity.

// FullName is the full address of a session: its engine and the name that it has there, "own:api". No engine keeps a
// colon in a name, so it is never the name of another session.
func FullName(engine, name string) string { return engine + ":" + name }

// BareName is the name that a session has in its engine, of a name or a full address.
func BareName(name string) string {
	for _, engine := range []string{OwnEngine, TmuxEngine} {
		if bare, is := strings.CutPrefix(name, engine+":"); is {
			return bare
		}
	}
	return name
}

// Bare is the name that the session has in its engine. Name is its full address while the other engine has a
// session of that name too.
func (s *Session) Bare() string { return BareName(s.Name) }

// Identity is a word for this very session, which no later one answers to: its id and when it was made,
// "$3@1769860000"; its id alone where that time is not known.
func (s *Session) Identity() string {
	if s.Created.IsZero() {
		return string(s.ID)
	}
	return string(s.ID) + "@" + strconv.FormatInt(s.Created.Unix(), 10)
}

// IsIdentity reports whether a word has the form of an identity.
func IsIdentity(word string) bool {
	id, made, is := strings.Cut(word, "@")
	_, err := strconv.ParseInt(made, 10, 64)
	return is && err == nil && strings.HasPrefix(id, "$")
}

// IdentityOf is a word for a pane of the session, which none answers to that has its id in a later session.
func (s *Session) IdentityOf(pane PaneID) string {
	return Address{Session: s.Identity(), Pane: ParseAddress(string(pane)).Pane}.String()
}

// Called reports whether a word names the session: its name, full address, id or identity.
func (s *Session) Called(word string) bool {
	switch {
	case word == "":
		return false
	case word == s.Name, word == string(s.ID), word == s.Identity():
		return true
	}
	return s.Engine != "" && word == FullName(s.Engine, s.Bare())
}

// Namesakes returns the sessions to which a word could point by the name alone: those of two engines that have one
// name. Without a reason to choose, none of them is meant.
func (s *Snapshot) Namesakes(word string) []*Session {
	var found []*Session
	for i := range s.Sessions {
		if session := &s.Sessions[i]; session.Name != word && session.Bare() == word {
			found = append(found, session)
		}
	}
	return found
}

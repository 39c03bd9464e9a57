package fleet

import (
	"slices"

	"cupola/core"
	"cupola/core/agent"
)

// resolve returns the panes that a target names, at least one, in the order of
// their ordinals. Only exact names count: it suggests and never guesses.
func (o *observer) resolve(snapshot *core.Snapshot, target Target) ([]*core.Pane, error) {
	kinds, err := o.kindsNamed(target.Kinds)
	if err != nil {
		return nil, err
	}
	session, single, err := place(snapshot, target.Session)
	if err != nil {
		return nil, err
	}
	picked, err := pick(snapshot, session, single, target)
	if err != nil {
		return nil, err
	}
	excluded, err := panesNamed(snapshot, session, target.Exclude)
	if err != nil {
		return nil, err
	}
	var panes []*core.Pane
	for i := range session.Panes {
		pane := &session.Panes[i]
		if !slices.Contains(picked, pane) || slices.Contains(excluded, pane) {
			continue
		}
		if len(kinds) == 0 || slices.ContainsFunc(kinds, func(k *agent.Kind) bool { return k.ID == pane.Agent.Kind }) {
			panes = append(panes, pane)
		}
	}
	if len(panes) == 0 {
		return nil, nothingLeft(session, kinds, target)
	}
	return panes, nil
}

// place reads Target.Session: a session, or the address of a single pane in it. A pane's
// id is always that pane's, whatever sessions are named; =NAME is always the session.
func place(snapshot *core.Snapshot, word string) (*core.Session, *core.Pane, error) {
	if word == "" {
		return nil, nil, core.Errorf(core.MissingRequired, "a session or a pane's address is missing")
	}
	_, exact := exactName(snapshot, word)
	named := slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Name == word })
	if exact || named && !isPaneID(word) {
		session, err := findSession(snapshot, word)
		return session, nil, err
	}
	pane, ok, err := findPane(snapshot, word)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		session, err := findSession(snapshot, word)
		return session, nil, err
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		if slices.ContainsFunc(session.Panes, func(p core.Pane) bool { return p.ID == pane.ID }) {
			return session, pane, nil
		}
	}
	return nil, nil, noSession(snapshot, pane.Session)
}

// pick returns the panes that are meant before kinds and exclusions count.
func pick(snapshot *core.Snapshot, session *core.Session, single *core.Pane, target Target) ([]*core.Pane, error) {
	if len(target.Panes) > 0 {
		named, err := panesNamed(snapshot, session, target.Panes)
		switch {
		case single == nil:
		case err != nil:
			core.AsError(err).Suggestions = []string{single.Address()}
		default:
			named = slices.DeleteFunc(named, func(p *core.Pane) bool { return p != single })
		}
		return named, err
	}
	if single != nil {
		return []*core.Pane{single}, nil
	}
	var panes []*core.Pane
	for i := range session.Panes {
		if pane := &session.Panes[i]; target.unnamed(pane) {
			panes = append(panes, pane)
		}
	}
	return panes, nil
}

func panesNamed(snapshot *core.Snapshot, session *core.Session, words []string) ([]*core.Pane, error) {
	var panes []*core.Pane
	for _, word := range words {
		pane, err := paneIn(snapshot, session, word)
		if err != nil {
			return nil, err
		}
		panes = append(panes, pane)
	}
	return panes, nil
}

func (o *observer) kindsNamed(words []string) ([]*agent.Kind, error) {
	var kinds []*agent.Kind
	for _, word := range words {
		kind, err := o.kindNamed(word)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// kindNamed finds a kind by id or short name.
func (o *observer) kindNamed(word string) (*agent.Kind, error) {
	if kind, ok := o.kinds.Find(word); ok {
		return kind, nil
	}
	return nil, noKind(o.kinds, word)
}

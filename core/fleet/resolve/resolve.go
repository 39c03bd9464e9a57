// Package resolve finds panes and sessions of a snapshot by name. Only exact names match; errors suggest near
// misses. It does not query the engine.
package resolve

import (
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/fault"
)

// Resolver resolves the names of panes, sessions and agent kinds.
type Resolver struct {
	kinds       *agent.Kinds
	hideForeign bool
}

// New returns a Resolver. With hideForeign, targets without a session leave out sessions that Cupola did not
// create.
func New(kinds *agent.Kinds, hideForeign bool) *Resolver {
	return &Resolver{kinds: kinds, hideForeign: hideForeign}
}

// HidesForeign reports whether results for all sessions leave out foreign sessions and their events.
func (r *Resolver) HidesForeign() bool { return r.hideForeign }

// Everywhere is Resolve for a target without a session; kinds are already resolved.
func Everywhere(snapshot *core.Snapshot, target Target, kinds []*agent.Kind) ([]*core.Pane, error) {
	only, err := addressed(snapshot, target.Panes)
	if err != nil {
		return nil, err
	}
	not, err := addressed(snapshot, target.Exclude)
	if err != nil {
		return nil, err
	}
	panes := []*core.Pane{}
	for _, pane := range snapshot.Panes() {
		named := target.unnamed(pane)
		if len(target.Panes) > 0 {
			named = only[pane.ID]
		}
		ofKind := len(kinds) == 0 ||
			slices.ContainsFunc(kinds, func(k *agent.Kind) bool { return k.ID == pane.Agent.Kind })
		if named && ofKind && !not[pane.ID] {
			panes = append(panes, pane)
		}
	}
	return target.Kept.without(panes, len(target.Panes) > 0 || target.All)
}

// addressed returns the ids of the panes at addresses.
func addressed(snapshot *core.Snapshot, words []string) (map[core.PaneID]bool, error) {
	ids := make(map[core.PaneID]bool, len(words))
	for _, word := range words {
		pane, is, err := findPane(snapshot, word)
		if err != nil {
			return nil, err
		}
		if !is {
			return nil, &core.Error{
				Code: core.MissingRequired, Message: fmt.Sprintf("pane %q: in which session?", word),
				Hint: "Name the session, or give the pane's address: SESSION.N or %ID.",
			}
		}
		ids[pane.ID] = true
	}
	return ids, nil
}

// Named returns the panes that a target names, in one session or in all that are not hidden.
func (r *Resolver) Named(snapshot *core.Snapshot, target Target) ([]*core.Pane, error) {
	if target.Session != "" {
		return r.Resolve(snapshot, target)
	}
	kinds, err := r.KindsNamed(target.Kinds)
	if err != nil {
		return nil, err
	}
	panes, err := Everywhere(snapshot, target, kinds)
	if r.hideForeign && len(target.Panes) == 0 {
		panes = slices.DeleteFunc(panes, func(pane *core.Pane) bool { return Hidden(*snapshot.Session(pane.Session)) })
	}
	return panes, err
}

// KindIDs returns the ids of the kinds of KindsNamed. It returns AgentNotFound for an unknown
// name.
func (r *Resolver) KindIDs(names []string) ([]core.Kind, error) {
	kinds, err := r.KindsNamed(names)
	if err != nil {
		return nil, fault.Wrap("kinds", err)
	}
	return core.Map(kinds, func(kind *agent.Kind) core.Kind { return kind.ID }), nil
}

// Resolve returns the panes that a target names, at least one, by ordinal. Only exact names match.
func (r *Resolver) Resolve(snapshot *core.Snapshot, target Target) ([]*core.Pane, error) {
	kinds, err := r.KindsNamed(target.Kinds)
	if err != nil {
		return nil, err
	}
	session, single, err := Locate(snapshot, target.Session)
	if err != nil {
		return nil, err
	}
	picked, err := pickPanes(snapshot, session, single, target)
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
		return nil, nothingLeftError(session, kinds, target)
	}
	return target.Kept.without(panes, single != nil || len(target.Panes) > 0 || target.All)
}

// Locate parses Target.Session: a session, or the address of a single pane. A pane's id always means that
// pane, and =NAME always the session.
func Locate(snapshot *core.Snapshot, word string) (*core.Session, *core.Pane, error) {
	if word == "" {
		return nil, nil, core.Errorf(core.MissingRequired, "a session or a pane's address is missing")
	}
	_, exact := exactName(snapshot, word)
	named := slices.ContainsFunc(snapshot.Sessions, func(s core.Session) bool { return s.Name == word })
	if exact || named && !isPaneID(word) {
		session, err := FindSession(snapshot, word)
		return session, nil, err
	}
	pane, ok, err := findPane(snapshot, word)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		session, err := FindSession(snapshot, word)
		return session, nil, err
	}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		if slices.ContainsFunc(session.Panes, func(p core.Pane) bool { return p.ID == pane.ID }) {
			return session, pane, nil
		}
	}
	return nil, nil, noSessionError(snapshot, pane.Session)
}

// pickPanes returns the panes of a target before kinds and exclusions apply.
func pickPanes(snapshot *core.Snapshot, session *core.Session, single *core.Pane, target Target) ([]*core.Pane, error) {
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

// KindsNamed finds the kinds that agents are chosen by, by ids or short names: each with its twin by protocol, for that
// is the same program.
func (r *Resolver) KindsNamed(words []string) ([]*agent.Kind, error) {
	var kinds []*agent.Kind
	for _, word := range words {
		kind, err := r.KindNamed(word)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
		if twin, err := r.kinds.Twin(kind, agent.ByProtocol); err == nil && twin != kind {
			kinds = append(kinds, twin)
		}
	}
	return kinds, nil
}

// KindNamed finds a kind by id or short name.
func (r *Resolver) KindNamed(word string) (*agent.Kind, error) {
	if kind, ok := r.kinds.Find(word); ok {
		return kind, nil
	}
	return nil, noKindError(r.kinds, word)
}

package fleet

import (
	"context"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/near"
)

// Adopt tells Cupola which agent a pane holds, and keeps the ordinals of its
// session as they are shown. It returns the pane as it then is. A pane that is
// managed with another kind is a Conflict; adopting one again changes nothing
// but its name.
func (f *Fleet) Adopt(ctx context.Context, request AdoptRequest) (_ *core.Pane, err error) {
	defer func() { err = translate("adopt", err) }()
	if !request.DryRun {
		release, err := f.hold(ctx, 0)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	listing, snapshot, err := f.takeOf(ctx, engine.WithCommand, nobodys, newMemory(false))
	if err != nil {
		return nil, err
	}
	session, pane, err := onePane(snapshot, request.Pane)
	if err != nil {
		return nil, err
	}
	if err := f.claim(session, pane, &request); err != nil {
		return nil, err
	}
	if request.DryRun {
		return pane, nil
	}
	tags, next := settle(listing, session)
	tags = append(tags,
		engine.Tag{Pane: pane.ID, Name: engine.TagKind, Value: string(pane.Agent.Kind)},
		engine.Tag{Pane: pane.ID, Name: engine.TagRole, Value: roleAgent},
		engine.Tag{Pane: pane.ID, Name: engine.TagName, Value: pane.Agent.Name},
		engine.Tag{Session: session.ID, Name: engine.TagNext, Value: strconv.Itoa(next)},
	)
	return pane, f.engine.Tag(ctx, tags...)
}

// claim checks a request to adopt and fills the pane's agent.
func (o *observer) claim(session *core.Session, pane *core.Pane, request *AdoptRequest) error {
	was := pane.Agent
	kind := was.Kind
	if request.Kind != "" {
		known, err := o.kindNamed(request.Kind)
		if err != nil {
			return err
		}
		kind = known.ID
	}
	switch {
	case pane.Process.Dead:
		return core.Errorf(core.Conflict, "the program of pane %s has ended", pane.Address())
	case kind == "":
		err := core.Errorf(core.MissingRequired, "no agent was recognised in pane %s, which runs %q: name the kind", pane.Address(), pane.Process.Command)
		for _, known := range o.kinds.All() {
			err.Suggestions = append(err.Suggestions, string(known.ID))
		}
		return err
	case was.Recognised == "tag" && was.Kind != kind:
		return core.Errorf(core.Conflict, "pane %s already holds %s, an agent of kind %s", pane.Address(), was.Name, was.Kind)
	}
	taken := agentNames(session)
	delete(taken, was.Name)
	name := request.Name
	switch {
	case name != "":
		if err := checkAgentName(name, taken); err != nil {
			return err
		}
	case was.Kind == kind:
		name = was.Name
	default:
		name = freeName(o.short(kind), taken)
	}
	pane.Agent.Name, pane.Agent.Kind, pane.Agent.Recognised, pane.Managed = name, kind, "tag", true
	return nil
}

// checkAgentName refuses names that would read as something else in an address.
func checkAgentName(name string, taken map[string]bool) error {
	if taken[name] {
		return core.Errorf(core.AlreadyExists, "an agent named %q is in that session", name)
	}
	_, number := strconv.Atoi(name)
	plain := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
	if number == nil || !plain || name[0] == '-' {
		return core.Errorf(core.InvalidInput, "agent name %q must hold letters, digits, '_' and '-' only, and not be a number", name)
	}
	return nil
}

// onePane finds the single pane that an address names, with its session.
func onePane(snapshot *core.Snapshot, address string) (*core.Session, *core.Pane, error) {
	session, pane, err := place(snapshot, address)
	if err != nil || pane != nil {
		return session, pane, err
	}
	missing := core.Errorf(core.InvalidInput, "%q names a session; a pane's address is needed", address)
	for i := range session.Panes[:min(len(session.Panes), near.Most)] {
		missing.Suggestions = append(missing.Suggestions, session.Panes[i].Address())
	}
	return nil, nil, missing
}

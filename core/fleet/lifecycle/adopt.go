package lifecycle

import (
	"context"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// Adopt tags a pane with the kind, name and ordinal of its agent, and so fixes the ordinals
// of its session. It returns the pane as it is then. It returns Conflict for a managed pane
// of another kind; a command is adopted as the kind that its program is. Adopting a pane again changes only its name.
func (l *Launcher) Adopt(ctx context.Context, request AdoptRequest) (_ *core.Pane, err error) {
	defer func() { err = fault.Wrap("adopt", err) }()
	seen, release, err := l.outline(ctx, observe.View{}, !request.DryRun, 0)
	if err != nil {
		return nil, err
	}
	defer release()
	snapshot := seen.Snapshot
	session, pane, err := resolve.OnePane(snapshot, request.Pane)
	if err != nil {
		return nil, err
	}
	was := pane.Agent.Kind
	if request.Kind == "" && unknownProgram(was) {
		request.Kind = string(runs(l.opts.Observer, &seen.Listing, pane.ID))
	}
	if err := l.claim(session, pane, &request); err != nil {
		return nil, err
	}
	if request.DryRun {
		return pane, nil
	}
	tags, next := settle(seen.Listing, session)
	tags = append(tags,
		engine.Tag{Pane: pane.ID, Name: engine.TagKind, Value: string(pane.Agent.Kind)},
		engine.Tag{Pane: pane.ID, Name: engine.TagRole, Value: panetag.RoleAgent},
		engine.Tag{Pane: pane.ID, Name: engine.TagName, Value: pane.Agent.Name},
		engine.Tag{Session: session.ID, Name: engine.TagNext, Value: strconv.Itoa(next)},
	)
	if unknownProgram(was) && pane.Agent.Kind != was {
		// A restart starts the kind's own program.
		tags = append(tags, engine.Tag{Pane: pane.ID, Name: engine.TagLaunch})
	}
	if err := l.opts.Engine.Tag(ctx, tags...); err != nil {
		return pane, err
	}
	l.opts.Dir.NoteEnds(ctx, l.opts.Engine)
	return pane, nil
}

// claim checks a request to adopt and fills the pane's agent.
func (l *Launcher) claim(session *core.Session, pane *core.Pane, request *AdoptRequest) error {
	was := pane.Agent
	kind := was.Kind
	if kind == core.KindCommand && request.Name == "" {
		kind = ""
	}
	if request.Kind != "" {
		known, err := l.opts.Resolver.KindNamed(request.Kind)
		if err != nil {
			return err
		}
		kind = known.ID
	}
	switch {
	case pane.Process.Dead:
		return core.Errorf(core.Conflict, "the program of pane %s has ended", pane.Address())
	case kind == "":
		err := core.Errorf(core.MissingRequired, "no agent was recognised in pane %s, which runs %q: name the kind",
			pane.Address(), pane.Process.Command)
		if was.Maybe != "" {
			err.Suggestions = append(err.Suggestions, string(was.Maybe))
			return err
		}
		for _, known := range l.opts.Kinds.All() {
			err.Suggestions = append(err.Suggestions, string(known.ID))
		}
		return err
	case was.Recognised == "tag" && was.Kind != kind && !unknownProgram(was.Kind):
		return core.Errorf(core.Conflict, "pane %s already holds %s, an agent of kind %s", pane.Address(), was.Name,
			was.Kind)
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
		name = observe.FreeName(l.opts.Observer.Short(kind), taken)
	}
	pane.Agent.Name, pane.Agent.Kind, pane.Agent.Recognised, pane.Managed = name, kind, "tag", true
	return nil
}

// runs returns the kind of the program that runs in a pane, whatever its tags say; empty if that is not known.
func runs(observer *observe.Observer, listing *engine.Listing, id core.PaneID) core.Kind {
	for i := range listing.Panes {
		if listing.Panes[i].ID == id {
			return observe.Runs(observer, &listing.Panes[i])
		}
	}
	return ""
}

// unknownProgram reports whether a kind says nothing of the program that runs in a pane.
func unknownProgram(kind core.Kind) bool { return kind == core.KindCommand || kind == core.KindGeneric }

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
		return core.Errorf(core.InvalidInput,
			"agent name %q must hold letters, digits, '_' and '-' only, and not be a number", name)
	}
	return nil
}

package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/shell"
	"cupola/robot/command"
	"cupola/robot/registry"
)

// ofKind returns the flag of a verb that was meant by a flag with the name of a kind, such
// as --claude or --spawn-claude; empty if none was.
func (p corrector) ofKind(verb *registry.Verb, e *core.Error) string {
	name, dashed := strings.CutPrefix(e.Slip.Word, "--")
	if !dashed || !e.HasCode(core.UnknownFlag) && !e.HasCode(core.InvalidFlag) {
		return ""
	}
	kind := p.kind(strings.TrimPrefix(name, launchFlag))
	switch {
	case kind == nil:
	case verb.Field(launchFlag+kind.Short) != nil:
		return "--" + launchFlag + kind.Short
	case verb.Field("agents") != nil:
		return agentsFlag + string(kind.ID)
	case verb.Field("type") != nil && verb.Field("panes") != nil:
		return "--type=" + string(kind.ID)
	}
	return ""
}

// launchFlag is the prefix of flags that start agents of one kind; agentsFlag starts those
// of any kind.
const launchFlag, agentsFlag = "spawn-", "--agents="

// kind returns the kind with an id or a short name; nil if there is none.
func (p corrector) kind(name string) *agent.Kind {
	kinds, err := command.Kinds(p.program.deps.Paths)
	if err != nil {
		return nil
	}
	kind, _ := kinds.Find(name)
	return kind
}

// chosen returns how a verb addresses the agents that a word behind a session names: the
// session or address, and a flag if it needs one. Both are empty if the session has no such
// agent.
func (p corrector) chosen(verb *registry.Verb, name, word string) (address, flag string) {
	snapshot := tree(p).snapshot(context.Background())
	if snapshot == nil || snapshot.Session(name) == nil {
		return "", ""
	}
	agents := snapshot.Session(name).Agents()
	if i := slices.IndexFunc(agents,
		func(pane *core.Pane) bool { return pane.Agent.Name == word || strconv.Itoa(pane.Ordinal) == word }); i >= 0 {
		return agents[i].Address(), ""
	}
	kind := p.kind(word)
	if kind == nil || verb.Field("type") == nil ||
		!slices.ContainsFunc(agents, func(pane *core.Pane) bool { return pane.Agent.Kind == kind.ID }) {
		return "", ""
	}
	return name, "--type=" + string(kind.ID)
}

// ofSession returns the command line with its only argument, the name of a session, as the
// value of --session; empty if it is no session, or the verb takes arguments.
func (p corrector) ofSession(verb *registry.Verb, args []string) string {
	if field := verb.Field("session"); len(args) != 1 || field == nil || !field.Flag() ||
		registry.Positional(verb, 1) != nil {
		return ""
	}
	snapshot, at := tree(p).snapshot(context.Background()), slices.Index(p.program.Args, args[0])
	if snapshot == nil || snapshot.Session(args[0]) == nil || at < 0 {
		return ""
	}
	return shell.Line(append([]string{"cupola"},
		insertFlag(slices.Delete(slices.Clone(p.program.Args), at, at+1), "--session="+args[0])...)...)
}

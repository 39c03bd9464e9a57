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

// ofKind is the flag of a verb that was meant by one named like a kind of agent,
// such as --claude or --spawn-claude; empty where none was.
func (p mender) ofKind(verb *registry.Verb, e *core.Error) string {
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

// launchFlag begins the flags that start agents of one kind; agentsFlag is that for
// any kind.
const launchFlag, agentsFlag = "spawn-", "--agents="

// kind is the kind of agent with an id or a short name; nil if there is none.
func (p mender) kind(name string) *agent.Kind {
	kinds, err := command.Kinds(p.program.deps.Paths)
	if err != nil {
		return nil
	}
	kind, _ := kinds.Find(name)
	return kind
}

// chosen says in a verb's own way which agents of a session a word behind it names:
// the session or address, and a flag if one is needed. Both are empty where the
// session holds nothing of that name.
func (p mender) chosen(verb *registry.Verb, name, word string) (address, flag string) {
	picture := tree(p).picture(context.Background())
	if picture == nil || picture.Session(name) == nil {
		return "", ""
	}
	agents := picture.Session(name).Agents()
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

// ofSession is the command line with its only argument, the name of a session, given
// to --session; empty where it is none, or the verb takes arguments.
func (p mender) ofSession(verb *registry.Verb, args []string) string {
	if field := verb.Field("session"); len(args) != 1 || field == nil || !field.Flag() ||
		registry.Positional(verb, 1) != nil {
		return ""
	}
	picture, at := tree(p).picture(context.Background()), slices.Index(p.program.Args, args[0])
	if picture == nil || picture.Session(args[0]) == nil || at < 0 {
		return ""
	}
	return shell.Line(append([]string{"cupola"},
		inserted(slices.Delete(slices.Clone(p.program.Args), at, at+1), "--session="+args[0])...)...)
}

package suggest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb/registry"
)

// launchFlag is the prefix of flags that start agents of one kind.
const launchFlag = "spawn-"

// scopeSession is the first argument of verbs that may be about one session.
const scopeSession = "session"

// BadFlag explains an error of the flags of the line's verb: a number that was given as in
// tail -20, and the verb's first argument that was given as a flag, as in tail --session=api.
func (l *Line) BadFlag(e *core.Error) *core.Error {
	for _, arg := range l.Args {
		number, dashed := strings.CutPrefix(arg, "-")
		if dashed && len(e.Slip.Word) == 2 && strings.HasPrefix(arg, e.Slip.Word) &&
			flagOf(l.Verb, number) == "--lines="+number {
			return didYouMean(&core.Error{
				Code: core.UnknownFlag, Message: "unknown flag " + arg, Slip: core.Slip{Word: arg},
				Details: map[string]any{"flag": arg},
			}, "--lines="+number)
		}
	}
	first := registry.Positional(l.Verb, 1)
	name := strings.TrimPrefix(e.Slip.Word, "--")
	if first == nil || first.Flag() ||
		name != first.Name && !slices.Contains(meantBy(flagSynonyms[:], name), first.Name) {
		return e
	}
	return &core.Error{
		Code:    core.InvalidFlag,
		Message: fmt.Sprintf("%s takes its %s as an argument, not as --%s", l.Verb.Name, first.Name, name),
		Hint:    "Usage: " + l.Verb.Usage(), Actions: l.asArgument(name), Err: e.Err,
		Details: map[string]any{"flag": e.Slip.Word, "takes": l.Verb.Flags()},
	}
}

// asArgument returns the command line with the value of a flag as the first argument, or without
// the flag; nil if neither parses.
func (l *Line) asArgument(name string) []string {
	at := slices.IndexFunc(l.Args,
		func(arg string) bool { return arg == l.Verb.RobotFlag() || slices.Contains(l.Verb.Names(), arg) })
	for i, arg := range l.Args {
		value, given := strings.CutPrefix(arg, "--"+name+"=")
		n := 1
		if arg == "--"+name && i+1 < len(l.Args) {
			value, given, n = l.Args[i+1], true, 2
		}
		if !given || at < 0 || at > i {
			continue
		}
		without := slices.Delete(slices.Clone(l.Args), i, i+n)
		with := slices.Insert(slices.Clone(without), at+1, value)
		if without[at] == l.Verb.RobotFlag() {
			with = slices.Clone(without)
			with[at] += "=" + value
		}
		for _, args := range [][]string{with, without} {
			if l.parses(args) {
				return []string{command(args)}
			}
		}
	}
	return nil
}

// BadArguments explains an error of the arguments of the line's verb: one too many that was meant
// as a flag, or a text that was not quoted.
func (l *Line) BadArguments(args []string, e *core.Error) *core.Error {
	if !e.HasCode(core.TooManyValues) {
		return e
	}
	if line := l.ofSession(args); line != "" {
		e.Hint, e.Actions = args[0]+" is a session: say so with --session.", []string{line}
		return e
	}
	last := len(args)
	for last > 0 && registry.Positional(l.Verb, last) == nil {
		last--
	}
	if last < 2 || registry.Positional(l.Verb, last).Type != "string" {
		if line := l.asFlag(args[last:]); line != "" {
			e.Actions = []string{line}
		}
		return e
	}
	text := args[last-1:]
	from := slices.Index(l.Args, text[0])
	if from < 0 || from+len(text) > len(l.Args) || !slices.Equal(l.Args[from:from+len(text)], text) {
		return e
	}
	before, rest := slices.Clone(l.Args[:from]), l.Args[from+len(text):]
	e.Hint = "Quote a text that holds blanks."
	if at := slices.Index(before, args[0]); last == 2 && at >= 0 {
		if address, flag := l.addressed(args[0], text[0]); address != "" {
			e.Hint = "One of its agents is named by the address of its pane, all of a kind by --type."
			text, before[at] = text[1:], address
			if flag != "" {
				before = append(before, flag)
			}
		}
	}
	e.Actions = []string{command(slices.Concat(before, []string{strings.Join(text, " ")}, rest))}
	return e
}

// asFlag returns the command line with the one argument too many as the value of a flag, as
// in wait api 30s; empty if no flag fits.
func (l *Line) asFlag(extra []string) string {
	if len(extra) != 1 {
		return ""
	}
	at, flag := slices.Index(l.Args, extra[0]), flagOf(l.Verb, extra[0])
	if at < 0 || flag == "" || consents(flag) {
		return ""
	}
	args := slices.Clone(l.Args)
	args[at] = flag
	if !l.parses(args) {
		return ""
	}
	return command(args)
}

// session returns the session of a name; nil if there is none.
func (l *Line) session(name string) *core.Session {
	snapshot := l.Snapshot()
	if snapshot == nil {
		return nil
	}
	return snapshot.Session(name)
}

// scopeOf returns the session that was given as the first argument of a verb that takes
// a scope there, alone or as session:NAME; empty if there is none.
func (l *Line) scopeOf(word string) string {
	first := registry.Positional(l.Verb, 1)
	if first == nil || !slices.Contains(first.Enum, scopeSession) || l.Verb.Field("session") == nil {
		return ""
	}
	if name, said := strings.CutPrefix(word, scopeSession); said && strings.IndexAny(name, ":=/") == 0 {
		return name[1:]
	}
	if l.session(word) == nil {
		return ""
	}
	return word
}

// ofSession returns the command line with its only argument, the name of a session, as the
// value of --session; empty if it is no session, or the verb takes arguments.
func (l *Line) ofSession(args []string) string {
	field := l.Verb.Field("session")
	if len(args) != 1 || field == nil || !registry.OfExisting(l.Verb) || registry.Positional(l.Verb, 1) != nil {
		return ""
	}
	at := slices.Index(l.Args, args[0])
	if at < 0 || l.session(args[0]) == nil {
		return ""
	}
	return command(registry.WithFlag(slices.Delete(slices.Clone(l.Args), at, at+1), "--session="+args[0]))
}

// addressed returns how the line's verb addresses the agents that a word behind a session names:
// the session or address, and a flag if it needs one. Both are empty if the session has no such
// agent.
func (l *Line) addressed(name, word string) (address, flag string) {
	session := l.session(name)
	if session == nil {
		return "", ""
	}
	kind, agents := l.kind(word), session.Programs()
	for _, pane := range agents {
		if pane.Agent.Name == word || strconv.Itoa(pane.Ordinal) == word {
			return pane.Address(), ""
		}
	}
	if kind == nil || l.Verb.Field("type") == nil ||
		!slices.ContainsFunc(agents, func(pane *core.Pane) bool { return pane.Agent.Kind == kind.ID }) {
		return "", ""
	}
	return name, "--type=" + string(kind.ID)
}

// ofKind returns the flag of the line's verb that was meant by a flag with the name of a kind,
// such as --claude or --spawn-claude; empty if none was.
func (l *Line) ofKind(e *core.Error) string {
	name, dashed := strings.CutPrefix(e.Slip.Word, "--")
	if !dashed || !e.HasCode(core.UnknownFlag) && !e.HasCode(core.InvalidFlag) {
		return ""
	}
	kind := l.kind(strings.TrimPrefix(name, launchFlag))
	switch {
	case kind == nil:
	case l.Verb.Field(launchFlag+kind.Short) != nil:
		return "--" + launchFlag + kind.Short
	case l.Verb.Field("agents") != nil:
		return agentsFlag + string(kind.ID)
	case l.Verb.Field("type") != nil && l.Verb.Field("panes") != nil:
		return "--type=" + string(kind.ID)
	}
	return ""
}

// kind returns the agent kind with an id or a short name; nil if there is none.
func (l *Line) kind(name string) *agent.Kind {
	kind, _ := l.Kinds().Find(name)
	return kind
}

package suggest

import (
	"cmp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/text/near"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
)

// Line is a command line that failed, and what is needed to correct it.
type Line struct {
	// Args are the arguments as they were typed.
	Args    []string
	Catalog *registry.Catalog
	// Verb is the one that the line names; nil if there is none.
	Verb *registry.Verb
	// Robotic is true if a program reads the answer.
	Robotic bool
	// Snapshot returns what the terminal server holds; nil if that is not known.
	Snapshot func() *core.Snapshot
	// Kinds returns the agent kinds.
	Kinds func() *agent.Kinds
}

// Correct adds to a failure the commands that were probably meant: the command line with a
// suggestion in the place of the slip. Without a suggestion, a usage error leads to the help
// of its verb.
func (l *Line) Correct(e *core.Error) *core.Error {
	e = l.explain(knownValues(e))
	var lines []string
	for _, word := range e.Suggestions {
		if line := l.corrected(e, word); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 && commandless(e) {
		for _, name := range e.Suggestions {
			if meant := l.Catalog.Find(name); meant != nil && len(lines) < near.Most {
				lines = append(lines, l.page(meant))
			}
		}
	}
	row := advice.Of(e.Code)
	usage, _ := core.InvalidInput.Row()
	explained := l.Verb != nil && (row.Detailed == usage.Detailed || e.HasCode(core.NotFound))
	corrected := *e
	switch {
	case len(lines) == 0 && (e.Actions != nil || !explained):
	case e.Actions != nil || commandless(e) && len(lines) > 0:
		corrected.Actions = slices.Concat(lines, e.Actions)
	case explained:
		corrected.Actions = slices.Concat(lines, []string{l.page(l.Verb)})
	default:
		corrected.Actions = slices.Concat(lines, row.Actions)
	}
	return advice.Ready(&corrected, l.ready)
}

// knownValues suggests values in the place of those of other programs that are near none of Cupola's.
func knownValues(e *core.Error) *core.Error {
	details, _ := e.Details.(map[string]any)
	valid, _ := details["valid"].([]string)
	values := slices.DeleteFunc(meantBy(valueSynonyms[:], e.Slip.Word),
		func(value string) bool { return !slices.Contains(valid, value) })
	if len(e.Suggestions) > 0 || len(values) == 0 {
		return e
	}
	known := *e
	known.Suggestions, known.Hint = values, "Did you mean --"+e.Slip.Input+"="+values[0]+"?"
	return &known
}

// commandless reports whether a command line names no command.
func commandless(e *core.Error) bool {
	return e.HasCode(core.UnknownCommand) || e.HasCode(core.MissingCommand)
}

// capabilities is the verb that explains verbs to programs.
const capabilities = "capabilities"

// page returns the command that explains a verb to the reader, a program or a person.
func (l *Line) page(verb *registry.Verb) string {
	if l.Robotic && verb.Name == capabilities {
		return "cupola " + capabilities
	}
	if l.Robotic {
		return "cupola " + capabilities + " " + verb.Name
	}
	return "cupola " + verb.Name + " --help"
}

func (l *Line) parses(args []string) bool { return l.Catalog.Read(args).OK }

// ready returns those of some commands that are ready to run, as dry runs if the command line is one; nil if none is.
func (l *Line) ready(lines []string) []string {
	return registry.Advice{
		Catalog: l.Catalog, Robotic: l.Robotic, Said: l.Args, DryRun: slices.Contains(l.Args, dryRun),
	}.Lines(lines)
}

// explain adds hints and actions that depend on the command line: the verb's own page, and
// flags that allow what was refused.
func (l *Line) explain(e *core.Error) *core.Error {
	verb, corrected, row := l.Verb, *e, advice.Of(e.Code)
	corrected.Hint = cmp.Or(e.Hint, row.Hint)
	if verb == nil {
		return &corrected
	}
	if e.Hint == "" {
		corrected.Hint = strings.Replace(corrected.Hint, "'cupola capabilities'",
			"'cupola capabilities "+verb.Name+"'", 1)
	}
	piped := slices.Contains(l.Args, "-")
	switch {
	case (e.HasCode(core.BudgetExceeded) || slices.Contains(e.Remedies, core.RemedyRepairStore)) &&
		verb.Field("override-budget") != nil && !piped:
		corrected.Actions = append(slices.Clone(e.Actions), command(registry.WithFlag(l.Args, "--override-budget")))
	case slices.Contains(e.Remedies, core.RemedyIncludeShells) && registry.ReachesUserPanes(verb):
		args := registry.WithFlag(l.Args, "--all")
		if verb.Effect != registry.Reads {
			args = registry.WithFlag(args, "--dry-run")
		}
		if corrected.Hint = e.Hint + " --all includes them."; l.parses(args) {
			corrected.Actions = []string{command(args)}
		}
	case e.HasCode(core.InvalidInput) && e.Slip.Input == "" && l.scopeOf(e.Slip.Word) != "":
		name := l.scopeOf(e.Slip.Word)
		args := registry.WithFlag(replaced(l.Args, e.Slip, scopeSession), "--session="+name)
		if l.parses(args) {
			corrected.Suggestions, corrected.Hint = nil, name+" is a session: say so with --session."
			corrected.Actions = []string{command(args)}
		}
	case (e.HasCode(core.StoreLocked) || e.HasCode(core.NetworkError)) && !piped: // it may be over
		further := e.Actions
		if further == nil {
			further = row.Actions
		}
		corrected.Actions = slices.Concat([]string{command(l.Args)}, further)
	default:
		if flag := l.ofKind(e); flag != "" {
			return didYouMean(&corrected, flag)
		}
	}
	return &corrected
}

// corrected returns the command line with a word in the place of the slip, or a look at what the word names if that is
// a guess. It is empty if the line has no such slip, or would fail too.
func (l *Line) corrected(e *core.Error, word string) string {
	verb := l.Verb
	if e.Slip.Word == "" || !l.exists(e, word) {
		return ""
	}
	if e.Slip.Input == "jq" && verb != nil && verb.Effect != registry.Reads {
		return "" // it has run, and would act twice
	}
	if verb == nil && commandless(e) {
		verb = l.Catalog.Find(word)
	}
	if verb != nil && e.HasCode(core.SessionNotFound) && verb.Field(scopeSession) != nil {
		word, _, _ = strings.Cut(word, ".") // only a session will do there
	}
	args := replaced(l.Args, e.Slip, word)
	if args == nil {
		return ""
	}
	if add, _, _ := strings.Cut(e.Slip.Add, "="); add != "" {
		if verb == nil || verb.Field(add) == nil {
			return ""
		}
		args = registry.WithFlag(args, "--"+e.Slip.Add)
	}
	switch {
	case verb == nil:
	case commandless(e) && verb.Effect != registry.Reads && len(args) == 1:
		return "" // its page says what it needs
	case guessed(verb, e, word):
		return l.look(args)
	case commandless(e) && verb.Effect == registry.Destroys:
		args = slices.DeleteFunc(args, consents) // consent was given to another word
	case commandless(e):
		args = ofSessions(l.Catalog, args)
	}
	return strings.Join(l.ready([]string{command(args)}), "")
}

// exists reports whether a command that was suggested is there.
func (l *Line) exists(e *core.Error, word string) bool {
	return !commandless(e) || l.Catalog.Find(word) != nil || slices.Contains(registry.Others, word)
}

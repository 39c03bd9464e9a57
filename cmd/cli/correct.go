package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/near"
	"cupola/core/shell"
	"cupola/robot/advice"
	"cupola/robot/registry"
)

// corrector corrects the command line as it was typed.
type corrector struct{ program *program }

// correct adds to a failure the commands that were probably meant: the command line with a
// suggestion in the place of the slip. Without a suggestion, a usage error leads to the help
// of its verb.
func (p corrector) correct(e *core.Error) *core.Error {
	verb := p.verb()
	e = p.explain(verb, suggestOwnValues(e))
	var lines []string
	for _, word := range e.Suggestions {
		if line := p.correctedLine(verb, e, word); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 && commandless(e) {
		for _, name := range e.Suggestions {
			if meant := p.program.catalog.Find(name); meant != nil && len(lines) < near.Most {
				lines = append(lines, p.page(meant))
			}
		}
	}
	row := advice.Of(e.Code)
	explained := verb != nil && (isUsage(row.CodeRow) || e.HasCode(core.NotFound))
	corrected := *e
	switch {
	case len(lines) == 0 && (e.Actions != nil || !explained):
	case e.Actions != nil || commandless(e) && len(lines) > 0:
		corrected.Actions = slices.Concat(lines, e.Actions)
	case explained:
		corrected.Actions = slices.Concat(lines, []string{p.page(verb)})
	default:
		corrected.Actions = slices.Concat(lines, row.Actions)
	}
	corrected.Actions = p.withDryRun(corrected.Actions)
	return &corrected
}

// page returns the command that explains a verb to the reader, a program or a person.
func (p corrector) page(verb *registry.Verb) string {
	if p.program.robotic {
		return "cupola capabilities " + verb.Name
	}
	return "cupola " + verb.Name + " --help"
}

// withDryRun adds --dry-run to suggested commands if the command line has it.
func (p corrector) withDryRun(lines []string) []string {
	const flag = "--dry-run"
	if !slices.Contains(p.program.Args, flag) {
		return lines
	}
	kept := slices.Clone(lines)
	for i, line := range kept {
		words := strings.Fields(line)
		if len(words) < 2 || slices.Contains(words, flag) {
			continue
		}
		if verb := p.program.catalog.Find(words[1]); verb == nil || verb.Effect == registry.Reads ||
			verb.Field("dry-run") == nil {
			continue
		}
		if before, after, ended := strings.Cut(line, " -- "); ended {
			kept[i] = before + " " + flag + " -- " + after
		} else {
			kept[i] = line + " " + flag
		}
	}
	return kept
}

// explain adds hints and actions that depend on the command line: the verb's own page, and
// flags that allow what was refused.
func (p corrector) explain(verb *registry.Verb, e *core.Error) *core.Error {
	told := *e
	told.Hint = cmp.Or(e.Hint, advice.Of(e.Code).Hint)
	if verb == nil {
		return &told
	}
	if e.Hint == "" {
		told.Hint = strings.Replace(told.Hint, "'cupola capabilities'", "'cupola capabilities "+verb.Name+"'", 1)
	}
	switch {
	case (e.HasCode(core.BudgetExceeded) || slices.Contains(e.Remedies, core.RemedyMendStore)) &&
		verb.Field("override-budget") != nil && !slices.Contains(p.program.Args, "-"):
		told.Actions = append(slices.Clone(e.Actions),
			shell.Line(append([]string{"cupola"}, insertFlag(slices.Clone(p.program.Args), "--override-budget")...)...))
	case slices.Contains(e.Remedies, core.RemedyIncludeShells) && registry.ReachesUserPanes(verb):
		args := insertFlag(slices.Clone(p.program.Args), "--all")
		if verb.Effect != registry.Reads {
			args = insertFlag(args, "--dry-run")
		}
		if told.Hint = e.Hint + " --all includes them."; p.parses(args) {
			told.Actions = []string{shell.Line(append([]string{"cupola"}, args...)...)}
		}
	case e.HasCode(core.InvalidInput) && e.Slip.Input == "" && verb.Field("session") != nil &&
		p.sessionNamed(verb, e.Slip.Word) != "":
		name := p.sessionNamed(verb, e.Slip.Word)
		args := insertFlag(replaced(p.program.Args, e.Slip, scopeSession), "--session="+name)
		if p.parses(args) {
			told.Suggestions, told.Hint = nil, name+" is a session: say so with --session."
			told.Actions = []string{shell.Line(append([]string{"cupola"}, args...)...)}
		}
	case isTransient(e.Code) && !slices.Contains(p.program.Args, "-"):
		further := e.Actions
		if further == nil {
			further = advice.Of(e.Code).Actions
		}
		told.Actions = slices.Concat([]string{shell.Line(append([]string{"cupola"}, p.program.Args...)...)}, further)
	default:
		if flag := p.ofKind(verb, e); flag != "" {
			told.Suggestions, told.Hint = []string{flag}, "Did you mean "+flag+"?"
		}
	}
	return &told
}

// isTransient reports whether a failure may be over when the same command runs again.
func isTransient(code core.Code) bool { return code == core.StoreLocked || code == core.NetworkError }

// scopeSession is the first argument of verbs that may be about one session.
const scopeSession = "session"

// sessionNamed returns the session that was given as the first argument of a verb that takes
// a scope there, alone or as session:NAME; empty if there is none.
func (p corrector) sessionNamed(verb *registry.Verb, word string) string {
	first := registry.Positional(verb, 1)
	if first == nil || !slices.Contains(first.Enum, scopeSession) {
		return ""
	}
	if name, said := strings.CutPrefix(word, scopeSession); said && strings.IndexAny(name, ":=/") == 0 {
		return name[1:]
	}
	if snapshot := tree(p).snapshot(context.Background()); snapshot == nil || snapshot.Session(word) == nil {
		return ""
	}
	return word
}

// suggestOwnValues suggests values in the place of those of other programs that are near none of ours.
func suggestOwnValues(e *core.Error) *core.Error {
	details, _ := e.Details.(map[string]any)
	valid, _ := details["valid"].([]string)
	values := registry.ValuesMeantBy(valid, e.Slip.Word)
	if len(e.Suggestions) > 0 || len(values) == 0 {
		return e
	}
	known := *e
	known.Suggestions, known.Hint = values, "Did you mean --"+e.Slip.Input+"="+values[0]+"?"
	return &known
}

// isUsage reports whether a code is that of a usage error.
func isUsage(row core.CodeRow) bool {
	invalid, _ := core.InvalidInput.Row()
	return row.Detailed == invalid.Detailed
}

// verb returns the verb of the command line; nil if there is none.
func (p corrector) verb() *registry.Verb {
	switch {
	case p.program.inv == nil:
		return nil
	case p.program.inv.verb != nil:
		return p.program.inv.verb
	case len(p.program.inv.words) > 0:
		return p.program.catalog.Find(p.program.inv.words[0])
	}
	return nil
}

// correctedLine returns the command line with a word in the place of the slip; empty if it
// has no such slip, or would fail too.
func (p corrector) correctedLine(verb *registry.Verb, e *core.Error, word string) string {
	if e.Slip.Word == "" || !p.exists(e, word) {
		return ""
	}
	if e.Slip.Input == "jq" && verb != nil && verb.Effect != registry.Reads {
		return "" // it has run, and would act twice
	}
	if verb != nil && verb.Field("session") != nil && e.HasCode(core.SessionNotFound) {
		word, _, _ = strings.Cut(word, ".") // only a session will do there
	}
	args := replaced(p.program.Args, e.Slip, word)
	if args == nil {
		return ""
	}
	if add, _, _ := strings.Cut(e.Slip.Add, "="); add != "" {
		if verb == nil && commandless(e) {
			verb = p.program.catalog.Find(word)
		}
		if verb == nil || verb.Field(add) == nil {
			return ""
		}
		args = insertFlag(args, "--"+e.Slip.Add)
	}
	if verb != nil && gone(e.Code) &&
		(verb.Effect == registry.Destroys || verb.Effect == registry.Writes && anyPane(e)) {
		// The target is only a guess; a verb without --dry-run gets no suggestion.
		args = slices.DeleteFunc(args, consents)
		args = insertFlag(args, "--dry-run")
	}
	meant, ok := p.read(args)
	if !ok {
		return ""
	}
	if meant != nil && p.program.robotic && meant.Streams && meant.Field("timeout") != nil &&
		!slices.ContainsFunc(args, timed) {
		// A program would follow it without end.
		args = insertFlag(args, "--timeout=60s")
	}
	return shell.Line(append([]string{"cupola"}, args...)...)
}

// parses reports whether a command line parses, without running it.
func (p corrector) parses(args []string) bool {
	_, ok := p.read(args)
	return ok
}

// read parses a command line and reports whether it is right; the verb is nil if none would
// run.
func (p corrector) read(args []string) (*registry.Verb, bool) {
	inv, err := scan(p.program.catalog, args)
	if err != nil || len(inv.words) == 0 {
		return nil, false
	}
	verb := p.program.catalog.Find(inv.words[0])
	if verb == nil {
		return nil, slices.Contains(others, inv.words[0])
	}
	flags := newFlags(verb.Name)
	bound := verb.Bind(flags)
	if err := flags.Parse(inv.words[1:]); errors.Is(err, pflag.ErrHelp) {
		return nil, true
	} else if err != nil {
		return nil, false
	}
	words := flags.Args()
	if inv.value != nil {
		words = append([]string{*inv.value}, words...)
	}
	ok := bound.Args(words) == nil && len(bound.Missing()) == 0
	return registry.As(verb, bound.Input()), ok
}

// exists reports whether a command that was suggested is there, and not only
// planned.
func (p corrector) exists(e *core.Error, word string) bool {
	switch {
	case commandless(e):
		return p.program.catalog.Find(word) != nil || slices.Contains(others, word)
	case strings.HasPrefix(word, "--robot-") && e.HasCode(core.UnknownFlag):
		return !p.program.catalog.IsPlanned(strings.TrimPrefix(word, "--robot-"))
	}
	return true
}

// commandless reports whether a command line names no command.
func commandless(e *core.Error) bool {
	return e.HasCode(core.UnknownCommand) || e.HasCode(core.MissingCommand)
}

func gone(code core.Code) bool {
	return code == core.SessionNotFound || code == core.PaneNotFound || code == core.AgentNotFound
}

// anyPane reports whether the suggestions for a pane are several that exist, and not
// the one that was misspelt.
func anyPane(e *core.Error) bool {
	_, err := strconv.Atoi(e.Slip.Word[strings.LastIndex(e.Slip.Word, ".")+1:])
	return e.HasCode(core.PaneNotFound) && (err == nil || len(e.Suggestions) > 1)
}

func timed(arg string) bool { return arg == "--timeout" || strings.HasPrefix(arg, "--timeout=") }

func consents(arg string) bool {
	return slices.Contains([]string{"--yes", "--force", "-y", "--dry-run"}, arg)
}

// insertFlag adds a flag, before a "--" that ends the flags.
func insertFlag(args []string, flag string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(args, at, flag)
}

// replaced returns arguments with another word in the place of the slip; nil if
// the slip is not among them.
func replaced(args []string, slip core.Slip, by string) []string {
	for i := range args {
		if n, words := matchSlip(args[i:], slip, by); n > 0 {
			return slices.Concat(args[:i], words, args[i+n:])
		}
	}
	if slip.Input != "" {
		return replaced(args, core.Slip{Word: slip.Word}, by)
	}
	return nil
}

// matchSlip returns the words that replace the first n arguments; n is 0 if the slip does
// not begin there.
func matchSlip(args []string, slip core.Slip, by string) (n int, words []string) {
	arg := args[0]
	name, value, given := strings.Cut(arg, "=")
	flag := given && strings.HasPrefix(arg, "-")
	input := "--" + slip.Input
	switch {
	case len(args) > 1 && arg == slip.Word && strings.HasPrefix(by, agentsFlag): // --copilot 2
		return 2, []string{by + "=" + args[1]}
	case slip.Input == "" && arg == slip.Word:
		return 1, []string{by}
	case flag && name == slip.Word: // --limt=3
		return 1, []string{valued(by, value)}
	case flag && (slip.Input == "" || name == input):
		if list, ok := replaceInList(value, slip.Word, by); ok {
			return 1, []string{name + "=" + list}
		}
	case slip.Input != "" && arg == input && len(args) > 1:
		if list, ok := replaceInList(args[1], slip.Word, by); ok {
			return 2, []string{arg, list}
		}
	case slip.Input == "" && len(args) > 1 && arg+" "+args[1] == slip.Word: // config gte
		return 2, []string{by}
	case slip.Input == "":
		if list, ok := replaceInList(arg, slip.Word, by); ok {
			return 1, []string{list}
		}
	}
	return 0, nil
}

// valued gives a flag the value that the misspelt one had, unless it brings its
// own.
func valued(flag, value string) string {
	if strings.Contains(flag, "=") && !strings.HasPrefix(flag, agentsFlag) { // --agents=KIND takes =N
		return flag
	}
	return flag + "=" + value
}

// replaceInList replaces a word in a text that is the word, or a list with commas.
func replaceInList(text, word, by string) (string, bool) {
	if text == word {
		return by, true
	}
	items := strings.Split(text, ",")
	at := slices.IndexFunc(items, func(item string) bool { return cutAt(item, "=:") == word })
	if at < 0 || word == "" || strings.ContainsAny(text, " \t\n") {
		return "", false
	}
	items[at] = by + items[at][len(word):]
	return strings.Join(items, ","), true
}

// cutAt returns a text up to the first of some characters, as the kind in KIND=N and
// KIND:MODEL.
func cutAt(text, chars string) string {
	if at := strings.IndexAny(text, chars); at >= 0 {
		return text[:at]
	}
	return text
}

// positional corrects a command line that gives a verb's first argument as a flag, as in
// tail --session=api.
func (p corrector) positional(verb *registry.Verb, err error) error {
	e := core.AsError(err)
	first := registry.Positional(verb, 1)
	name := strings.TrimPrefix(e.Slip.Word, "--")
	if first == nil || first.Flag() || name != first.Name && !registry.Means(name, first.Name) {
		return err
	}
	e.Code, e.Suggestions, e.Slip, e.Details = core.InvalidFlag, nil, core.Slip{},
		map[string]any{"flag": e.Slip.Word, "takes": verb.Flags()}
	e.Message = fmt.Sprintf("%s takes its %s as an argument, not as --%s", verb.Name, first.Name, name)
	e.Hint = "Usage: " + verb.Usage()
	at := slices.IndexFunc(p.program.Args,
		func(arg string) bool { return arg == verb.RobotFlag() || slices.Contains(verb.Names(), arg) })
	for i, arg := range p.program.Args {
		value, given := strings.CutPrefix(arg, "--"+name+"=")
		n := 1
		if arg == "--"+name && i+1 < len(p.program.Args) {
			value, given, n = p.program.Args[i+1], true, 2
		}
		if !given || at < 0 || at > i {
			continue
		}
		without := slices.Delete(slices.Clone(p.program.Args), i, i+n)
		with := slices.Insert(slices.Clone(without), at+1, value)
		if without[at] == verb.RobotFlag() {
			with = slices.Clone(without)
			with[at] += "=" + value
		}
		for _, args := range [][]string{with, without} {
			if p.parses(args) {
				e.Actions = []string{shell.Line(append([]string{"cupola"}, args...)...)}
				return e
			}
		}
	}
	return e
}

// quoteText corrects a command line on which the last argument, a text, was not quoted.
func (p corrector) quoteText(verb *registry.Verb, args []string, err error) error {
	e := core.AsError(err)
	if line := p.ofSession(verb, args); e.HasCode(core.TooManyValues) && line != "" {
		e.Hint, e.Actions = args[len(args)-1]+" is a session: say so with --session.", []string{line}
		return e
	}
	last := len(args)
	for last > 0 && registry.Positional(verb, last) == nil {
		last--
	}
	if !e.HasCode(core.TooManyValues) {
		return err
	}
	if last < 2 || registry.Positional(verb, last).Type != "string" {
		if line := p.asFlag(verb, args[last:]); line != "" {
			e.Actions = []string{line}
		}
		return e
	}
	from := slices.Index(p.program.Args, args[last-1])
	if from < 0 || from+len(args)-last >= len(p.program.Args) ||
		!slices.Equal(p.program.Args[from:from+len(args)-last+1], args[last-1:]) {
		return err
	}
	text, rest := args[last-1:], p.program.Args[from+len(args)-last+1:]
	e.Hint = "Quote a text that holds blanks."
	before := slices.Clone(p.program.Args[:from])
	if at := slices.Index(before, args[0]); last == 2 && at >= 0 {
		if address, flag := p.chosen(verb, args[0], text[0]); address != "" {
			e.Hint, text, before[at] = "One of its agents is named by the address of its pane, all of a kind by "+
				"--type.", text[1:], address
			if flag != "" {
				before = append(before, flag)
			}
		}
	}
	e.Actions = []string{shell.Line(slices.Concat([]string{"cupola"}, before, []string{strings.Join(text, " ")},
		rest)...)}
	return e
}

// asFlag returns the command line with the one argument too many as the value of a flag, as
// in wait api 30s; empty if no flag fits.
func (p corrector) asFlag(verb *registry.Verb, extra []string) string {
	if len(extra) != 1 {
		return ""
	}
	at, flag := slices.Index(p.program.Args, extra[0]), registry.FlagOf(verb, extra[0])
	if at < 0 || flag == "" || consents(flag) {
		return ""
	}
	args := slices.Clone(p.program.Args)
	args[at] = flag
	if !p.parses(args) {
		return ""
	}
	return shell.Line(append([]string{"cupola"}, args...)...)
}

// countFlag corrects a command line on which a number is given as in tail -20.
func (p corrector) countFlag(verb *registry.Verb, err error) error {
	e := core.AsError(err)
	for _, arg := range p.program.Args {
		number, dashed := strings.CutPrefix(arg, "-")
		if dashed && len(e.Slip.Word) == 2 && strings.HasPrefix(arg, e.Slip.Word) &&
			registry.FlagOf(verb, number) == "--lines="+number {
			return &core.Error{
				Code: core.UnknownFlag, Message: "unknown flag " + arg, Hint: "Did you mean --lines=" + number + "?",
				Suggestions: []string{"--lines=" + number},
				Slip:        core.Slip{Word: arg}, Details: map[string]any{"flag": arg},
			}
		}
	}
	return err
}

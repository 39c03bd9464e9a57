package cli

import (
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
	"cupola/robot/registry"
)

// mender knows the command line as it was typed.
type mender struct{ program *program }

// mend gives a failure the commands that were probably meant: the command line
// as it was typed, with a suggestion in the place of the slip. Where there is
// none, a wrong command line leads to the help of its verb.
func (p mender) mend(e *core.Error) *core.Error {
	verb := p.verb()
	e = p.explained(verb, habitual(e))
	var lines []string
	for _, word := range e.Suggestions {
		if line := p.mended(verb, e, word); line != "" && !slices.Contains(lines, line) {
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
	row, _ := e.Code.Row()
	explained := verb != nil && (misused(row) || e.HasCode(core.NotFound))
	mended := *e
	switch {
	case len(lines) == 0 && (e.Actions != nil || !explained):
	case e.Actions != nil || commandless(e) && len(lines) > 0:
		mended.Actions = slices.Concat(lines, e.Actions)
	case explained:
		mended.Actions = slices.Concat(lines, []string{p.page(verb)})
	default:
		mended.Actions = slices.Concat(lines, row.Actions)
	}
	mended.Actions = p.rehearsed(mended.Actions)
	return &mended
}

// page is the command that explains a verb to whoever asks.
func (p mender) page(verb *registry.Verb) string {
	if p.program.robotic {
		return "cupola capabilities " + verb.Name
	}
	return "cupola " + verb.Name + " --help"
}

// rehearsed keeps the --dry-run of a command line in the commands that it leads to.
func (p mender) rehearsed(lines []string) []string {
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

// explained says what only the command line tells: which of a verb's own pages
// explains it, and how it would be obeyed all the same.
func (p mender) explained(verb *registry.Verb, e *core.Error) *core.Error {
	if verb == nil {
		return e
	}
	told := *e
	if row, _ := e.Code.Row(); e.Hint == "" {
		told.Hint = strings.Replace(row.Hint, "'cupola capabilities'", "'cupola capabilities "+verb.Name+"'", 1)
	}
	switch {
	case (e.HasCode(core.BudgetExceeded) || strings.Contains(e.Hint, "all the same with --override-budget")) &&
		verb.Field("override-budget") != nil && !slices.Contains(p.program.Args, "-"):
		told.Actions = append(slices.Clone(e.Actions),
			shell.Line(append([]string{"cupola"}, inserted(slices.Clone(p.program.Args), "--override-budget")...)...))
	case e.HasCode(core.AgentNotFound) && e.Slip.Add == "--all" && registry.ReachesUserPanes(verb):
		args := inserted(slices.Clone(p.program.Args), e.Slip.Add)
		if verb.Effect != registry.Reads {
			args = inserted(args, "--dry-run")
		}
		if told.Hint = e.Hint + " --all includes them."; p.parses(args) {
			told.Actions = []string{shell.Line(append([]string{"cupola"}, args...)...)}
		}
	case e.HasCode(core.InvalidInput) && e.Slip.Flag == "" && verb.Field("session") != nil &&
		p.named(verb, e.Slip.Word) != "":
		name := p.named(verb, e.Slip.Word)
		args := inserted(replaced(p.program.Args, e.Slip, scopeSession), "--session="+name)
		if p.parses(args) {
			told.Suggestions, told.Hint = nil, name+" is a session: say so with --session."
			told.Actions = []string{shell.Line(append([]string{"cupola"}, args...)...)}
		}
	case passing(e.Code) && !slices.Contains(p.program.Args, "-"):
		row, _ := e.Code.Row()
		further := e.Actions
		if further == nil {
			further = row.Actions
		}
		told.Actions = slices.Concat([]string{shell.Line(append([]string{"cupola"}, p.program.Args...)...)}, further)
	default:
		if flag := p.ofKind(verb, e); flag != "" {
			told.Suggestions, told.Hint = []string{flag}, "Did you mean "+flag+"?"
		}
	}
	return &told
}

// passing reports whether a failure may be over when the same command runs again.
func passing(code core.Code) bool { return code == core.StoreLocked || code == core.NetworkError }

// scopeSession is the first argument of verbs that may be about one session.
const scopeSession = "session"

// named is the session whose name a verb was given where its first argument says
// what it is about, alone or as session:NAME; empty if it was none.
func (p mender) named(verb *registry.Verb, word string) string {
	first := registry.Positional(verb, 1)
	if first == nil || !slices.Contains(first.Enum, scopeSession) {
		return ""
	}
	if name, said := strings.CutPrefix(word, scopeSession); said && strings.IndexAny(name, ":=/") == 0 {
		return name[1:]
	}
	if picture := tree(p).picture(context.Background()); picture == nil || picture.Session(word) == nil {
		return ""
	}
	return word
}

// habitual suggests values for those of other programs that are near nothing here.
func habitual(e *core.Error) *core.Error {
	details, _ := e.Details.(map[string]any)
	valid, _ := details["valid"].([]string)
	values := registry.ValuesMeantBy(valid, e.Slip.Word)
	if len(e.Suggestions) > 0 || len(values) == 0 {
		return e
	}
	known := *e
	known.Suggestions, known.Hint = values, "Did you mean "+e.Slip.Flag+"="+values[0]+"?"
	return &known
}

// misused reports whether a code is that of a wrong command line.
func misused(row core.CodeRow) bool {
	invalid, _ := core.InvalidInput.Row()
	return row.Detailed == invalid.Detailed
}

// verb is the verb that the command line names; nil if it names none.
func (p mender) verb() *registry.Verb {
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

// mended is the command line with a word in the place of the slip; empty where
// the slip is not found on it, or the line would not do.
func (p mender) mended(verb *registry.Verb, e *core.Error, word string) string {
	if e.Slip.Word == "" || !p.exists(e, word) {
		return ""
	}
	if e.Slip.Flag == "--jq" && verb != nil && verb.Effect != registry.Reads {
		return "" // it has run, and would act twice
	}
	if verb != nil && verb.Field("session") != nil && e.HasCode(core.SessionNotFound) {
		word, _, _ = strings.Cut(word, ".") // only a session will do there
	}
	args := replaced(p.program.Args, e.Slip, word)
	if args == nil {
		return ""
	}
	if add, _, _ := strings.Cut(strings.TrimPrefix(e.Slip.Add, "--"), "="); add != "" {
		if verb == nil && commandless(e) {
			verb = p.program.catalog.Find(word)
		}
		if verb == nil || verb.Field(add) == nil {
			return ""
		}
		args = inserted(args, e.Slip.Add)
	}
	if verb != nil && gone(e.Code) &&
		(verb.Effect == registry.Destroys || verb.Effect == registry.Writes && anyPane(e)) {
		// Who would be reached is only guessed; without a rehearsal the line does not parse.
		args = slices.DeleteFunc(args, consents)
		args = inserted(args, "--dry-run")
	}
	meant, ok := p.read(args)
	if !ok {
		return ""
	}
	if meant != nil && p.program.robotic && meant.Streams && meant.Field("timeout") != nil &&
		!slices.ContainsFunc(args, timed) {
		// A program would follow it for ever.
		args = inserted(args, "--timeout=60s")
	}
	return shell.Line(append([]string{"cupola"}, args...)...)
}

// parses reports whether nothing else is wrong with a command line, as far as
// that can be said without running it.
func (p mender) parses(args []string) bool {
	_, ok := p.read(args)
	return ok
}

// read reads a command line as it would be run. It reports whether nothing is wrong
// with it; the verb is nil where none would run, and otherwise answers as it was asked.
func (p mender) read(args []string) (*registry.Verb, bool) {
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
func (p mender) exists(e *core.Error, word string) bool {
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

// inserted adds a flag, before a "--" that ends the flags.
func inserted(args []string, flag string) []string {
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
		if n, words := instead(args[i:], slip, by); n > 0 {
			return slices.Concat(args[:i], words, args[i+n:])
		}
	}
	if slip.Flag != "" {
		return replaced(args, core.Slip{Word: slip.Word}, by)
	}
	return nil
}

// instead returns what stands in the place of the first n arguments; n is 0 if
// the slip does not begin there.
func instead(args []string, slip core.Slip, by string) (n int, words []string) {
	arg := args[0]
	name, value, given := strings.Cut(arg, "=")
	flag := given && strings.HasPrefix(arg, "-")
	switch {
	case len(args) > 1 && arg == slip.Word && strings.HasPrefix(by, agentsFlag): // --copilot 2
		return 2, []string{by + "=" + args[1]}
	case slip.Flag == "" && arg == slip.Word:
		return 1, []string{by}
	case flag && name == slip.Word: // --limt=3
		return 1, []string{valued(by, value)}
	case flag && (slip.Flag == "" || name == slip.Flag):
		if list, ok := exchanged(value, slip.Word, by); ok {
			return 1, []string{name + "=" + list}
		}
	case slip.Flag != "" && arg == slip.Flag && len(args) > 1:
		if list, ok := exchanged(args[1], slip.Word, by); ok {
			return 2, []string{arg, list}
		}
	case slip.Flag == "" && len(args) > 1 && arg+" "+args[1] == slip.Word: // config gte
		return 2, []string{by}
	case slip.Flag == "":
		if list, ok := exchanged(arg, slip.Word, by); ok {
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

// exchanged returns a word, or a list with commas, in which one is exchanged for
// another.
func exchanged(text, word, by string) (string, bool) {
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

// cutAt is what stands before the first of some characters, as the kind in
// KIND=N and KIND:MODEL.
func cutAt(text, chars string) string {
	if at := strings.IndexAny(text, chars); at >= 0 {
		return text[:at]
	}
	return text
}

// placed mends a command line that gives a verb's first argument as a flag, as in
// tail --session=api.
func (p mender) placed(verb *registry.Verb, err error) error {
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

// joined mends a command line on which the last argument, a text, was not quoted.
func (p mender) joined(verb *registry.Verb, args []string, err error) error {
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

// asFlag is the command line on which the one argument too many is the value of a flag,
// as in wait api 30s; empty if none is known to be meant.
func (p mender) asFlag(verb *registry.Verb, extra []string) string {
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

// counted mends a command line on which a number is given as by tail -20.
func (p mender) counted(verb *registry.Verb, err error) error {
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

package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"cupola/core"
	"cupola/robot/registry"
)

// invocation is a command line after its global flags and --robot-VERB flags
// were taken out.
type invocation struct {
	globals registry.Globals
	// words are what is left, beginning with the verb's name if one is known.
	words []string
	// verb is the verb chosen by a flag; nil for subcommands. value is the V of
	// --robot-VERB=V.
	verb  *registry.Verb
	value *string
	// flagged is true if a --robot-VERB flag was there.
	flagged bool
	// stray is a first word that is no verb, followed by those behind it; empty if there is
	// a verb.
	stray []string
	// help and version are true if those flags were there.
	help, version bool
	// warnings name deprecated flags.
	warnings []string
}

// explicit reports whether a flag asks for robot mode.
func (inv *invocation) explicit() bool {
	g := inv.globals
	return inv.flagged || g.Robot || g.JSON || g.Format != "" || g.JQ != "" || g.GoTemplate != ""
}

// own are the subcommands that are not verbs and read their arguments
// themselves.
var own = []string{"scripted", hookWord, "completion", "__complete", "__completeNoDesc"}

// others are the subcommands that are not verbs either, but take the global
// flags.
var others = []string{"demo", "man"}

type scanner struct {
	catalog *registry.Catalog
	inv     *invocation
	verbs   []string // verbs named by flags, in order
	formats []string // --robot-terse and --robot-markdown
	command string   // the first word before any verb flag
	at      int      // index of command among the words
	joined  bool     // command was given in two words
	given   map[*registry.Field]string
	err     error
}

// scan takes the global flags and the verb flags out of the arguments. It
// always returns an invocation, so that a failure can be reported in the form
// that was asked for.
func scan(catalog *registry.Catalog, args []string) (*invocation, error) {
	s := &scanner{catalog: catalog, inv: &invocation{}, given: map[*registry.Field]string{}}
	if len(args) > 0 && slices.Contains(own, args[0]) {
		s.inv.words = args
		return s.inv, nil
	}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			s.inv.words = append(s.inv.words, args[i:]...)
			break
		}
		i += s.argument(args[i], args[i+1:])
	}
	s.resolve()
	if len(s.verbs) == 0 && len(s.inv.words) > 1 && s.inv.words[0] == "--" {
		s.fail(afterDashesError(s.inv.words[1:]))
	}
	if flag := s.inv.robotic(); s.inv.globals.Human && flag != "" {
		s.fail(registry.Conflict("--human", flag))
	}
	return s.inv, s.err
}

// robotic returns a flag that only robot mode supports; empty if there is none.
func (inv *invocation) robotic() string {
	g := inv.globals
	for _, given := range []struct {
		flag string
		is   bool
	}{
		{"the robot flag of a verb", inv.flagged},
		{"--robot", g.Robot},
		{"--json", g.JSON},
		{"--robot-format", g.Format != ""},
		{"--jq", g.JQ != ""},
		{"--go-template", g.GoTemplate != ""},
		{"--pretty", g.Pretty},
		{"--envelope", g.Envelope != ""},
		{"--errors", g.Errors != ""},
	} {
		if given.is {
			return given.flag
		}
	}
	return ""
}

// argument handles one argument and returns how many of the following it took.
func (s *scanner) argument(arg string, following []string) int {
	switch {
	case strings.HasPrefix(arg, "--"):
		return s.flag(arg, following)
	case len(arg) > 1 && arg[0] == '-':
		return s.cluster(arg[1:], following)
	}
	if verb := s.phrase(arg); verb != "" {
		s.command, s.inv.words[s.at] = verb, verb
		return 0
	}
	if s.command == "" && len(s.verbs) == 0 {
		s.command, s.at = arg, len(s.inv.words)
	}
	s.keep(arg)
	return 0
}

// phrase returns the verb that the first word and the next mean together, as in "config get"
// and "alert dismiss"; empty if none. After a word that is a verb by itself only the next
// one may complete a phrase: others are its arguments.
func (s *scanner) phrase(next string) string {
	if s.command == "" || len(s.verbs) > 0 || s.joined {
		return ""
	}
	if s.known(s.command) && len(s.inv.words) > s.at+1 {
		return ""
	}
	name := s.command + "-" + next
	if verb := s.catalog.Phrase(s.command, next); verb != nil {
		name = verb.Name
	} else if !s.catalog.IsPlanned(name) {
		return ""
	}
	s.joined = true
	return name
}

// known reports whether a word names a verb.
func (s *scanner) known(word string) bool {
	return s.catalog.Find(word) != nil || s.catalog.IsPlanned(word)
}

// cluster handles one-letter flags, which may be combined, the last with its value: -Jv,
// -qn5, -n=5.
func (s *scanner) cluster(letters string, following []string) int {
	kept, took := "-", 0
	for letters != "" {
		_, size := utf8.DecodeRuneInString(letters)
		letter, rest := letters[:size], letters[size:]
		value, given := strings.CutPrefix(rest, "=")
		letters = rest
		field := registry.GlobalField(letter)
		switch {
		case field != nil && (given || field.Type != "bool"):
			took, letters = s.global(field, value, rest != "", following), ""
		case field != nil:
			s.global(field, "", false, nil)
		case given, s.takesValue(letter):
			kept, letters = kept+letter+rest, ""
			if rest == "" && len(following) > 0 {
				s.keep(kept, following[0])
				return 1
			}
		default:
			kept += letter
			s.inv.help = s.inv.help || letter == "h"
		}
	}
	if kept != "-" {
		s.keep(kept)
	}
	return took
}

func (s *scanner) keep(args ...string) { s.inv.words = append(s.inv.words, args...) }

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// flag handles a flag with two dashes.
func (s *scanner) flag(arg string, following []string) int {
	name, value, given := strings.Cut(arg[2:], "=")
	switch name {
	case "help":
		s.inv.help = true
		s.keep(arg)
		return 0
	case "version":
		s.inv.version = true
		return 0
	case "schema":
		name = "robot-schema"
	}
	if field := registry.GlobalField(name); field != nil && field.Named(name) {
		return s.global(field, value, given, following)
	}
	if verb, ok := strings.CutPrefix(name, "robot-"); ok && (s.catalog.Find(verb) != nil || !s.taken(name)) {
		s.verbFlag(verb, value, given)
		return 0
	}
	s.keep(arg)
	if !given && s.takesValue(name) && len(following) > 0 {
		s.keep(following[0])
		return 1
	}
	return 0
}

func (s *scanner) global(field *registry.Field, value string, given bool, following []string) int {
	took := 0
	if !given && field.Type != "bool" {
		if len(following) == 0 {
			s.fail(&core.Error{Code: core.TooFewValues, Message: "--" + field.Name + " needs a value"})
			return 0
		}
		value, took = following[0], 1
	}
	if value == "" && field.Type == "bool" {
		value = "true"
	}
	if before, twice := s.given[field]; twice && before != value && field.Type != "list" {
		s.fail(registry.GivenTwice("--"+field.Name, before, value))
	}
	if err := s.inv.globals.Set(field, value); err != nil {
		s.fail(err)
	}
	s.given[field] = value
	return took
}

// taken reports whether a flag that begins with robot- is some verb's modifier.
func (s *scanner) taken(name string) bool {
	return slices.ContainsFunc(s.catalog.Verbs, func(verb *registry.Verb) bool { return verb.Field(name) != nil })
}

// takesValue reports whether a flag that is not global takes a value. A flag means the same
// with every verb that has it; only --command is a switch of some and a value of others, and
// must follow the verb.
func (s *scanner) takesValue(name string) bool {
	for _, verb := range s.verbsByUse() {
		for _, field := range verb.Fields() {
			if field.Named(name) || field.Short == name {
				return field.Type != "bool"
			}
		}
	}
	return false
}

// verbsByUse returns all verbs, those named so far first, since these mostly decide.
func (s *scanner) verbsByUse() []*registry.Verb {
	var named []*registry.Verb
	for _, name := range append([]string{s.command}, s.verbs...) {
		if verb := s.catalog.Find(name); verb != nil {
			named = append(named, verb)
		}
	}
	return append(named, s.catalog.Verbs...)
}

func (s *scanner) verbFlag(name, value string, given bool) {
	s.inv.flagged = true
	switch {
	case name == "help":
		name = "docs"
	case (name == "terse" || name == "markdown") && (!given || value == "true"):
		s.formats = append(s.formats, name)
		return
	}
	if given {
		s.inv.value = &value
	}
	s.verbs = append(s.verbs, name)
}

// resolve decides which verb the flags name.
func (s *scanner) resolve() {
	command := s.command
	if !s.known(command) && !slices.Contains(others, command) {
		if command != "" {
			s.inv.stray = s.inv.words[s.at:]
		}
		command = ""
	} else {
		rest := slices.Delete(slices.Clone(s.inv.words), s.at, s.at+1)
		s.inv.words = append([]string{command}, rest...)
	}
	if len(s.verbs) == 0 && command == "" && len(s.formats) > 0 {
		s.verbs, s.formats = s.formats[:1], s.formats[1:]
	}
	for _, format := range s.formats {
		if s.inv.globals.Format != "" && s.inv.globals.Format != format {
			s.fail(registry.Conflict("--robot-"+format, "--robot-format="+s.inv.globals.Format))
			continue
		}
		s.inv.globals.Format = format
	}
	named := s.verbs
	if command != "" {
		named = append([]string{command}, named...)
	}
	if len(named) > 1 {
		s.fail(&core.Error{
			Code: core.InvalidFlag, Message: "more than one verb: " + strings.Join(named, ", "),
			Hint:    "Give one verb at a time.",
			Details: map[string]any{"verbs": named, "parse_code": registry.ArgumentConflict},
		})
		return
	}
	if len(s.verbs) == 1 {
		s.choose(s.verbs[0])
	}
}

func (s *scanner) choose(name string) {
	verb := s.catalog.Find(name)
	if verb == nil {
		if !s.catalog.IsPlanned(name) {
			s.fail(s.unknown(name))
			return
		}
		s.inv.words = append([]string{name}, s.inv.words...)
		return
	}
	if s.inv.value != nil && verb.Scope == registry.Global && *s.inv.value == "true" {
		s.inv.value = nil
	}
	if s.inv.value != nil {
		if _, err := verb.PositionalOf(*s.inv.value); err != nil {
			s.fail(err)
		}
	}
	s.inv.verb = verb
	s.inv.words = append([]string{verb.Name}, s.inv.words...)
}

func (s *scanner) unknown(name string) error {
	flag := "--robot-" + name
	err := &core.Error{Code: core.UnknownFlag, Message: "unknown flag " + flag, Slip: core.Slip{Word: flag}}
	for _, word := range s.catalog.Meant(name) {
		err.Suggestions = append(err.Suggestions, "--robot-"+word)
	}
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + orList(err.Suggestions) + "?"
	}
	return err
}

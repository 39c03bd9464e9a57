package cli

import (
	"slices"
	"strings"

	"cupola/robot/registry"
)

// line is a command line in the form that cobra reads: the command first.
type line struct {
	// words are the arguments; the first is the command if there is one.
	words []string
	// command is the first word; empty if the line names no command.
	command string
	// value is the V of --robot-VERB=V.
	value *string
	// robot is true if a flag --robot-NAME is there instead of a command.
	robot bool
	// stray are the words of a line that names no command, or its flag --robot-NAME that names none.
	stray []string
}

// ownWords are the subcommands that are not verbs; if they are the first word, the line stays as it is.
var ownWords = []string{"help", "scripted", hookWord, "completion", "__complete", "__completeNoDesc"}

// others are the subcommands that are not verbs either, but take the global flags.
var others = []string{"demo", "man", "mcp", remoteWord}

// formats are verbs whose flags, with another verb, choose the format of its answer.
var formats = []string{"terse", "markdown"}

// switches are the flags of the root that are neither global fields nor those of a verb; none takes a value.
var switches = []string{"version", "help", "h"}

// rewriter brings command lines into the form that cobra reads.
type rewriter struct{ catalog *registry.Catalog }

// line moves to the front what names the command: a word, several words such as "config get", or a
// flag --robot-VERB. It steps over other flags with their values and changes nothing else.
func (r rewriter) line(args []string) line {
	if len(args) > 0 && slices.Contains(ownWords, args[0]) {
		return line{words: args, command: args[0]}
	}
	var stray []string
	var format line
	var begun []int // the places of words that together begin the form of a verb
	named := false
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		arg := args[i]
		verb, value := r.robotFlag(arg)
		isFormat := slices.Contains(formats, verb) && value == nil
		switch {
		case !isFlag(arg) && r.phrase(args, begun, i) != "":
			return moved(r.phrase(args, begun, i), args, append(begun, i)...)
		case named && !isFormat && registry.GlobalField(flagName(arg)) == nil:
			// Only global flags may divide two words if the first is a command by itself.
			return moved(args[begun[0]], args, begun[0])
		case !isFlag(arg):
			stray = append(stray, arg)
			switch {
			case len(begun) == 0:
				begun = []int{i}
				named = r.catalog.Knows(arg) || slices.Contains(slices.Concat(ownWords, others), arg)
			case len(r.catalog.Begun(stray...)) > 0:
				begun = append(begun, i)
			}
		case isFormat && format.command != "":
		case isFormat:
			format = moved(verb, args, i)
			format.robot = true
		case verb != "" && !r.catalog.Knows(verb):
			return line{words: args, stray: []string{"--robot-" + verb}, robot: true}
		case verb != "":
			l := moved(verb, args, i)
			l.value, l.robot = value, true
			return l
		case r.takesValue(arg):
			i++
		}
	}
	switch {
	case named:
		return moved(args[begun[0]], args, begun[0])
	case format.command != "":
		return format
	case len(args) > 0 && isFlag(args[0]):
		if verb := r.implied(args); verb != nil {
			return line{words: append([]string{verb.Name}, args...), command: verb.Name}
		}
	}
	return line{words: args, stray: stray}
}

// implied returns the verb that a flag among arguments means by itself; nil if none does.
func (r rewriter) implied(args []string) *registry.Verb {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if verb := r.catalog.Implied(flagName(args[i])); verb != nil {
			return verb
		}
		if r.takesValue(args[i]) {
			i++
		}
	}
	return nil
}

// moved returns the line of a command and of the arguments but those at some places.
func moved(command string, args []string, places ...int) line {
	words := []string{command}
	for i, arg := range args {
		if !slices.Contains(places, i) {
			words = append(words, arg)
		}
	}
	return line{words: words, command: command}
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// flagName returns the name of the flag that an argument is, without dashes, or the last of
// several letters; empty for other arguments.
func flagName(arg string) string {
	flag, _, _ := strings.Cut(arg, "=")
	name, long := strings.CutPrefix(flag, "--")
	switch {
	case !isFlag(arg):
		return ""
	case long:
		return name
	}
	return flag[len(flag)-1:]
}

// phrase returns the name of the verb that the words at some places and a last one mean together, as in
// "config get" and "alert dismiss"; empty if none.
func (r rewriter) phrase(args []string, places []int, last int) string {
	var words []string
	for _, place := range places {
		words = append(words, args[place])
	}
	words = append(words, args[last])
	if verb := r.catalog.Phrase(words...); verb != nil {
		return verb.Name
	}
	if name := strings.Join(words, "-"); len(words) == 2 && r.catalog.IsPlanned(name) {
		return name
	}
	return ""
}

// robotFlag returns the verb and the value of a flag --robot-VERB[=V], also of one that does not
// exist; the verb is empty for other arguments.
func (r rewriter) robotFlag(arg string) (verb string, value *string) {
	flag, text, given := strings.Cut(arg, "=")
	name, robot := strings.CutPrefix(flag, "--robot-")
	switch flag {
	case "--schema":
		name, robot = "schema", true
	case "--robot-help":
		name = "docs"
	}
	known := r.catalog.Find(name)
	switch {
	case !robot:
		return "", nil
	case known != nil:
		name = known.Name
	case registry.GlobalField(flagName(arg)) != nil || len(r.catalog.TakenBy(flagName(arg))) > 0:
		return "", nil
	}
	if given && (known == nil || known.Scope != registry.Global || text != "true") {
		value = &text
	}
	return name, value
}

// takesValue reports whether the argument behind a flag is its value. A flag means the same with
// every verb that has it; only --command is a switch of some and a value of others, and must
// follow the verb.
func (r rewriter) takesValue(flag string) bool {
	name := flagName(flag)
	if strings.Contains(flag, "=") || slices.Contains(switches, name) {
		return false
	}
	field := registry.GlobalField(name)
	for _, verb := range r.catalog.Verbs {
		if field != nil {
			break
		}
		field = verb.Field(name)
	}
	return field != nil && field.Type != "bool"
}

// fill fills the arguments of a verb, with the value of its robot flag before the others, and
// returns them all.
func (l *line) fill(verb *registry.Verb, bound *registry.Bound, args []string) ([]string, error) {
	if l.value != nil {
		if _, err := verb.PositionalOf(*l.value); err != nil {
			return args, err
		}
		args = append([]string{*l.value}, args...)
	}
	return args, bound.Args(args)
}

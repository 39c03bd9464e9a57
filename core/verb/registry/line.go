package registry

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"cupola/core"
)

// CommandLine is a command line with its command first.
type CommandLine struct {
	// Words are the arguments; the first is the command if there is one.
	Words []string
	// Command is the first word; empty if the line names no command.
	Command string
	// Value is the V of --robot-VERB=V.
	Value *string
	// Robot is true if a flag --robot-NAME is there instead of a command.
	Robot bool
	// Stray are the words of a line that names no command, or its flag --robot-NAME that names none.
	Stray []string
}

// ownWords are the subcommands that are not verbs; if they are the first word, the line stays as it is.
var ownWords = []string{
	"help", "scripted", HookWord, SetupWord, ProtocolWord, "completion", "__complete", "__completeNoDesc",
}

// Others are the subcommands that are not verbs either, but take the global flags.
var Others = []string{"demo", "man", serverWord, RemoteWord, AgentWord}

// Subcommands that programs call, and the one that serves them.
const (
	HookWord = "hook"
	// ProtocolWord is the command that runs in a pane by protocol.
	ProtocolWord = "acp"
	// AgentWord is the command that is an agent for an editor.
	AgentWord  = "acp-agent"
	SetupWord  = core.SetupWord
	RemoteWord = "remote"
	serverWord = "mcp"
)

// otherNames are further names of them.
var otherNames = map[string]string{"mcp-server": serverWord}

// formats are verbs whose flags, with another verb, choose the format of its answer.
var formats = []string{"terse", "markdown"}

// switches are the flags of the root that are neither global fields nor those of a verb; none takes a value.
var switches = []string{"version", "help", "h"}

// CommandLine moves to the front what names the command: a word, several words such as "config get", or a
// flag --robot-VERB. It steps over other flags with their values and changes nothing else.
func (c *Catalog) CommandLine(args []string) CommandLine {
	if len(args) > 0 && slices.Contains(ownWords, args[0]) {
		return CommandLine{Words: args, Command: args[0]}
	}
	var stray []string
	var format CommandLine
	var completions []int // the places of words that together begin the form of a verb
	named := false
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if name := otherNames[args[i]]; name != "" && len(completions) == 0 {
			args = slices.Concat(args[:i], []string{name}, args[i+1:])
		}
		arg := args[i]
		verb, value := c.RobotFlag(arg)
		isFormat := slices.Contains(formats, verb) && value == nil
		switch {
		case !isFlag(arg) && c.phrase(args, completions, i) != "":
			return moved(c.phrase(args, completions, i), args, append(completions, i)...)
		case named && !isFormat && GlobalField(flagName(arg)) == nil:
			// Only global flags may divide two words if the first is a command by itself.
			return moved(args[completions[0]], args, completions[0])
		case !isFlag(arg):
			stray = append(stray, arg)
			switch {
			case len(completions) == 0:
				completions = []int{i}
				named = c.Knows(arg) || slices.Contains(slices.Concat(ownWords, Others), arg)
			case len(c.Completions(stray...)) > 0:
				completions = append(completions, i)
			}
		case isFormat && format.Command != "":
		case isFormat:
			format = moved(verb, args, i)
			format.Robot = true
		case verb != "" && !c.Knows(verb):
			return CommandLine{Words: args, Stray: []string{"--robot-" + verb}, Robot: true}
		case verb != "":
			l := moved(verb, args, i)
			l.Value, l.Robot = value, true
			return l
		case c.takesValue(arg):
			i++
		}
	}
	switch {
	case named:
		return moved(args[completions[0]], args, completions[0])
	case format.Command != "":
		return format
	case len(args) > 0 && isFlag(args[0]):
		if verb := c.implied(args); verb != nil {
			return CommandLine{Words: append([]string{verb.Name}, args...), Command: verb.Name}
		}
	}
	return CommandLine{Words: args, Stray: stray}
}

// implied returns the verb that a flag among arguments means by itself; nil if none does.
func (c *Catalog) implied(args []string) *Verb {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if verb := c.Implied(flagName(args[i])); verb != nil {
			return verb
		}
		if c.takesValue(args[i]) {
			i++
		}
	}
	return nil
}

// moved returns the line of a command and of the arguments but those at some places.
func moved(command string, args []string, places ...int) CommandLine {
	words := []string{command}
	for i, arg := range args {
		if !slices.Contains(places, i) {
			words = append(words, arg)
		}
	}
	return CommandLine{Words: words, Command: command}
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
func (c *Catalog) phrase(args []string, places []int, last int) string {
	words := core.Map(places, func(place int) string { return args[place] })
	words = append(words, args[last])
	if verb := c.Phrase(words...); verb != nil {
		return verb.Name
	}
	return ""
}

// RobotFlag returns the verb and the value of a flag --robot-VERB[=V], also of one that does not
// exist; the verb is empty for other arguments.
func (c *Catalog) RobotFlag(arg string) (verb string, value *string) {
	flag, text, given := strings.Cut(arg, "=")
	name, robot := strings.CutPrefix(flag, "--robot-")
	switch flag {
	case "--schema":
		name, robot = "schema", true
	case "--robot-help":
		name = "docs"
	}
	known := c.Find(name)
	switch {
	case !robot:
		return "", nil
	case known != nil:
		name = known.Name
	case GlobalField(flagName(arg)) != nil || len(c.TakenBy(flagName(arg))) > 0:
		return "", nil
	}
	if given && (known == nil || known.Scope != Global || text != "true") {
		value = &text
	}
	return name, value
}

// takesValue reports whether the argument behind a flag is its value. A flag means the same with
// every verb that has it; only --command is a switch of some and a value of others, and must
// follow the verb.
func (c *Catalog) takesValue(flag string) bool {
	name := flagName(flag)
	if strings.Contains(flag, "=") || slices.Contains(switches, name) {
		return false
	}
	field := GlobalField(name)
	for _, verb := range c.Verbs {
		if field != nil {
			break
		}
		field = verb.Field(name)
	}
	return field != nil && field.Type != "bool"
}

// Fill fills the arguments of a verb, with the value of its robot flag before the others, and
// returns them all.
func (l *CommandLine) Fill(verb *Verb, bound *Bound, args []string) ([]string, error) {
	if l.Value != nil {
		if _, err := verb.PositionalOf(*l.Value); err != nil {
			return args, err
		}
		args = append([]string{*l.Value}, args...)
	}
	return args, bound.Args(args)
}

// Reading is a command line as the program understands it.
type Reading struct {
	// Verb is the verb that the line runs, as it answers Input; nil if it runs none.
	Verb  *Verb
	Input any
	// OK is true if the line asks for help, or for a command that exists with an input that it takes.
	OK bool
}

// Read reads arguments as the program does, and runs nothing.
func (c *Catalog) Read(args []string) Reading {
	line, flags := c.CommandLine(args), NewGlobalFlags()
	verb := c.Find(line.Command)
	if verb == nil {
		return Reading{OK: slices.Contains(Others, line.Command) || slices.Contains(ownWords, line.Command)}
	}
	bound := verb.Bind(flags.Set)
	if err := flags.Set.Parse(line.Words[1:]); err != nil {
		return Reading{OK: errors.Is(err, pflag.ErrHelp)}
	}
	if _, err := flags.Read(line.Robot); err != nil {
		return Reading{}
	}
	_, err := line.Fill(verb, bound, flags.Set.Args())
	in := bound.Input()
	return Reading{Verb: As(verb, in), Input: in, OK: err == nil && verb.Check(in) == nil}
}

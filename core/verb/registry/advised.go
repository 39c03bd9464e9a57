package registry

import (
	"slices"
	"strings"

	"cupola/core/system/shell"
)

// program is the first word of the commands of Cupola. The flags make a command harmless, or end it.
const (
	program = "cupola"
	dryRun  = "--dry-run"
	timeout = "--timeout"
	follow  = "--follow"
)

// Advice makes commands that answers print ready to be run as they are, for programs run them unread.
type Advice struct {
	Catalog *Catalog
	// Robotic is true if a program reads the commands.
	Robotic bool
	// Said are the words that the caller typed, which are no placeholders.
	Said []string
	// DryRun is true if the caller asked what would be done: so do the commands, then.
	DryRun bool
}

// Lines returns those of some commands that are ready to run, each as Line returns it. It returns nil if none is.
func (a Advice) Lines(lines []string) []string {
	var ready []string
	for _, line := range lines {
		if line = a.Line(line); line != "" && !slices.Contains(ready, line) {
			ready = append(ready, line)
		}
	}
	return ready
}

// actions is Lines for the next actions of an answer.
func (a Advice) actions(actions []Action) []Action {
	var ready []Action
	for _, action := range actions {
		if action.Command = a.Line(action.Command); action.Command != "" {
			ready = append(ready, action)
		}
	}
	return ready
}

// Line returns a command that is complete and has no placeholder. For a program it also ends by itself, and asks for
// no consent: what would flow without end gets a limit, and what destroys without consent becomes its dry run. Line
// returns an empty text for a command that cannot be made so.
func (a Advice) Line(line string) string {
	words, err := shell.Words(line)
	if err != nil || len(words) == 0 || slices.ContainsFunc(words, a.placeholder) {
		return ""
	}
	if words[0] != program {
		return line
	}
	args := words[1:]
	read := a.Catalog.Read(args)
	switch v := read.Verb; {
	case !read.OK && len(args) > 0:
		return ""
	case v == nil:
		if a.Robotic && !slices.Contains(args, "--help") && a.Catalog.CommandLine(args).Command == serverWord {
			return ""
		}
		return line
	case v.Field("dry-run") != nil && !read.on("dry-run") &&
		(a.DryRun && v.Effect != Reads || a.Robotic && asks(v) && !read.on("yes", "force")):
		args = WithFlag(args, dryRun)
	case a.Robotic && v.Streams:
		args = limited(v, args)
	default:
		return line
	}
	if args == nil || !a.Catalog.Read(args).OK {
		return ""
	}
	if flag := args[len(args)-1]; len(args) >= len(words) && slices.Equal(args[:len(args)-1], words[1:]) {
		return line + " " + flag // as it is quoted
	}
	return shell.Line(append([]string{program}, args...)...)
}

// asks reports whether a verb wants consent to what it does, as Consent gives it.
func asks(v *Verb) bool {
	yes := v.Field("yes")
	return yes != nil && (yes.Short != "" || v.Effect == Destroys)
}

// limited returns the arguments of a verb that streams with a limit, or without the flag that makes it stream; nil if
// it has neither.
func limited(v *Verb, args []string) []string {
	switch {
	case slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg+"=", timeout+"=") }):
		return args
	case v.Field("timeout") != nil:
		return WithFlag(args, timeout+"=60s")
	case v.Field("dry-run") != nil:
		return WithFlag(args, dryRun)
	case slices.Contains(args, follow):
		return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == follow })
	}
	return nil
}

// WithFlag returns arguments with another flag, before a "--" that ends the flags.
func WithFlag(args []string, flag string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(slices.Clone(args), at, flag)
}

// on reports whether one of some switches is on in the input.
func (r Reading) on(names ...string) bool {
	return slices.ContainsFunc(Values(r.Verb, r.Input), func(given Given) bool {
		return slices.Contains(names, given.Name) && given.Value == true
	})
}

// blanks are placeholders of usage lines and documents that are no inputs' names.
var blanks = []string{"USER", "ADDRESS", "PORT", "NAME", "PATH", "FOLDER", "URL", "WORD", "ID", "N"}

// placeholder reports whether a word of a command has a blank that the reader was to fill in, such as HOST in
// nats://HOST:4222.
func (a Advice) placeholder(word string) bool {
	if slices.Contains(a.Said, word) {
		return false
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("/:@=,.<>", r) })
	return slices.ContainsFunc(parts, func(part string) bool {
		return part == strings.ToUpper(part) && part != strings.ToLower(part) &&
			(slices.Contains(blanks, part) || a.Catalog.takes(strings.ToLower(part)))
	})
}

// takes reports whether an input of a verb has a name.
func (c *Catalog) takes(name string) bool {
	return slices.ContainsFunc(c.Verbs, func(v *Verb) bool {
		return slices.ContainsFunc(v.Fields(), func(f *Field) bool { return f.Name == name })
	})
}

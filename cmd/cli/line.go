package cli

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/verb/registry"
	"cupola/core/verb/suggest"
)

// line is the command line: the words as they were typed, the flags among them, and the command that was probably
// meant.
type line struct {
	catalog *registry.Catalog
	args    []string
	// read is the line as cobra reads it, flags its global flags and globals their values.
	read    registry.CommandLine
	flags   registry.GlobalFlags
	globals registry.Globals
	// warnings name deprecated flags.
	warnings []string
	// robotic is true if a program reads the answer.
	robotic bool
	names   names
}

// names lists what a command line can name.
type names interface {
	// snapshot returns the fleet; nil if it is not known.
	snapshot(ctx context.Context) *core.Snapshot
	kinds() *agent.Kinds
	hostNames() []string
}

func newLine(catalog *registry.Catalog, args []string, names names) *line {
	return &line{
		catalog: catalog, args: args, read: catalog.CommandLine(args), flags: registry.NewGlobalFlags(), names: names,
	}
}

// settle reads the global flags, as far as they were parsed, and chooses the face. Terminal says that a person sees
// standard output.
func (l *line) settle(getenv func(string) string, terminal bool) error {
	globals, err := l.flags.Read(l.read.Robot)
	l.globals = globals
	err = cmp.Or(l.environment(getenv), err)
	l.robotic = l.chooseRobot(getenv("CUPOLA_ROBOT"), terminal)
	return err
}

// verb is the verb that the line names; nil if there is none.
func (l *line) verb() *registry.Verb { return l.catalog.Find(l.read.Command) }

// explicit reports whether a flag asks for robot mode.
func (l *line) explicit() bool { return l.read.Robot || l.flags.Robotic() }

// chooseRobot decides the face: an explicit flag, then whether the verb is for programs, then
// CUPOLA_ROBOT, then whether stdout is a terminal.
func (l *line) chooseRobot(env string, terminal bool) bool {
	switch {
	case l.explicit():
		return true
	case l.globals.Human:
		return false
	}
	if verb := l.verb(); verb != nil && verb.ForPrograms {
		return true
	}
	switch strings.ToLower(env) {
	case "":
		return !terminal
	case "0", "false":
		return false
	}
	return true
}

// environment sets the global flags that were not given to the defaults of wrappers.
func (l *line) environment(getenv func(string) string) error {
	var failed error
	for _, setting := range []struct {
		env, flag string
		value     *string
	}{
		{"CUPOLA_ENVELOPE", "envelope", &l.globals.Envelope},
		{"CUPOLA_ERRORS", "errors", &l.globals.Errors},
		{"CUPOLA_EXIT_CODES", "exit-codes", &l.globals.ExitCodes},
		{"CUPOLA_ROBOT_FORMAT", "robot-format", new(string)}, // the face uses it where the verb has that format
	} {
		value := getenv(setting.env)
		if value == "" {
			continue
		}
		err := registry.CheckEnum(setting.flag, []string{value}, registry.GlobalField(setting.flag).Enum)
		if err != nil {
			e := *core.AsError(err)
			e.Message = setting.env + strings.TrimPrefix(e.Message, "--"+setting.flag)
			e.Hint, failed = "Correct or unset "+setting.env+".", &e
		} else if *setting.value == "" {
			*setting.value = value
		}
	}
	return failed
}

// grace returns how long signals need not be handled.
func (l *line) grace() time.Duration {
	verb := l.verb()
	if l.read.Command == "" && len(l.read.Stray) == 0 && l.robotic {
		verb = l.catalog.Find("status") // else the dashboard
	}
	if verb != nil && verb.Effect == registry.Reads && !verb.Streams {
		return quick
	}
	return 0
}

// suggestions returns what corrects the command line.
func (l *line) suggestions() *suggest.Line {
	return &suggest.Line{
		Args: l.args, Catalog: l.catalog, Verb: l.verb(), Robotic: l.robotic, Kinds: l.names.kinds,
		Snapshot: func() *core.Snapshot { return l.names.snapshot(context.Background()) },
	}
}

// piped reports whether a person gets an answer for programs only since it goes into a pipe.
func (l *line) piped(opts *Options) bool {
	verb := l.verb()
	if !l.robotic || l.explicit() || opts.Getenv("CUPOLA_ROBOT") != "" || verb == nil || verb.ForPrograms ||
		!look.Terminal(opts.Stdin) || !look.Terminal(opts.Stderr) {
		return false
	}
	info, err := opts.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"cupola/cmd/look"
	"cupola/core"
	"cupola/robot/registry"
)

// robotFlags ask for robot mode; formFlags are of use in it only.
var (
	robotFlags = []string{"robot", "json", "robot-format", "robot-terse", "robot-markdown", "jq", "go-template"}
	formFlags  = []string{"pretty", "envelope", "errors"}
)

// globalFlags are the flags that every command takes.
type globalFlags struct {
	set   *pflag.FlagSet
	bound *registry.Bound
}

func newGlobalFlags() globalFlags {
	set := pflag.NewFlagSet("cupola", pflag.ContinueOnError)
	set.Usage = func() {}
	g := globalFlags{set, registry.BindGlobals(set)}
	set.Bool("version", false, "Show the version")
	for _, format := range formats {
		set.Bool("robot-"+format, false, "The same as --robot-format="+format)
		set.Lookup("robot-" + format).Hidden = true
	}
	return g
}

// given returns the first of some flags that was given, with its dashes; empty if none was.
func (g globalFlags) given(names ...string) string {
	for _, name := range names {
		if flag := g.set.Lookup(name); flag.Changed && flag.Value.String() != "" && flag.Value.String() != "false" {
			return "--" + name
		}
	}
	return ""
}

// read returns the values of a parsed command line, and the error of those that contradict each
// other. Robot is true if a robot flag named the verb.
func (g globalFlags) read(robot bool) (registry.Globals, error) {
	values, _ := g.bound.Input().(registry.Globals) // as it was bound
	for _, format := range formats {
		flag := g.given("robot-" + format)
		switch {
		case flag == "":
		case values.Format != "" && values.Format != format:
			return values, registry.Conflict(flag, "--robot-format="+values.Format)
		default:
			values.Format = format
		}
	}
	other := g.given(slices.Concat(robotFlags, formFlags)...)
	if robot {
		other = "the robot flag of a verb"
	}
	if values.Human && other != "" {
		return values, registry.Conflict("--human", other)
	}
	return values, nil
}

// settle chooses the face by the global flags, as far as they were read, and makes what verbs
// work with.
func (p *program) settle() error {
	globals, err := p.flags.read(p.line.robot)
	p.globals = globals
	err = cmp.Or(p.environment(), err)
	p.robotic = p.chooseRobot()
	p.deps = p.wire()
	return err
}

// explicit reports whether a flag asks for robot mode.
func (p *program) explicit() bool { return p.line.robot || p.flags.given(robotFlags...) != "" }

// chooseRobot decides the face: an explicit flag, then whether the verb is for programs, then
// CUPOLA_ROBOT, then whether stdout is a terminal.
func (p *program) chooseRobot() bool {
	switch {
	case p.explicit():
		return true
	case p.globals.Human:
		return false
	}
	if verb := p.catalog.Find(p.line.command); verb != nil && verb.ForPrograms {
		return true
	}
	switch strings.ToLower(p.Getenv("CUPOLA_ROBOT")) {
	case "":
		return !look.Terminal(p.Stdout)
	case "0", "false":
		return false
	}
	return true
}

// environment sets the global flags that were not given to the defaults of wrappers.
func (p *program) environment() error {
	var failed error
	for _, setting := range []struct {
		env, flag string
		value     *string
	}{
		{"CUPOLA_ENVELOPE", "envelope", &p.globals.Envelope},
		{"CUPOLA_ERRORS", "errors", &p.globals.Errors},
		{"CUPOLA_EXIT_CODES", "exit-codes", &p.globals.ExitCodes},
		{"CUPOLA_ROBOT_FORMAT", "robot-format", new(string)}, // the face uses it where the verb has that format
	} {
		value := p.Getenv(setting.env)
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

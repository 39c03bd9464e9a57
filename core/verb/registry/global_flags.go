package registry

import (
	"slices"

	"github.com/spf13/pflag"
)

// robotFlags ask for robot mode; formFlags are of use in it only.
var (
	robotFlags = []string{"robot", "json", "robot-format", "robot-terse", "robot-markdown", "jq", "go-template"}
	formFlags  = []string{"pretty", "envelope", "errors"}
)

// GlobalFlags are the flags that every command takes.
type GlobalFlags struct {
	Set   *pflag.FlagSet
	bound *Bound
}

// NewGlobalFlags returns the flags before any is given.
func NewGlobalFlags() GlobalFlags {
	set := pflag.NewFlagSet("cupola", pflag.ContinueOnError)
	set.Usage = func() {}
	g := GlobalFlags{set, BindGlobals(set)}
	set.Bool("version", false, "Show the version")
	for _, format := range formats {
		set.Bool("robot-"+format, false, "The same as --robot-format="+format)
		set.Lookup("robot-" + format).Hidden = true
	}
	return g
}

// Given returns the first of some flags that was given, with its dashes; empty if none was.
func (g GlobalFlags) Given(names ...string) string {
	for _, name := range names {
		if flag := g.Set.Lookup(name); flag.Changed && flag.Value.String() != "" && flag.Value.String() != "false" {
			return "--" + name
		}
	}
	return ""
}

// Read returns the values of a parsed command line, and the error of those that contradict each
// other. Robot is true if a robot flag named the verb.
func (g GlobalFlags) Read(robot bool) (Globals, error) {
	values, _ := g.bound.Input().(Globals) // as it was bound
	for _, format := range formats {
		flag := g.Given("robot-" + format)
		switch {
		case flag == "":
		case values.Format != "" && values.Format != format:
			return values, Conflict(flag, "--robot-format="+values.Format)
		default:
			values.Format = format
		}
	}
	other := g.Given(slices.Concat(robotFlags, formFlags)...)
	if robot {
		other = "the robot flag of a verb"
	}
	if values.Human && other != "" {
		return values, Conflict("--human", other)
	}
	return values, nil
}

// Robotic reports whether a flag asks for robot mode.
func (g GlobalFlags) Robotic() bool { return g.Given(robotFlags...) != "" }

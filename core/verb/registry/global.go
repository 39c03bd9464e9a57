package registry

import (
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/system/shell"
)

// Globals are the flags that every verb takes. They choose the hosts that are asked, the face and the
// form of the answer, never what is done.
type Globals struct {
	Robot      bool     `help:"Answer for programs: JSON unless --robot-format says otherwise"`
	JSON       bool     `flag:"json,J" help:"The same as --robot"`
	Human      bool     `help:"Answer for people, even if stdout is not a terminal"`
	Format     string   `flag:"robot-format" enum:"json,toon,markdown,terse,ndjson" help:"Format of robot answers (default: json)"`
	Pretty     bool     `help:"Indent JSON"`
	Fields     []string `help:"Columns of the answer's list, or minimal, standard, full; LIST.COLUMN is a column of another list, a.b a field of an object"`
	JQ         string   `flag:"jq" help:"Return the results of this jq expression, one per line; strings without quotes"`
	GoTemplate string   `help:"Return the text this Go template makes; it has the functions json and join"`
	Envelope   string   `enum:"flat,data" help:"Frame of robot answers: the verb's fields at the top, or under data (default: flat)"`
	Errors     string   `enum:"stdout,stderr" help:"Where failures are written in robot mode (default: stdout)"`
	ExitCodes  string   `enum:"default,detailed" help:"Exit status: 0, 1, 2 and 130, or one number per error code"`
	Progress   string   `enum:"off,stderr,stdout" help:"Where long operations report in robot mode what changed, and once a minute what did not (default: stderr)"`
	Color      string   `enum:"auto,always,never" help:"When to use colour (default: auto)"`
	Accessible bool     `help:"Draw for screen readers: words instead of signs, no lines, and the cursor where the keys go"`
	Verbose    bool     `flag:"verbose,v" help:"Answer in more detail"`
	Quiet      bool     `flag:"quiet,q" help:"Do not show tips and progress"`
	// Host chooses the machines, and HostTimeout is how long each may take to be reached; 0 is ten seconds.
	Host        []string      `help:"Ask other machines: their names, patterns, local, all, or any (the most room), also of a label (any:gpu); HOST/SESSION names one, too"`
	HostTimeout time.Duration `flag:"host-timeout" help:"How long to wait for a host (default: 10s)"`
}

// GlobalFields are the global flags as fields. The caller must not change them.
func GlobalFields() []*Field { return globalFields() }

var globalFields = sync.OnceValue(func() []*Field {
	return fieldsOf(reflect.TypeFor[Globals](), reflect.ValueOf(Globals{}))
})

// GlobalField returns the global flag with a name or one-letter form; nil if
// there is none.
func GlobalField(name string) *Field {
	if name == "" {
		return nil
	}
	return core.Find(GlobalFields(), func(f *Field) bool { return f.Named(name) || f.Short == name })
}

// globals has the global flags as a verb has its own.
var globals = &Verb{Name: "cupola", shape: func() *shape {
	return &shape{input: reflect.TypeFor[Globals](), defaults: reflect.ValueOf(Globals{}), fields: globalFields()}
}}

// BindGlobals registers the global flags and returns the Globals that they fill.
func BindGlobals(flags *pflag.FlagSet) *Bound { return globals.Bind(flags) }

// Apply passes the global flags that a verb's own input repeats on to it.
func (g *Globals) Apply(b *Bound) error {
	for _, own := range b.verb.Fields() {
		if field := GlobalField(own.Name); field != nil {
			value := reflect.ValueOf(g).Elem().FieldByIndex(field.index)
			if value.IsZero() {
				continue
			}
			if err := b.Set(own.Name, typed(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Positional returns the field of a verb that takes the nth argument, from 1; nil
// if none does.
func Positional(v *Verb, n int) *Field { return v.argument(n) }

// PositionalOf returns the field that takes the value of --robot-NAME=VALUE, or
// an error for verbs that take none.
func (v *Verb) PositionalOf(value string) (*Field, error) {
	if field := v.argument(1); field != nil {
		return field, nil
	}
	if field := v.inline(); field != nil && field.Legacy {
		return field, nil
	}
	err := &core.Error{
		Code: core.InvalidFlag, Message: v.RobotFlag() + " takes no value, but got " + shell.Quote(value),
		Hint: "Usage: " + v.RobotFlag(),
	}
	if field := v.inline(); field != nil {
		add := field.Name + "=" + value
		err.Hint += " --" + field.Name + "=" + shell.Quote(value)
		err.Suggestions, err.Slip = []string{v.RobotFlag()}, core.Slip{Word: v.RobotFlag() + "=" + value, Add: add}
	}
	return nil, err
}

// ValueForm is --robot-NAME=VALUE and what replaces it where that form is a legacy;
// both are empty for other verbs.
func (v *Verb) ValueForm() (legacy, use string) {
	field := v.inline()
	if field == nil || !field.Legacy || v.argument(1) != nil {
		return "", ""
	}
	return v.RobotFlag() + "=VALUE", v.RobotFlag() + " --" + field.Name + "=VALUE"
}

// inline returns the flag that a bare word gives; nil if there is none.
func (v *Verb) inline() *Field {
	return core.Find(v.Fields(), func(f *Field) bool { return f.Inline })
}

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

package registry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/system/shell"
)

// Bound is a verb's input while it is being filled from a command line.
type Bound struct {
	verb  *Verb
	value reflect.Value // the addressable input struct
	used  []Alias       // deprecated names that were used
	given map[*Field]bool
}

// Bind registers the verb's flags and returns the input that they fill, set to
// the verb's defaults.
func (v *Verb) Bind(flags *pflag.FlagSet) *Bound {
	b := &Bound{verb: v, value: reflect.New(v.Input()).Elem(), given: map[*Field]bool{}}
	b.value.Set(v.shape().defaults)
	for _, field := range v.Fields() {
		if field.Flag() && (v == globals || GlobalField(field.Name) == nil) {
			b.register(flags, field, field.Name, field.Short)
		}
		for _, value := range field.Switches {
			b.register(flags, field, value, "")
			flag := flags.Lookup(value)
			flag.Hidden, flag.NoOptDefVal = true, value
		}
		for _, alias := range field.Aliases {
			b.register(flags, field, alias.Name, "")
			flags.Lookup(alias.Name).Hidden = true
		}
	}
	return b
}

func (b *Bound) register(flags *pflag.FlagSet, field *Field, name, short string) {
	value := &flagValue{bound: b, field: field, name: name, target: b.value.FieldByIndex(field.index)}
	flag := flags.VarPF(value, name, short, field.Usage())
	if field.Type == "bool" {
		flag.NoOptDefVal = "true"
	}
}

// Set sets one field by its name, from text. A list is replaced.
func (b *Bound) Set(name, text string) error {
	field := fieldNamed(b.verb, name)
	if field == nil {
		return core.Errorf(core.InvalidFlag, "%s does not take --%s", b.verb.Name, name)
	}
	target := b.value.FieldByIndex(field.index)
	if field.Type == "list" {
		target.SetZero()
	}
	return setField(field, target, text)
}

// Args fills the positional fields.
func (b *Bound) Args(args []string) error {
	for n := 1; len(args) > 0; n++ {
		field := b.verb.argument(n)
		if field == nil && n == 1 {
			field = b.verb.inline()
		}
		switch {
		case field != nil && b.given[field]:
			return Conflict("--"+field.Name, shell.Quote(args[0]))
		case field == nil:
			return &core.Error{
				Code: core.TooManyValues, Message: fmt.Sprintf("%s takes no argument %q", b.verb.Name, args[0]),
				Hint: "Usage: " + b.verb.Usage(),
			}
		}
		target := b.value.FieldByIndex(field.index)
		if field.Type == "list" {
			return setItems(field, target, append([]string(nil), args...))
		}
		if err := setField(field, target, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	return nil
}

// Missing returns the required fields that were not given.
func (b *Bound) Missing() []*Field { return lacking(b.verb, b.value) }

// Input returns the filled input, to be passed to Call.
func (b *Bound) Input() any { return b.value.Interface() }

// Warnings says which deprecated flags were used and what replaces each.
func (b *Bound) Warnings() []string {
	var warnings []string
	for _, alias := range b.used {
		for _, field := range b.verb.Fields() {
			if field.Named(alias.Name) {
				warnings = append(warnings, fmt.Sprintf("--%s is deprecated; use --%s", alias.Name, field.Name))
			}
		}
	}
	return warnings
}

// flagValue lets pflag fill a field.
type flagValue struct {
	bound  *Bound
	field  *Field
	name   string
	target reflect.Value
}

// String returns the value as it would be typed. The zero flagValue, which
// pflag makes to compare defaults, is empty.
func (f *flagValue) String() string {
	if f.field == nil || f.target.IsZero() {
		return ""
	}
	return typed(f.target)
}

// Type names the value in help.
func (f *flagValue) Type() string { return f.field.Type }

// Set parses one occurrence of the flag; occurrences of a list add up.
func (f *flagValue) Set(text string) error {
	for _, alias := range f.field.Aliases {
		if alias.Name == f.name && alias.Deprecated {
			f.bound.used = append(f.bound.used, alias)
		}
	}
	if slices.Contains(f.field.Switches, f.name) && text != f.name {
		return core.Errorf(core.InvalidInput, "--%s takes no value", f.name)
	}
	if f.field.Type == "list" && !f.bound.given[f.field] {
		f.target.SetZero()
	}
	before := typed(f.target)
	again := f.bound.given[f.field] && f.field.Type != "list"
	f.bound.given[f.field] = true
	if err := setField(f.field, f.target, text); err != nil {
		return err
	}
	if now := typed(f.target); again && now != before {
		return GivenTwice("--"+f.name, before, now)
	}
	return nil
}

// GivenTwice is the error of a flag that takes one value and was given two.
func GivenTwice(flag, first, second string) error {
	return &core.Error{
		Code:    core.InvalidFlag,
		Message: fmt.Sprintf("%s is given twice: %s and %s", flag, shell.Quote(first), shell.Quote(second)),
		Hint:    "It takes one value: give one of them.",
		Details: map[string]any{
			"flags":      []string{flag + "=" + first, flag + "=" + second},
			"parse_code": ArgumentConflict,
		},
	}
}

// setField parses text into a field and checks it.
func setField(field *Field, target reflect.Value, text string) error {
	if err := parseInto(field, target, text); err != nil {
		return err
	}
	return checkField(field, target)
}

// setItems sets a list to items that are separate already, and checks them.
func setItems(field *Field, target reflect.Value, items []string) error {
	if err := givesSomething(field, items...); err != nil {
		return err
	}
	target.Set(reflect.ValueOf(items).Convert(target.Type()))
	return checkField(field, target)
}

func parseInto(field *Field, target reflect.Value, text string) error {
	switch field.Type {
	case "string":
		target.SetString(text)
	case "list":
		items := items(field, text)
		target.Set(reflect.AppendSlice(target, reflect.ValueOf(items).Convert(target.Type())))
		return givesSomething(field, items...)
	case "int":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return unread(field, text, "a whole number", err)
		}
		target.SetInt(int64(n))
		return checkField(field, target)
	case "bool":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return unread(field, text, "true or false", err)
		}
		target.SetBool(b)
	case "duration":
		d, err := core.ParseDuration(text)
		if err != nil {
			return unread(field, text, "a duration such as 30s, 1h30m or 7d", err)
		}
		target.SetInt(int64(d))
	case "since":
		since, ok := target.Addr().Interface().(*Since)
		if !ok {
			return core.Errorf(core.InternalError, "--%s: no text makes a %s", field.Name, target.Type())
		}
		return parseSince(field, since, text)
	}
	return nil
}

// items reads one occurrence of a list.
func items(field *Field, text string) []string {
	if field.Whole {
		return []string{text}
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// givesSomething fails where a value is blank, or there is none, unless that means
// something to the field. Such a value is most often a shell variable that is not
// set, and to ignore it would do more than was asked for.
func givesSomething(field *Field, values ...string) error {
	if field.Empty != "" || len(values) > 0 && !slices.ContainsFunc(values, blank) {
		return nil
	}
	what := "it is empty"
	if len(values) > 1 {
		what = "one of its items is empty"
	}
	return emptyValue(field, what, strings.Join(values, ","))
}

func emptyValue(field *Field, what, value string) error {
	return &core.Error{
		Code: core.InvalidInput, Message: field.shown() + ": " + what, Hint: "Give a value. Is a shell variable unset?",
		Details: map[string]any{"flag": field.shown(), "value": value, "parse_code": InvalidValue},
	}
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func badValue(field *Field, text, want string) error {
	return &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("%s: %q is not %s", field.shown(), text, want),
		Hint:    "Give " + want + ".",
		Details: map[string]any{"flag": field.shown(), "value": text, "parse_code": InvalidValue},
	}
}

// unread is the error of a text that is no value of a field, and says why.
func unread(field *Field, text, want string, why error) error {
	if blank(text) {
		return emptyValue(field, "it is empty", text)
	}
	failed := core.AsError(badValue(field, text, want))
	for cause, words := range map[error]string{
		core.ErrNegativeDuration: "is negative", core.ErrLongDuration: "is too long",
		strconv.ErrRange: "is out of range",
	} {
		if errors.Is(why, cause) {
			failed.Message = fmt.Sprintf("%s: %q %s", field.shown(), text, words)
		}
	}
	return failed
}

// Parse returns the input that words of a command line give a verb: its flags and arguments, without global flags.
func Parse(v *Verb, words []string) (any, error) {
	flags := pflag.NewFlagSet(v.Name, pflag.ContinueOnError)
	flags.Usage = func() {}
	bound := v.Bind(flags)
	if err := flags.Parse(words); err != nil {
		return nil, core.Errorf(core.InvalidFlag, "%w", err)
	}
	if err := bound.Args(flags.Args()); err != nil {
		return nil, err
	}
	return bound.Input(), v.Check(bound.Input())
}

package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"cupola/core"
)

// Rest is the position of the argument that takes all remaining ones.
const Rest = 1 << 20

// Field is one input of a verb: a flag, a positional argument, or both.
type Field struct {
	// Name is the flag's name without dashes.
	Name string
	// Short is the one-letter form; empty if there is none.
	Short string
	// Arg is the position among the arguments, from 1; Rest for all that are
	// left; 0 for fields that are flags only.
	Arg int
	// Type is string, int, bool, duration, list or since.
	Type string
	Help string
	Enum []string
	// Min and Max bound numbers where they are not nil.
	Min, Max *int
	Required bool
	// Whole lists take one item each time they are given; others split theirs
	// at commas.
	Whole bool
	// Inline fields are flags that a bare word gives too. Legacy ones are given by
	// the value of the verb's flag form as well, with a warning.
	Inline, Legacy bool
	// Empty is the meaning of an empty value; empty for fields that refuse one.
	Empty string
	// Lister is the verb that lists what may be given; empty if none does.
	Lister  string
	Aliases []Alias
	// Switches are values that a flag of the same name gives too, such as --claude for claude.
	Switches []string
	// Open fields take other values than those of Enum, too, which their verb checks.
	Open bool
	// Default is the default as it would be typed; empty for a zero value.
	Default string
	// Means is the meaning of the value.
	Means Meaning

	// Since is which points in the past a field of that type takes: time, revision,
	// or both where it is empty.
	Since string

	// raises is the level that the input needs beyond its verb, by value; the level of a switch that is on has the
	// key "true".
	raises map[string]string
	index  []int
}

// Alias is another accepted name of a flag.
type Alias struct {
	Name       string
	Deprecated bool
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	sinceType    = reflect.TypeFor[Since]()
)

// fieldsOf reads the fields of an input struct, embedded ones at their place. It panics on a struct that breaks the
// rules of the package comment, which any test of the verb shows at once.
func fieldsOf(input reflect.Type, defaults reflect.Value) []*Field {
	var fields []*Field
	for _, sf := range reflect.VisibleFields(input) {
		if sf.Anonymous || !sf.IsExported() {
			continue
		}
		fields = append(fields, newField(sf, defaults.FieldByIndex(sf.Index)))
	}
	return fields
}

// defaultsOf is an input before anything is given, as its tags say. It panics on a default that
// its field does not take.
func defaultsOf(input reflect.Type) reflect.Value {
	value := reflect.New(input).Elem()
	for _, sf := range reflect.VisibleFields(input) {
		text, index := sf.Tag.Get("default"), sf.Index
		if text == "" {
			continue
		}
		if sf.Anonymous {
			var name string
			name, text, _ = strings.Cut(text, "=")
			inner, is := sf.Type.FieldByNameFunc(func(own string) bool { return strings.EqualFold(own, name) })
			if !is {
				panic("registry: " + sf.Name + " has no field " + name)
			}
			sf, index = inner, slices.Concat(index, inner.Index)
		}
		field := &Field{Name: sf.Name, Type: typeName(sf.Type), Since: sf.Tag.Get("since")}
		if err := parseInto(field, value.FieldByIndex(index), text); err != nil {
			panic("registry: bad default: " + err.Error())
		}
	}
	return value
}

func newField(sf reflect.StructField, value reflect.Value) *Field {
	name, short, _ := strings.Cut(sf.Tag.Get("flag"), ",")
	if name == "" {
		name = kebab(sf.Name)
	}
	f := &Field{
		Name: name, Short: short, Arg: position(sf.Tag.Get("arg")), Type: typeName(sf.Type), Help: sf.Tag.Get("help"),
		Min: bound(sf.Tag.Get("min")), Max: bound(sf.Tag.Get("max")), Required: sf.Tag.Get("required") == "true",
		Whole: sf.Tag.Get("whole") == "true", Inline: sf.Tag.Get("inline") != "",
		Open:   sf.Tag.Get("open") == "true",
		Legacy: sf.Tag.Get("inline") == "legacy", Empty: sf.Tag.Get("empty"), Lister: sf.Tag.Get("lister"),
		Means: meaningOf(sf), raises: raisesOf(sf.Tag.Get("raises")), index: sf.Index,
	}
	if f.Help == "" {
		panic(fmt.Sprintf("registry: input field %s has no help", sf.Name))
	}
	if f.Empty != "" {
		f.Help += "; empty: " + f.Empty
	}
	if f.Type == "since" {
		f.Since = sf.Tag.Get("since")
		f.Help += sinceHelp[f.Since]
	}
	if enum := sf.Tag.Get("enum"); enum != "" {
		f.Enum = strings.Split(enum, ",")
	}
	if alias := sf.Tag.Get("alias"); alias != "" {
		for _, name := range strings.Split(alias, ",") {
			bare, deprecated := strings.CutPrefix(name, "!")
			f.Aliases = append(f.Aliases, Alias{Name: bare, Deprecated: deprecated})
		}
	}
	if switches := sf.Tag.Get("switch"); switches != "" {
		f.Switches = strings.Split(switches, ",")
	}
	if !value.IsZero() {
		f.Default = typed(value)
	}
	return f
}

// Prefixed names flags of a verb that are also taken as --PREFIX-FLAG, and warn then.
type Prefixed struct {
	Prefix string
	Flags  []string
}

// withPrefixed gives the named fields --PREFIX-FLAG as a deprecated alias. It panics on
// a name that no field has.
func withPrefixed(fields []*Field, old Prefixed) []*Field {
	for _, name := range old.Flags {
		at := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == name })
		fields[at].Aliases = append(fields[at].Aliases, Alias{Name: old.Prefix + "-" + name, Deprecated: true})
	}
	return fields
}

func position(tag string) int {
	if tag == "rest" {
		return Rest
	}
	n, err := strconv.Atoi(tag)
	if tag != "" && err != nil {
		panic("registry: bad arg tag " + tag)
	}
	return n
}

func bound(tag string) *int {
	if tag == "" {
		return nil
	}
	n, err := strconv.Atoi(tag)
	if err != nil {
		panic("registry: bad bound " + tag)
	}
	return &n
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t == sinceType:
		return "since"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "list"
	case t.Kind() == reflect.String, t.Kind() == reflect.Bool, t.Kind() == reflect.Int:
		return t.Kind().String()
	}
	panic(fmt.Sprintf("registry: input type %s is not supported", t))
}

// kebab turns a Go field name into a flag name: DryRun to dry-run, ANSI to ansi.
func kebab(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		upper := unicode.IsUpper(r)
		if upper && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// typed writes a value as it would be typed after its flag.
func typed(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		return strings.Join(listOf(v), ",")
	}
	switch value := v.Interface().(type) {
	case time.Duration:
		return core.ShortDuration(value)
	case fmt.Stringer:
		return value.String()
	default:
		return fmt.Sprint(value)
	}
}

// listOf are the items of a list, whatever its type is called.
func listOf(v reflect.Value) []string {
	items, _ := v.Convert(listType).Interface().([]string)
	return items
}

var listType = reflect.TypeFor[[]string]()

// Usage is the help of a flag with the values that it takes.
func (f *Field) Usage() string {
	if len(f.Enum) == 0 {
		return f.Help
	}
	return f.Help + ": " + strings.Join(f.Enum, ", ")
}

// Flag reports whether the field can be given as a flag of its own name. Aliases are flags of every
// field.
func (f *Field) Flag() bool { return f.Arg != Rest && (f.Arg == 0 || f.Arg > 1) }

// Named reports whether name is the field's flag or one of its aliases.
func (f *Field) Named(name string) bool {
	return f.Name == name || slices.ContainsFunc(f.Aliases, func(a Alias) bool { return a.Name == name })
}

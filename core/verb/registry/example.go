package registry

import (
	"reflect"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
)

// Command writes an input as the shell command that gives it: positional
// arguments, then each flag whose value differs from the default. Arguments
// that begin with a dash come last, after "--". Lists that are split at commas
// must hold none.
func (v *Verb) Command(in any) string {
	value := reflect.ValueOf(in)
	args, flags := v.words(value)
	words := []string{"cupola", v.Name}
	if slices.ContainsFunc(args, dashed) {
		return strings.Join(slices.Concat(words, flags, []string{"--"}, core.Map(args, shell.Quote)), " ")
	}
	return strings.Join(slices.Concat(words, core.Map(args, shell.Quote), flags), " ")
}

// words returns what differs from the defaults, as arguments and as quoted
// flags.
func (v *Verb) words(value reflect.Value) (args, flags []string) {
	for n := 1; ; n++ {
		field := v.argument(n)
		if field == nil || field.Flag() && len(args) < n-1 {
			break
		}
		target := value.FieldByIndex(field.index)
		if field.Arg == Rest {
			for i := range target.Len() {
				args = append(args, target.Index(i).String())
			}
			break
		}
		if !v.isDefault(field, target) {
			args = append(args, typed(target))
		}
	}
	for _, field := range v.Fields() {
		if target := value.FieldByIndex(field.index); (field.Arg == 0 || field.Flag() && field.Arg > len(args)) &&
			!v.isDefault(field, target) {
			flags = append(flags, asFlag(field, target)...)
		}
	}
	return args, flags
}

func (v *Verb) isDefault(field *Field, value reflect.Value) bool {
	usual := v.shape().defaults.FieldByIndex(field.index)
	if field.Type == "list" && value.Len() == 0 {
		return usual.Len() == 0
	}
	return reflect.DeepEqual(value.Interface(), usual.Interface())
}

// asFlag writes a value as the quoted words that give it.
func asFlag(field *Field, value reflect.Value) []string {
	name := "--" + field.Name
	switch {
	case field.Type == "bool" && value.Bool():
		return []string{name}
	case field.Whole && value.Len() > 0:
		words := make([]string, value.Len())
		for i := range words {
			words[i] = name + "=" + shell.Quote(value.Index(i).String())
		}
		return words
	}
	return []string{name + "=" + shell.Quote(typed(value))}
}

func dashed(word string) bool { return len(word) > 1 && word[0] == '-' }

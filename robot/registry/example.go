package registry

import (
	"reflect"
	"strings"
)

// Command writes an input as the shell command that gives it: positional
// arguments, then each flag whose value differs from the default.
func (v *Verb) Command(in any) string {
	value := reflect.ValueOf(in)
	words := []string{"cupola", v.Name}
	var flags []string
	for i := range v.Fields {
		field := &v.Fields[i]
		text := typed(value.FieldByIndex(field.index))
		same := reflect.DeepEqual(value.FieldByIndex(field.index).Interface(), v.defaults.FieldByIndex(field.index).Interface())
		switch {
		case same:
		case field.Arg == Rest:
			for _, item := range value.FieldByIndex(field.index).Interface().([]string) {
				words = append(words, Quote(item))
			}
		case field.Arg > 0:
			words = append(words, Quote(text))
		case field.Type == "bool" && text == "true":
			flags = append(flags, "--"+field.Name)
		default:
			flags = append(flags, "--"+field.Name+"="+Quote(text))
		}
	}
	return strings.Join(append(words, flags...), " ")
}

// Quote writes a word so that a POSIX shell reads it back unchanged.
func Quote(word string) string {
	if word == "" {
		return "''"
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Line joins words into a shell command.
func Line(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

package registry

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// ValueError is the fault of one of the values that FillAll was given.
type ValueError struct {
	Name string
	Err  error
}

// Fill returns a verb's input from values by the names of its inputs, as a file
// holds them: texts as they would be typed, numbers, booleans, and lists. What is
// not named keeps its default. A name that the verb does not take is InvalidInput. What is
// required is seen to by Verb.Check.
func Fill(v *Verb, values map[string]any) (any, error) {
	in, wrong := FillAll(v, values)
	if len(wrong) > 0 {
		return nil, wrong[0].Err
	}
	return in, nil
}

// FillAll does as Fill, but continues after a fault: it returns all faults, by name, beside the input with the values
// that could be filled.
func FillAll(v *Verb, values map[string]any) (any, []ValueError) {
	input := reflect.New(v.Input()).Elem()
	input.Set(v.shape().defaults)
	var wrong []ValueError
	given := map[*Field]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, err := Takes(v, name)
		switch other := given[field]; {
		case err != nil:
		case other != "":
			err = core.Errorf(core.InvalidInput, "%s and %s are the same; give one of them", other, name)
		default:
			given[field] = name
			err = fillField(field, input.FieldByIndex(field.index), values[name])
		}
		if err != nil {
			wrong = append(wrong, ValueError{name, err})
		}
	}
	return input.Interface(), wrong
}

// Takes returns a verb's input of a name or alias, whether it is a flag, an argument,
// or both. An unknown one is InvalidInput.
func Takes(v *Verb, name string) (*Field, error) {
	var names []string
	for _, field := range v.Fields() {
		if field.Named(name) {
			return field, nil
		}
		names = append(names, field.Name)
	}
	slices.Sort(names)
	return nil, &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("%s takes no %q", v.Name, name),
		Hint:    v.Name + " takes " + strings.Join(names, ", ") + ".",
		Details: map[string]any{"name": name, "takes": names},
	}
}

// fillField sets a field from a value of a file, or from that of another input: texts and lists of them have any type.
func fillField(field *Field, target reflect.Value, value any) error {
	value = untyped(value)
	if list, is := value.([]any); is {
		return fillList(field, target, list)
	}
	if field.Type == "list" {
		target.SetZero()
	}
	text, err := textOf(field, value)
	if err != nil {
		return err
	}
	return setField(field, target, text)
}

// untyped is a value without the name of its type, if it is a text or a list of texts.
func untyped(value any) any {
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).String()
		}
		return list
	}
	return value
}

func fillList(field *Field, target reflect.Value, list []any) error {
	if field.Type != "list" {
		return badValue(field, fmt.Sprint(list), "one value")
	}
	items := make([]string, len(list))
	for i := range list {
		text, err := textOf(field, list[i])
		if err != nil {
			return err
		}
		items[i] = text
	}
	return setItems(field, target, items)
}

// textOf is a single value as it would be typed. True and false are no texts and no
// numbers.
func textOf(field *Field, value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool:
		if field.Type == "bool" {
			return fmt.Sprint(value), nil
		}
	case int, int64, float64, time.Duration:
		if field.Type != "bool" {
			return fmt.Sprint(value), nil
		}
	case time.Time:
		return value.Format(time.RFC3339Nano), nil
	}
	return "", badValue(field, fmt.Sprint(value), wanted[field.Type])
}

// wanted says what a field of a type takes.
var wanted = map[string]string{
	"string": "a text", "list": "a list of texts", "int": "a whole number", "bool": "true or false",
	"duration": "a duration such as 30s, 1h30m or 7d", "since": "a duration, a date, or rev:N",
}

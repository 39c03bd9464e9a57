package registry

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/near"
)

// Fill returns a verb's input from values by the names of its inputs, as a file
// holds them: texts as they would be typed, numbers, booleans, and lists. What is
// not named keeps its default. A name that the verb does not take is InvalidInput
// with the near miss. What is required is seen to by Call.
func Fill(v *Verb, values map[string]any) (any, error) {
	input := reflect.New(v.Input()).Elem()
	input.Set(v.shape().defaults)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, err := Takes(v, name)
		if err != nil {
			return nil, err
		}
		if err := fillField(field, input.FieldByIndex(field.index), values[name]); err != nil {
			return nil, err
		}
	}
	return input.Interface(), nil
}

// Takes returns a verb's input of a name or alias, whether it is a flag, an argument,
// or both. An unknown one is InvalidInput with the near miss.
func Takes(v *Verb, name string) (*Field, error) {
	var names []string
	for _, field := range v.Fields() {
		if field.Named(name) {
			return field, nil
		}
		names = append(names, field.Name)
	}
	slices.Sort(names)
	err := &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("%s takes no %q", v.Name, name), Suggestions: near.Words(name, names),
		Hint: v.Name + " takes " + strings.Join(names, ", ") + ".", Details: map[string]any{"name": name, "takes": names},
	}
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	}
	return nil, err
}

// fillField sets a field from a value of a file.
func fillField(field *Field, target reflect.Value, value any) error {
	if field.Type == "list" {
		target.SetZero()
	}
	switch value := value.(type) {
	case string:
		return setField(field, target, value)
	case bool, int, int64, float64, time.Duration:
		return setField(field, target, fmt.Sprint(value))
	case time.Time:
		return setField(field, target, value.Format(time.RFC3339Nano))
	case []any:
		if field.Type != "list" {
			return badValue(field, fmt.Sprint(value), "one value")
		}
		items := make([]string, len(value))
		for i := range value {
			items[i] = fmt.Sprint(value[i])
		}
		return setItems(field, target, items)
	}
	return badValue(field, fmt.Sprint(value), "a value of type "+field.Type)
}

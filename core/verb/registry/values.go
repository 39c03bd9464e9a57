package registry

import (
	"reflect"
	"slices"
)

// Given is an input of a verb with its value, as Fill takes it.
type Given struct {
	Name  string
	Value any
}

// Values are the inputs of a verb that differ from their defaults, in the order of its fields. Fill makes the same
// input of them.
func Values(v *Verb, in any) []Given {
	var all []Given
	value := reflect.ValueOf(in)
	for _, field := range v.Fields() {
		target := value.FieldByIndex(field.index)
		if v.isDefault(field, target) {
			continue
		}
		given := Given{Name: field.Name, Value: typed(target)}
		switch field.Type {
		case "list":
			given.Value = slices.Clone(listOf(target))
		case "bool", "int":
			given.Value = target.Interface()
		}
		all = append(all, given)
	}
	return all
}

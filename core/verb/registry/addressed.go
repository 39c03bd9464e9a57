package registry

import (
	"reflect"
	"slices"
)

// Addressed returns an input with each address, which may name another host, replaced by the result of put.
func Addressed(v *Verb, in any, put func(address string) string) any {
	value := changeable(in)
	for _, field := range v.Fields() {
		if !field.Means.Addressed() {
			continue
		}
		switch target := value.FieldByIndex(field.index); target.Kind() {
		case reflect.String:
			target.SetString(put(target.String()))
		case reflect.Slice:
			own, is := target.Interface().([]string)
			if !is {
				continue
			}
			own = slices.Clone(own)
			for i := range own {
				own[i] = put(own[i])
			}
			target.Set(reflect.ValueOf(own).Convert(target.Type()))
		}
	}
	return value.Interface()
}

// Addresses calls each with every address in an input, as Addressed does.
func Addresses(v *Verb, in any, each func(address string)) {
	_ = Addressed(v, in, func(address string) string {
		each(address)
		return address
	})
}

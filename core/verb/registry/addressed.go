package registry

import (
	"reflect"
	"slices"
)

// Addressed divides what an input names on other hosts: split parts HOST/REST. It returns the input with the rests, and
// the hosts, each once. An address without a host gives none.
func Addressed(v *Verb, in any, split func(string) (host, rest string, is bool)) (any, []string) {
	value := changeable(in)
	var hosts []string
	part := func(text string) string {
		host, rest, is := split(text)
		if is && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
		return rest
	}
	for _, field := range v.Fields() {
		if !field.Means.Addressed() {
			continue
		}
		switch target := value.FieldByIndex(field.index); target.Kind() {
		case reflect.String:
			target.SetString(part(target.String()))
		case reflect.Slice:
			own, is := target.Interface().([]string)
			if !is {
				continue
			}
			own = slices.Clone(own)
			for i := range own {
				own[i] = part(own[i])
			}
			target.Set(reflect.ValueOf(own).Convert(target.Type()))
		}
	}
	return value.Interface(), hosts
}

package tomlfile

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Fill is MetaData.PrimitiveDecode for the table of a name in a text that Parse read.
func Fill(text string, meta *toml.MetaData, table toml.Primitive, into any, name ...string) error {
	if err := meta.PrimitiveDecode(table, into); err != nil {
		return err
	}
	return dropped(text, meta, reflect.TypeOf(into).Elem(), name)
}

// dropped returns the error of the first value below a name that is no table but would
// fill a map, which the parser drops silently; nil if there is none. It does not look
// into arrays.
func dropped(text string, meta *toml.MetaData, t reflect.Type, name toml.Key) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	isMap := t.Kind() == reflect.Map
	if is := meta.Type(name...); isMap && len(name) > 0 && is != "Hash" {
		what := name.String() + " is " + cmp.Or(typeWords[strings.ToLower(is)], is) + "; it must be a section"
		return toml.ParseError{Message: what, Position: toml.Position{Line: max(1, LineOf(text, name.String()))}}
	}
	if !isMap && !structured(t) || t.Kind() == reflect.Slice || t == reflect.TypeFor[toml.Primitive]() {
		return nil
	}
	for _, key := range meta.Keys() {
		if len(key) != len(name)+1 || !slices.Equal(key[:len(name)], name) {
			continue
		}
		var below reflect.Type
		if isMap {
			below = t.Elem()
		} else if field := fieldOf(reflect.New(t).Elem(), key[len(name)]); field.IsValid() {
			below = field.Type()
		} else {
			continue
		}
		if err := dropped(text, meta, below, key); err != nil {
			return err
		}
	}
	return nil
}

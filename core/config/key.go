package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/text/near"
)

// Key is one setting.
type Key struct {
	// Name is SECTION.KEY.
	Name string
	// Type is string, int, bool, duration, list, or table for a key that is written as a
	// section.
	Type string
	// Doc is one line without a full stop.
	Doc string
	// Enum are the allowed values; none if all are allowed.
	Enum []string
	// Parts are words that the value must contain; an empty value need not.
	Parts []string
	// Guard is the reason why a project's file must not set it; empty if it may.
	Guard string
	// Safe is the value used while the user's is in doubt, in the form that Set accepts; empty for the default.
	Safe string
	// Entry are the names of the fields of a table's entries.
	Entry []string

	index []int
	// entry and field name an entry of a table and the field of it that the key is; empty for other keys.
	entry, field string
}

// Default returns the default value in the form that Set accepts.
func (k Key) Default() string { return defaults().Value(k) }

// Env returns the name of the environment variable that sets the key.
func (k Key) Env() string {
	return "CUPOLA_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// Section returns the part of the name before the dot.
func (k Key) Section() string {
	if i := strings.LastIndexByte(k.Name, '.'); i >= 0 {
		return k.Name[:i]
	}
	return k.Name
}

// Keys are all settings, in the order of Config. The caller must not change them.
func Keys() []Key { return keys() }

var keys = sync.OnceValue(func() []Key {
	var all []Key
	sections := reflect.TypeFor[Config]()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if !section.IsExported() {
			continue
		}
		if section.Type.Kind() != reflect.Struct {
			all = append(all, keyOf(section, section.Tag.Get("toml")))
			continue
		}
		for _, field := range reflect.VisibleFields(section.Type) {
			if field.Anonymous {
				continue
			}
			field.Index = append([]int{i}, field.Index...)
			all = append(all, keyOf(field, section.Tag.Get("toml")+"."+field.Tag.Get("toml")))
		}
	}
	return all
})

func keyOf(field reflect.StructField, name string) Key {
	key := Key{
		Name: name, Type: typeOf(field.Type), Doc: field.Tag.Get("doc"), Guard: field.Tag.Get("guard"),
		Safe: field.Tag.Get("safe"), index: field.Index,
	}
	if enum := field.Tag.Get("enum"); enum != "" {
		key.Enum = strings.Split(enum, ",")
	}
	if parts := field.Tag.Get("contains"); parts != "" {
		key.Parts = strings.Split(parts, ",")
	}
	if key.Type == table {
		for entry := range field.Type.Elem().Fields() {
			key.Entry = append(key.Entry, entry.Tag.Get("toml"))
		}
	}
	return key
}

// table is the type of keys that hold arbitrary keys.
const table = "table"

func typeOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration"
	case t == reflect.TypeFor[[]string]():
		return "list"
	case t.Kind() == reflect.Map:
		return table
	case t.Kind() == reflect.Float64:
		return "number"
	}
	return t.Kind().String()
}

// KeyNamed returns the key with a name. It returns InvalidInput, with similar names, if
// there is none.
func KeyNamed(name string) (Key, error) {
	if i := indexOf(name); i >= 0 {
		return keys()[i], nil
	}
	if key, is := fieldNamed(name); is {
		return key, nil
	}
	err := &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("no setting is named %q", name),
		Details: map[string]any{"valid": Names()}, Remedies: []core.Remedy{core.RemedyShowSettings},
	}
	suggest(err, name)
	if parts := strings.Split(name, "."); len(parts) == 3 && indexOf(parts[0]) >= 0 {
		if fields := keys()[indexOf(parts[0])].Entry; len(fields) > 0 {
			err.Suggestions, err.Slip = nil, core.Slip{Word: name}
			for _, field := range near.Words(parts[2], fields) {
				err.Suggestions = append(err.Suggestions, parts[0]+"."+parts[1]+"."+field)
			}
		}
	}
	return Key{}, err
}

// fieldNamed returns the field of an entry of a table, TABLE.ENTRY.FIELD, as a key; false if the name is none.
func fieldNamed(name string) (Key, bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || parts[1] == "" || strings.Trim(strings.ToLower(parts[1]), plainLetters) != "" {
		return Key{}, false
	}
	i := indexOf(parts[0])
	if i < 0 || keys()[i].Type != table {
		return Key{}, false
	}
	of := keys()[i]
	entries := reflect.TypeFor[Config]().FieldByIndex(of.index).Type.Elem()
	for field := range entries.Fields() {
		if field.Tag.Get("toml") == parts[2] {
			return Key{
				Name: name, Type: typeOf(field.Type), Doc: of.Doc, Guard: of.Guard, index: of.index,
				entry: parts[1], field: field.Name,
			}, true
		}
	}
	return Key{}, false
}

// plainLetters are the letters of names that need no quotes in a file.
const plainLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

func indexOf(name string) int {
	return slices.IndexFunc(keys(), func(key Key) bool { return key.Name == name })
}

// Names returns the names of all settings.
func Names() []string {
	return core.Map(keys(), func(key Key) string { return key.Name })
}

// suggest adds to an error which keys or sections a name was probably meant for.
func suggest(err *core.Error, name string) {
	known := Names()
	if !strings.Contains(name, ".") {
		known = append(known, sections()...)
	}
	err.Suggestions, err.Slip.Word = near.Words(name, known), name
	if len(err.Suggestions) > 0 {
		err.Hint = "Did you mean " + err.Suggestions[0] + "?"
	} else {
		err.Remedies = []core.Remedy{core.RemedyShowSettings}
	}
}

// sections are the names of all sections.
func sections() []string {
	names := core.Map(keys(), Key.Section)
	return slices.Compact(names)
}

package agent

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEveryKeyOfAKindIsDescribed(t *testing.T) {
	var described []string
	for _, section := range Sections() {
		for _, key := range section.Keys {
			if described = append(described, key.Name); key.Says == "" || key.Form == "" {
				t.Errorf("%s is described as %q, %q", key.Name, key.Form, key.Says)
			}
		}
	}
	known := decoded()
	for _, name := range known {
		if !slices.Contains(described, name) {
			t.Errorf("%s can be in a file, and Sections lacks it", name)
		}
	}
	for i, name := range described {
		if !slices.Contains(known, name) {
			t.Errorf("Sections describes %s, and no file can hold it", name)
		}
		if slices.Contains(described[:i], name) {
			t.Errorf("Sections describes %s twice", name)
		}
	}
	if len(known) < 100 {
		t.Errorf("only %d keys were looked at: %s", len(known), strings.Join(known, " "))
	}
	if key, ok := KeyOf("rule.approval.region"); !ok || key.Name != "rule.NAME.region" {
		t.Errorf("the region of a rule is %+v", key)
	}
}

// decoded returns the names of all keys that the decoder fills, in the form of Key.Name.
func decoded() []string {
	var names []string
	leaves(reflect.TypeFor[document](), "", &names)
	return names
}

// leaves adds the names of the values that a type holds.
func leaves(t reflect.Type, name string, names *[]string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch plain := reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()); {
	case t.Kind() == reflect.Struct && !plain:
		for i := range t.NumField() {
			field := t.Field(i)
			key := field.Tag.Get("toml")
			if key == "-" || !field.IsExported() {
				continue
			}
			if key == "" {
				key = strings.ToLower(field.Name)
			}
			leavesOf(field.Type, joined(name, key), names)
		}
	default:
		*names = append(*names, name)
	}
}

// leavesOf adds the names of the values that a field holds, also in tables that are decoded later.
func leavesOf(t reflect.Type, name string, names *[]string) {
	switch {
	case name == "rule":
		leaves(reflect.TypeFor[Rule](), "rule.NAME", names)
	case name == "answer":
		leaves(reflect.TypeFor[answerSpec](), "answer.NAME", names)
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
		leaves(t.Elem(), name+".NAME", names)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		leaves(t.Elem(), name+"[]", names)
	default:
		leaves(t, name, names)
	}
}

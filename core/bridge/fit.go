package bridge

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// shownKeys is how many keys an error names at most.
const shownKeys = 8

// fits sees that what a tool printed can be what its expression reads: expressions are
// lenient, and make an empty answer of any object. One that has none of the keys that
// the expression names is another thing.
func (a *Action) fits(raw any) error {
	if a.Text {
		return nil
	}
	query, err := gojq.Parse(a.Map)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	keysRead(reflect.ValueOf(query), names)
	if len(names) == 0 {
		return nil
	}
	expected := "expected an object with " + listed(names)
	switch raw := raw.(type) {
	case nil:
		return errors.New("it printed null; " + expected)
	case map[string]any:
		found := map[string]bool{}
		for key := range raw {
			if names[key] {
				return nil
			}
			found[key] = true
		}
		if len(raw) == 0 {
			return errors.New("it printed an empty object; " + expected)
		}
		return fmt.Errorf("it printed an object with %s; %s", listed(found), expected)
	case []any:
		return nil // the expression fails by itself where it reads none
	}
	return fmt.Errorf("it printed a %s; %s", gojq.TypeOf(raw), expected)
}

// keysRead adds the keys that an expression reads of any object.
func keysRead(node reflect.Value, names map[string]bool) {
	switch node.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !node.IsNil() {
			keysRead(node.Elem(), names)
		}
	case reflect.Slice:
		for i := range node.Len() {
			keysRead(node.Index(i), names)
		}
	case reflect.Struct:
		switch part := node.Interface().(type) {
		case gojq.Term:
			if part.Func != nil && strings.HasPrefix(part.Func.Name, "$") {
				return // a modifier, as in $in.query
			}
		case gojq.Index:
			if part.Name != "" {
				names[part.Name] = true
			} else if part.Str != nil && part.Str.Queries == nil {
				names[part.Str.Str] = true
			}
		case gojq.ObjectKeyVal:
			if part.Val == nil && part.Key != "" && !strings.HasPrefix(part.Key, "$") {
				names[part.Key] = true
			}
		}
		for i := range node.NumField() {
			if node.Type().Field(i).IsExported() {
				keysRead(node.Field(i), names)
			}
		}
	}
}

// listed writes some keys in order.
func listed(names map[string]bool) string {
	keys := slices.Sorted(maps.Keys(names))
	if len(keys) > shownKeys {
		keys = append(keys[:shownKeys:shownKeys], "...")
	}
	return strings.Join(keys, ", ")
}

func columnNames(columns []Column) string {
	names := map[string]bool{}
	for _, column := range columns {
		names[column.Name] = true
	}
	return listed(names)
}

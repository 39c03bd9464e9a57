package render

import "encoding/json"

// sameOrdered compares values of the model: numbers by value, objects with the order of their members.
func sameOrdered(a, b any) bool {
	return same(a, b, true)
}

// sameValue is sameOrdered without the order, which tables do not keep for every row.
func sameValue(a, b any) bool {
	return same(a, b, false)
}

func same(a, b any, ordered bool) bool {
	switch a := a.(type) {
	case Object:
		b, ok := b.(Object)
		if !ok || len(a) != len(b) {
			return false
		}
		for i, m := range a {
			v, ok := b.Get(m.Key)
			if !ok || ordered && b[i].Key != m.Key || !same(m.Value, v, ordered) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i], ordered) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && string(appendNumber(nil, string(a))) == string(appendNumber(nil, string(b)))
	}
	return a == b
}

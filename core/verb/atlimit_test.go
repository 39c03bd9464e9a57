package verb_test

import (
	"reflect"
	"testing"

	"cupola/core/verb"
)

// A field that has the name of its struct would be hidden by the embedded struct, and be no flag.
func TestTheFlagsOfLimitsAreSeenThroughTheirStruct(t *testing.T) {
	in := reflect.TypeFor[struct{ verb.AtLimit }]()
	for _, name := range []string{"OnLimit", "Fallback"} {
		if field, is := in.FieldByName(name); !is || field.Anonymous {
			t.Errorf("%s is no field of a verb that embeds it", name)
		}
	}
}

package core

import (
	"slices"
	"strings"
	"testing"
)

func TestListsAreMadeAndSearched(t *testing.T) {
	if made := Map([]string(nil), strings.ToUpper); made == nil || len(made) > 0 {
		t.Errorf("of no list: %#v", made)
	}
	if made := Map([]Kind{"a", "b"}, Kind.IsAgent); !slices.Equal(made, []bool{true, true}) {
		t.Errorf("got %v", made)
	}
	isLong := func(word string) bool { return len(word) > 1 }
	if found := Find([]string{"a", "bb", "cc"}, isLong); found != "bb" {
		t.Errorf("found %q", found)
	}
	if found := Find([]string{"a"}, isLong); found != "" {
		t.Errorf("found %q where there is none", found)
	}
	if text := Join([]State{Idle, Working}, "+"); text != "idle+working" {
		t.Errorf("joined %q", text)
	}
}

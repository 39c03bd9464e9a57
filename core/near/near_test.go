package near_test

import (
	"slices"
	"testing"

	"cupola/core/near"
)

func TestWordsFindsWhatWasMeant(t *testing.T) {
	verbs := []string{"status", "snapshot", "spawn", "send", "tail", "terse", "inspect-pane"}
	for _, test := range []struct {
		typed string
		want  []string
	}{
		{"statsu", []string{"status"}},
		{"STATUS", []string{"status"}},
		{"spwan", []string{"spawn"}},
		{"insp", []string{"inspect-pane"}},
		{"pane", []string{"inspect-pane"}},
		{"sned", []string{"send"}},
		{"xyzzy", []string{}},
		{"", []string{}},
	} {
		if got := near.Words(test.typed, verbs); !slices.Equal(got, test.want) {
			t.Errorf("Words(%q) = %q, want %q", test.typed, got, test.want)
		}
	}
}

func TestWordsReturnsAtMostThree(t *testing.T) {
	if got := near.Words("ab", []string{"aba", "abb", "abc", "abd", "abe"}); len(got) != near.Most {
		t.Errorf("got %q, want %d words", got, near.Most)
	}
}

package near_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cupola/core/text/near"
)

var verbs = []string{
	"status", "snapshot", "spawn", "send", "tail", "terse", "inspect-pane", "kill", "add", "adopt",
	"attach",
}

func TestWordsFindsWhatWasMeant(t *testing.T) {
	for _, test := range []struct {
		why   string
		typed string
		want  []string
	}{
		{"letters swapped", "statsu", []string{"status"}},
		{"another case", "STATUS", []string{"status"}},
		{"letters swapped", "spwan", []string{"spawn"}},
		{"letters swapped", "sned", []string{"send"}},
		{"a swap is all that is wrong, not two letters", "tial", []string{"tail"}},
		{"a letter too many", "taill", []string{"tail"}},
		{"a letter missing", "snapsho", []string{"snapshot"}},
		{"the beginning", "insp", []string{"inspect-pane"}},
		{"the beginning of several", "ad", []string{"add", "adopt"}},
		{"letters left out", "stt", []string{"status"}},
		{"a part", "pane", []string{"inspect-pane"}},
		{"more than the word", "status-all", []string{"status"}},
		{"nothing like it", "xyzzy", []string{}},
		{"nothing", "", []string{}},
		{"a single letter is no slip of another", "x", []string{}},
	} {
		if got := near.Words(test.typed, verbs); !slices.Equal(got, test.want) {
			t.Errorf("%s: Words(%q) = %q, want %q", test.why, test.typed, got, test.want)
		}
	}
}

func TestWordsPutsTheNearestFirst(t *testing.T) {
	got := near.Words("stat", []string{"my-stat", "status", "star", "STAT"})
	if want := []string{"STAT", "star", "status"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWordsKeepsItsOrderWhateverTheOrderOfTheCandidates(t *testing.T) {
	candidates := []string{"aba", "abb", "abc", "abd", "abe", "aba"}
	want := []string{"aba", "abb", "abc"}
	for range 20 {
		rand.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		if got := near.Words("ab", candidates); !slices.Equal(got, want) {
			t.Fatalf("got %q of %q, want %q", got, candidates, want)
		}
	}
}

func TestWordsCountsCharactersNotBytes(t *testing.T) {
	if got := near.Words("größe", []string{"grösse", "grosse", "größte"}); !slices.Contains(got, "größte") {
		t.Errorf("got %q", got)
	}
}

func TestNothingIsNearEndlessInput(t *testing.T) {
	endless := strings.Repeat("a", 1<<20)
	if got := near.Words(endless, []string{"status", "aaa", endless[:1<<19]}); got == nil || len(got) != 0 {
		t.Errorf("got %d words", len(got))
	}
	if got := near.Words("aaaa", []string{"status", endless}); len(got) != 1 {
		t.Errorf("got %d words, want the one that it begins", len(got))
	}
}

func FuzzWords(f *testing.F) {
	f.Add("statsu", "status", "snapshot")
	f.Add("\xff", "\xfe\xff", "")
	f.Fuzz(func(t *testing.T, typed, one, other string) {
		candidates := []string{one, other, one}
		got := near.Words(typed, candidates)
		if got == nil || len(got) > near.Most {
			t.Fatalf("got %q", got)
		}
		for i, word := range got {
			if !slices.Contains(candidates, word) || slices.Contains(got[:i], word) {
				t.Errorf("Words(%q, %q) = %q", typed, candidates, got)
			}
		}
	})
}

func TestAShortenedWordComesBeforeOneOfOtherLetters(t *testing.T) {
	got := near.Words("cld", []string{"claude", "cc", "codex", "cod", "command", "cmd", "opencode"})
	if len(got) == 0 || got[0] != "claude" {
		t.Errorf("got %q", got)
	}
}

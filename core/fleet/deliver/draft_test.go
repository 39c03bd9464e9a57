package deliver

import (
	"strings"
	"testing"

	"cupola/core/agent"
)

func TestAComposerHoldsATextHoweverItIsDrawn(t *testing.T) {
	long := strings.Repeat("some words of a long prompt ", 20)
	for name, c := range map[string]struct {
		draft     string
		collapsed bool
		text      string
		want      bool
	}{
		"as it is":                 {"run the tests", false, "run the tests", true},
		"wrapped":                  {"run the\ntests", false, "run the tests", true},
		"wrapped within a word":    {"run the te\nsts", false, "run the tests", true},
		"indented":                 {"a\n    b", false, "a\n\tb", true},
		"as a count":               {"[Pasted text #1 +60 lines]", true, long, true},
		"the end of it":            {long[len(long)-200:], false, long, true},
		"emoji drawn differently":  {"well done", false, "well done 🎉👩‍👩‍👧", true},
		"emoji alone":              {"??", false, "🎉", false},
		"in a mode of its own":     {"! ls", false, "!ls", true},
		"one character":            {"y", false, "y", true},
		"nothing":                  {"", false, "y", false},
		"nothing, for emoji alone": {"", false, "🎉", false},
		"something else":           {"stop the tests", false, "run the tests", false},
		"more":                     {"run the tests now", false, "run the tests", false},
		"a piece too short":        {"run", false, "run the tests", false},
		"accents of their own":     {"caf\u00e9", false, "cafe\u0301", true},
	} {
		if got := holds(agent.Composer{Draft: c.draft, Collapsed: c.collapsed}, c.text); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

func TestADraftThatAMenuCompletedBeginsAsItsText(t *testing.T) {
	for name, c := range map[string]struct {
		draft, text string
		want        bool
	}{
		"completed":      {"what is the cost of $imagegen", "what is the cost of $", true},
		"short":          {"mail @README.md", "mail @", true},
		"itself":         {"run the tests", "run the tests", true},
		"something else": {"no, wait", "run the tests", false},
		"nothing":        {"", "run the tests", false},
	} {
		if got := begins(agent.Composer{Draft: c.draft}, c.text); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

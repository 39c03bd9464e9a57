package cli

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/verb/catalog"
	"cupola/core/verb/suggest"
)

// TestEveryWordThatBeginsCommandsHasAPage goes over the first words of all forms, and asks for help about some, in all
// ways.
func TestEveryWordThatBeginsCommandsHasAPage(t *testing.T) {
	catalog := catalog.All()
	firsts := catalog.Firsts()
	if len(firsts) < 20 {
		t.Fatalf("only %q begin commands", firsts)
	}
	for _, word := range append(firsts, "agent session") {
		of, is := groupOf(catalog, strings.Fields(word))
		if is == (suggest.Completions(catalog, strings.Fields(word)...) == nil) {
			t.Errorf("%s has a page: %t", word, is)
		}
		seen := map[string]bool{}
		for _, c := range of.Commands {
			if verb := catalog.Phrase(strings.Fields(c.Form)...); verb == nil || verb.Name != c.Verb || seen[c.Verb] {
				t.Errorf("%s: %q is not %s, or is listed twice", word, c.Form, c.Verb)
			}
			seen[c.Verb] = true
		}
		if !slices.Contains([]string{"crew", "agent", "agent session", "worktree", "plugin"}, word) {
			continue
		}
		for _, line := range []string{"--human " + word, "--human " + word + " --help", "--human help " + word} {
			if status, stdout, stderr := run(t, nil, line); status != 0 || stdout != of.Text() || stderr != "" {
				t.Errorf("%q: exit %d, %.200q, %.200q", line, status, stdout, stderr)
			}
		}
		status, stdout, _ := run(t, nil, "--robot "+word+" --help")
		if status != 0 || !strings.Contains(stdout, `"group":"`+word+`"`) {
			t.Errorf("%s: exit %d, %.200q", word, status, stdout)
		}
	}
}

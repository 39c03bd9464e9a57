package registry_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/verb/catalog"
)

func TestTwoWordsMeanOneVerb(t *testing.T) {
	catalog := catalog.All()
	for phrase, want := range map[string]string{
		"budget set": "budget-set", "budget show": "budget", "checkpoint list": "checkpoint-list",
		"checkpoints list": "checkpoint-list", "checkpoint show": "checkpoint-list", "session list": "status",
		"sessions list": "status", "task list": "bead-list", "tasks list": "bead-list", "task show": "bead-show",
		"list beads": "bead-list", "alert dismiss": "dismiss-alert", "alerts dismiss": "", "alert list": "alerts",
		"pane restart": "restart-pane", "pane inspect": "inspect-pane", "config show": "config-show",
		"show config": "config-show", "plugin status": "plugin-status", "pipeline list": "pipeline-list",
		"list pipelines": "pipeline-list", "account status": "account-status", "account list": "accounts-list",
		"accounts list": "accounts-list", "agent health": "agent-health", "health agent": "", "kill session": "",
		"status list": "", "no such": "", "alert dismis": "", "account statu": "",
	} {
		got := ""
		if first, second, _ := strings.Cut(phrase, " "); catalog.Phrase(first, second) != nil {
			got = catalog.Phrase(first, second).Name
		}
		if got != want {
			t.Errorf("%s is %q, want %q", phrase, got, want)
		}
	}
}

func TestNoTwoWordsAreDeclaredForTwoVerbs(t *testing.T) {
	catalog, seen := catalog.All(), map[string]string{}
	for _, verb := range catalog.Verbs {
		for _, phrase := range catalog.Phrases(verb) {
			first, second, _ := strings.Cut(phrase, " ")
			if other := seen[phrase]; other != "" {
				t.Errorf("%q is %s and %s", phrase, other, verb.Name)
			}
			seen[phrase] = verb.Name
			if catalog.Phrase(first, second) != verb || catalog.Completions(first)[second] != verb {
				t.Errorf("%q does not lead to %s", phrase, verb.Name)
			}
		}
		for _, alias := range verb.Aliases {
			if catalog.Find(alias) != verb {
				t.Errorf("%q does not lead to %s", alias, verb.Name)
			}
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d forms of two words", len(seen))
	}
	for _, word := range []string{"session", "pane", "alert", "config", "task"} {
		if !slices.Contains(catalog.Firsts(), word) {
			t.Errorf("%s begins no form: %q", word, catalog.Firsts())
		}
	}
}

package verbs

import (
	"encoding/json"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/system/shell"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

// TestEveryAliasIsOfARealVerbAndAnswers looks at all aliases. Their answers are on file as those of all verbs.
func TestEveryAliasIsOfARealVerbAndAnswers(t *testing.T) {
	catalog := allVerbs()
	listed := listedIn(t, "cupola capabilities")
	for _, alias := range catalog.Aliases() {
		words, err := shell.Words(alias.Of)
		if err != nil || len(words) == 0 {
			t.Errorf("%s is of %q: %v", alias.Name, alias.Of, err)
			continue
		}
		verb := catalog.Find(words[0])
		if verb == nil || verb.Of != "" || verb.Name != words[0] {
			t.Errorf("%s is of %q, which is no real verb", alias.Name, words[0])
			continue
		}
		flags := registry.NewGlobalFlags().Set
		verb.Bind(flags)
		if err := flags.Parse(words[1:]); err != nil || flags.NArg() > 0 {
			t.Errorf("%s is of %q, which is no command: %v %q", alias.Name, alias.Of, err, flags.Args())
		}
		if !verb.Level.Within(alias.Level) {
			t.Errorf("%s needs %s, and %s needs %s", alias.Name, alias.Level, verb.Name, verb.Level)
		}
		if listed.Commands[alias.Name] != nil || !slices.Contains(listed.Aliases, alias.Name+": "+alias.Of) {
			t.Errorf("capabilities does not list %s under aliases alone", alias.Name)
		}
		for _, example := range answersOf(t, alias) {
			// The stage of an example may have no idle agent, nothing in the background, or no agent installed.
			if err := core.AsError(example.err); err != nil &&
				!err.HasCode(core.NotReady, core.NotFound, core.ToolNotFound) {
				t.Errorf("%s: %v", example.example, example.err)
			}
		}
	}
	own := 0
	for _, verb := range catalog.RealVerbs() {
		if verb.Tool == "" { // no tool is installed where this runs
			own++
		}
	}
	if len(listed.Aliases) == 0 || len(listed.Aliases) != len(guide.Aliases(catalog)) || len(listed.Commands) != own {
		t.Errorf("capabilities lists %d aliases and %d verbs", len(listed.Aliases), len(listed.Commands))
	}
	if own > mostVerbs {
		t.Errorf("%d verbs are more than %d: make one an input of another, and an alias of that", own, mostVerbs)
	}
}

// mostVerbs is how many verbs Cupola has beside aliases and those of tools.
const mostVerbs = 110

// capabilities is the list in the answer of that verb.
type capabilities struct {
	Commands map[string]any
	Aliases  []string
}

func listedIn(t *testing.T, command string) (listed capabilities) {
	t.Helper()
	verb := allVerbs().Find("capabilities")
	answer := answerTo(t, verb, stages(t, verb), command, false)
	if err := json.Unmarshal([]byte(answer.raw), &listed); err != nil {
		t.Fatal(err)
	}
	return listed
}

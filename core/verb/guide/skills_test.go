package guide_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/agent/plugin"
	"cupola/core/verb/guide"
	"cupola/core/verb/registry"
)

type askIn struct {
	Prompt string `arg:"1" help:"What to ask"`
	To     string `default:"anyone" help:"Who is asked"`
	NoTo   bool   `help:"No one in particular"`
	registry.Preview
}

// askers is a catalogue of verbs that skills are about.
func askers(names ...string) *registry.Catalog {
	c := &registry.Catalog{}
	for _, name := range names {
		c.Verbs = append(c.Verbs, registry.Define(registry.Spec[*env, askIn, struct{}]{
			Name: name, Short: "Do " + name, Long: "All about " + name + ".", Scope: registry.Global,
			Effect: registry.Writes, Examples: []string{"", "hello --dry-run", "you --to=me"},
		}))
	}
	return c
}

func find(t *testing.T, texts []plugin.Text, name string) plugin.Text {
	t.Helper()
	i := slices.IndexFunc(texts, func(text plugin.Text) bool { return text.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return texts[i]
}

func TestASkillIsMadeOfItsVerbs(t *testing.T) {
	texts := guide.Texts(askers("relay", "backends", "send"), "1.2.3")
	if texts.Version != "1.2.3" || len(texts.Skills) != 1 || len(texts.Commands) != 1 {
		t.Errorf("without the first verb of a text: %+v", texts)
	}
	body := find(t, texts.Skills, "cupola-relay").Body
	for _, want := range []string{
		"- `cupola relay [PROMPT]`: Do relay.\n  All about relay.\n",
		"  - `--to`: Who is asked; default anyone\n", "  - `--dry-run`: ",
		"- `cupola backends [PROMPT]`: Do backends.\n",
		"\n    cupola relay hello\n    cupola relay you --to=me\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
	for _, other := range []string{"relay-list", "--no-to", "All about backends", "cupola send"} {
		if strings.Contains(body, other) {
			t.Errorf("%q is in\n%s", other, body)
		}
	}
}

func TestTheFleetSkillShowsOneCallAVerb(t *testing.T) {
	body := find(t, guide.Texts(askers("status", "send", "tail"), "").Skills, "cupola-fleet").Body
	for _, want := range []string{
		"- `cupola tail [PROMPT]`: Do tail.\n", "    cupola send api.1 'Read README.md and summarise it' --wait\n",
		"    cupola tail hello\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
	if strings.Contains(body, "    cupola status\n") || strings.Contains(body, "All about") {
		t.Errorf("too much is in\n%s", body)
	}
}

func TestACommandNamesItsSkillAndTakesWords(t *testing.T) {
	command := find(t, guide.Texts(askers("relay", "status"), "").Commands, "relay")
	if command.Description != "Do relay" || command.Takes == "" || !strings.Contains(command.Body, "cupola-relay") ||
		strings.Count(command.Body, plugin.Arguments) != 1 {
		t.Errorf("%+v", command)
	}
}

package command

import (
	"os"
	"strings"
	"testing"

	"cupola/robot/registry"
)

func TestEveryVerbHasAFileOfItsName(t *testing.T) {
	seen := 0
	for _, verb := range Catalog().Verbs {
		if verb.Group == groupTools {
			continue
		}
		seen++
		name := strings.ReplaceAll(verb.Name, "-", "_") + ".go"
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), `Name: "`+verb.Name+`"`) {
			t.Errorf("%s is not declared in %s", verb.Name, name)
		}
	}
	if seen < 50 {
		t.Errorf("saw only %d verbs", seen)
	}
}

func TestSeeAlsoVerbsExist(t *testing.T) {
	catalog := Catalog()
	for _, verb := range catalog.Verbs {
		if verb.Effect == registry.Reads && len(verb.Related) == 0 {
			t.Errorf("%s leads to no other verb", verb.Name)
		}
		for _, name := range verb.Related {
			if related := catalog.Find(name); related == nil || related.Name != name || related == verb ||
				related.Streams {
				t.Errorf("%s leads to %s, which cannot be followed", verb.Name, name)
			}
		}
	}
}

package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

func TestEveryVerbHasAFileOfItsName(t *testing.T) {
	seen := 0
	for _, v := range All().Verbs {
		if v.Group == verb.GroupTools {
			continue
		}
		seen++
		name := strings.ReplaceAll(v.Name, "-", "_") + ".go"
		found, err := filepath.Glob(filepath.Join("..", "*", name))
		if err != nil || len(found) != 1 {
			t.Errorf("%s has the files %q, %v", v.Name, found, err)
			continue
		}
		text, err := os.ReadFile(found[0])
		if err != nil || !strings.Contains(string(text), `Name: "`+v.Name+`"`) {
			t.Errorf("%s is not declared in %s", v.Name, found[0])
		}
	}
	if seen < 50 {
		t.Errorf("saw only %d verbs", seen)
	}
}

func TestSeeAlsoVerbsExist(t *testing.T) {
	all := All()
	for _, verb := range all.Verbs {
		if verb.Effect == registry.Reads && len(verb.Related) == 0 {
			t.Errorf("%s leads to no other verb", verb.Name)
		}
		for _, name := range verb.Related {
			if related := all.Find(name); related == nil || related.Name != name || related == verb ||
				related.Streams {
				t.Errorf("%s leads to %s, which cannot be followed", verb.Name, name)
			}
		}
	}
}

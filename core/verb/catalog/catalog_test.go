package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// An alias may be beside its real verb.
func TestEveryVerbHasAFileOfItsName(t *testing.T) {
	seen := 0
	for _, v := range All().RealVerbs() {
		if v.Group == verb.GroupTools {
			continue
		}
		seen++
		name := strings.ReplaceAll(v.Name, "-", "_") + ".go"
		declared := 0
		found, err := filepath.Glob(filepath.Join("..", "*", name))
		for _, path := range found {
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), `Name: "`+v.Name+`"`) {
				declared++
			}
		}
		if err != nil || declared != 1 {
			t.Errorf("%s is declared in %d of %q, %v", v.Name, declared, found, err)
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
				related.Streams || related.Of != "" {
				t.Errorf("%s leads to %s, which cannot be followed", verb.Name, name)
			}
		}
	}
}

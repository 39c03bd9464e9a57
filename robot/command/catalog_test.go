package command

import (
	"os"
	"strings"
	"testing"
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

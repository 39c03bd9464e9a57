package agent

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryKeyOfAKindIsDescribed(t *testing.T) {
	var described []string
	for _, section := range Sections() {
		for _, key := range section.Keys {
			if described = append(described, key.Name); key.Says == "" || key.Form == "" {
				t.Errorf("%s is described as %q, %q", key.Name, key.Form, key.Says)
			}
		}
	}
	known := decoded()
	for _, name := range known {
		if !slices.Contains(described, name) {
			t.Errorf("%s can be in a file, and Sections lacks it", name)
		}
	}
	for i, name := range described {
		if !slices.Contains(known, name) {
			t.Errorf("Sections describes %s, and no file can hold it", name)
		}
		if slices.Contains(described[:i], name) {
			t.Errorf("Sections describes %s twice", name)
		}
	}
	if len(known) < 100 {
		t.Errorf("only %d keys were looked at: %s", len(known), strings.Join(known, " "))
	}
	if key, ok := KeyOf("rule.approval.region"); !ok || key.Name != "rule.NAME.region" {
		t.Errorf("the region of a rule is %+v", key)
	}
}

package versions_test

import (
	"testing"

	"cupola/core/agent/versions"
)

func TestARangeHoldsForItsVersions(t *testing.T) {
	for text, tests := range map[string]map[string]bool{
		"": {"1.0": true},
		">=2.1.0, <2.2": {
			"2.0.9": false, "2.1": true, "2.1.0": true, "v2.1.329": true, "2.2": false, "2.2.0": false, "2.10.0": false,
		},
		">2.1":             {"2.1.0": false, "2.1.1": true},
		"<=0.169":          {"0.169.0": true, "0.169.1": false, "0.170": false},
		"=1.18.33":         {"1.18.33": true, "1.18.33-beta.2": true, "1.18": false},
		" >= 1 ,  < 1.0.5": {"1": true, "1.0.5": false, "0.9": false},
	} {
		bounds, err := versions.ParseRange(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for word, want := range tests {
			version, ok := versions.Parse(word)
			if got := bounds.Holds(version); !ok || got != want {
				t.Errorf("%s in %q is %t (%t)", word, text, got, ok)
			}
		}
	}
	for _, text := range []string{"2.1", ">=", ">=2.x", ">=2.1,", "~2.1", ">=-1", "=> 2"} {
		if bounds, err := versions.ParseRange(text); err == nil {
			t.Errorf("%q is read as %v", text, bounds)
		}
	}
}

func FuzzVersions(f *testing.F) {
	f.Add(">=2.1.0, <2.2", "2.1.329")
	f.Fuzz(func(t *testing.T, text, word string) {
		bounds, err := versions.ParseRange(text)
		version, ok := versions.Parse(word)
		if err != nil || !ok {
			return
		}
		if got, again := bounds.Holds(version), append(bounds, bounds...).Holds(version); got != again {
			t.Errorf("%s in %q is %t, and twice %t", word, text, got, again)
		}
	})
}

package theme

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

// TestLooksAreTheSameAsEver compares what every look writes before each token with what is on file: on its own,
// selected and, where the look has them, on the grounds of changes. Screens are on file in one look alone.
func TestLooksAreTheSameAsEver(t *testing.T) {
	levels := map[string]Level{"plain": Plain, "basic": Basic, "indexed": Indexed, "true": True}
	for _, name := range SchemeNames() {
		scheme, ok := FindScheme(name)
		if !ok {
			t.Fatalf("%s is not found", name)
		}
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, level := range []string{"plain", "basic", "indexed", "true"} {
				for _, light := range []bool{false, true} {
					look := New(Options{Level: levels[level], Light: light, Scheme: scheme})
					fmt.Fprintf(&all, "%s, light %t\n", level, light)
					for token := range tokens {
						fmt.Fprintf(&all, "%3d %q %q", token, look.Style(token).On, look.Selected(token).On)
						for ground := Added; ground < groundCount && look.Grounds(); ground++ {
							fmt.Fprintf(&all, " %q", look.On(token, ground).On)
						}
						all.WriteByte('\n')
					}
				}
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

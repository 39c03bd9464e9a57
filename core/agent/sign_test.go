package agent

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// everySign is what the rules of the kinds that come with Cupola look for.
func everySign(t testing.TB) []string {
	t.Helper()
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, k := range kinds.All() {
		all = append(all, k.look().signs()...)
	}
	return all
}

func TestASignMatchesWhatItsPatternMatches(t *testing.T) {
	data := recordedRows(t)
	most := 0
	for _, expr := range everySign(t) {
		s, re := signOf(expr), regexp.MustCompile(expr)
		for _, row := range data {
			if got, want := s.MatchString(row), re.MatchString(row); got != want {
				t.Fatalf("%q on %q is %t, want %t; it needs %q", expr, row, got, want, s.needs.list)
			}
		}
		if len(s.needs.list) > 0 {
			most++
		}
	}
	if all := len(everySign(t)); most < all/4 {
		t.Errorf("%d of %d signs are known to need something", most, all)
	}
}

func TestWhatAPatternNeeds(t *testing.T) {
	for expr, want := range map[string]string{
		`^[·✢*] \S.*…( \(|$)`: "…",
		`^\s{0,3}❯ 1\. Yes\b`: "❯ 1. Yes",
		`\b(foo|barbaz)\b`:    "foo|barbaz",
		`(foo|.*)`:            "",
		`(?i)Foo bar`:         "foo bar",
		`(?i)ask (me|us)`:     "a", // "ſ" and the Kelvin sign count as s and k
		`^ ?[>$] `:            "$|>",
		`^─{10,}$`:            "─",
		`^─{0,3}$`:            "",
		`x?`:                  "",
		`^$`:                  "",
		`[ab]c*`:              "a|b",
		`[^a]`:                "",
	} {
		s := signOf(expr)
		s.may("")
		got := ""
		for i, literal := range s.needs.list {
			if i > 0 {
				got += "|"
			}
			got += literal
		}
		if got != want {
			t.Errorf("%s needs %q, want %q", expr, got, want)
		}
	}
}

func FuzzSign(f *testing.F) {
	f.Add(`^a(b|c)+[de]{2}$`, "abcde")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || expr == "" {
			return
		}
		if got, want := signOf(expr).MatchString(text), re.MatchString(text); got != want {
			t.Errorf("%q on %q is %t, want %t", expr, text, got, want)
		}
	})
}

// recordedRows are the different rows of the screens that come along.
func recordedRows(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "screens", "*", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d screens, %v", len(files), err)
	}
	known := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			known[clean(strings.TrimSuffix(line, "\n"))] = true
		}
	}
	return slices.Collect(maps.Keys(known))
}

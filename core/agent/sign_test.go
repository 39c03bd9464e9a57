package agent

import (
	"fmt"
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
				t.Fatalf("%q on %q is %t, want %t; it %s", expr, row, got, want, s.needs)
			}
		}
		if len(s.needs.begins)+len(s.needs.holds) > 0 {
			most++
		}
	}
	if all := len(everySign(t)); most < all*3/4 {
		t.Errorf("%d of %d signs are known to need something", most, all)
	}
}

func TestWhatAPatternNeeds(t *testing.T) {
	for expr, want := range map[string]string{
		`^[·✢*] \S.*…( \(|$)`:      "begins with '* ' '· ' '✢ ', holds '…', holds '*' '·' '✢'",
		`^\s{0,3}❯ 1\. Yes\b`:      "holds '❯ 1. Yes'",
		`\b(foo|barbaz)\b`:         "holds 'foo' 'barbaz'",
		`(foo|.*)`:                 "",
		`(?i)Foo bar`:              "holds 'foo bar'",
		`(?i)ask (me|us)`:          "holds 'a', holds 'me' 'u'", // "ſ" and the Kelvin sign count as s and k
		`^ ?[>$] `:                 "is decided by '$ ' '> ' ' $ ' ' > '",
		`^─{10,}$`:                 "begins with '──────────', holds '─'",
		`^─{0,3}$`:                 "",
		`x?`:                       "",
		`^$`:                       "",
		`[ab]c*`:                   "holds 'a' 'b'",
		`[^a]`:                     "",
		`^› ?`:                     "is decided by '›'",
		`^( ✗|   ).*x`:             "begins with '   ' ' ✗', holds 'x'",
		`(?i)^■ .*(40[13]|Denied)`: "begins with '■ ', holds '40' 'denied'",
		`^[⠁-⣿] \S`:                `holds '\xe2\xa0' '\xe2\xa1' '\xe2\xa2' '\xe2\xa3'`,
		`^a|b`:                     "holds 'a' 'b'",
	} {
		if got := needsOf(expr).String(); got != want {
			t.Errorf("%s %s, want %s", expr, got, want)
		}
	}
}

func (n needs) String() string {
	var parts []string
	quoted := func(list []string) string { return strings.ReplaceAll(fmt.Sprintf("%q", list), `"`, "'") }
	say := func(what string, list []string) { parts = append(parts, what+" "+strings.Trim(quoted(list), "[]")) }
	switch {
	case n.decides:
		say("is decided by", n.begins)
	case len(n.begins) > 0:
		say("begins with", n.begins)
	}
	for _, one := range n.holds {
		say("holds", one.list)
	}
	return strings.Join(parts, ", ")
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

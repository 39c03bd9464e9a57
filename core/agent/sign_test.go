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
	most, chained := 0, 0
	for _, expr := range everySign(t) {
		s, re := signOf(expr), regexp.MustCompile(expr)
		for _, row := range data {
			want := re.FindStringIndex(row)
			if got := s.MatchString(row); got != (want != nil) {
				t.Fatalf("%q on %q is %t, want %t; it %s", expr, row, got, !got, s.needs)
			}
			if from, to := s.find(row); !found(want, from, to) {
				t.Fatalf("%q is found in %q from %d to %d, want %v; it %s", expr, row, from, to, want, s.needs)
			}
		}
		if len(s.needs.begins)+len(s.needs.holds) > 0 {
			most++
		}
		if s.needs.chains != nil {
			chained++
		}
	}
	if chained < 50 {
		t.Errorf("%d signs are chains", chained)
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
	f.Add(`^─{3,}$|^[╭╰]─{2,} ?\w*`, "╭── x")
	f.Add(`\s*┃(ab|cd)? .`, "a ┃cd é")
	f.Add(`(a?b*|^c+)$`, "xcc")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || expr == "" {
			return
		}
		s, want := signOf(expr), re.FindStringIndex(text)
		if got := s.MatchString(text); got != (want != nil) {
			t.Errorf("%q on %q is %t, want %t", expr, text, got, !got)
		}
		if from, to := s.find(text); !found(want, from, to) {
			t.Errorf("%q is found in %q from %d to %d, want %v", expr, text, from, to, want)
		}
	})
}

// found reports whether from and to are where want is; negative if it is nowhere.
func found(want []int, from, to int) bool {
	if len(want) == 0 {
		return from < 0
	}
	return from == want[0] && to == want[1]
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

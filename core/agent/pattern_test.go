package agent

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"cupola/core/agent/required"
)

// builtinPatterns are the patterns with which the screens of the built-in kinds are read.
func builtinPatterns(t testing.TB) []*Pattern {
	t.Helper()
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var all []*Pattern
	for _, k := range kinds.All() {
		s := k.screenRules()
		for _, part := range []any{s.composer, s.rules, s.answers, s.context, s.version, s.turn} {
			eachPattern(reflect.ValueOf(part), nil, func(_ toml.Key, p *Pattern) { all = append(all, p) })
		}
	}
	for _, sign := range knownSigns() {
		all = append(all, sign.words)
	}
	return all
}

func TestLiteralsHideNoMatch(t *testing.T) {
	rows := recordedRows(t)
	patterns := builtinPatterns(t)
	filtered := 0
	for _, p := range patterns {
		for _, row := range rows {
			if want := p.regexp().FindStringIndex(row); want != nil && !p.mayMatch(row) {
				t.Fatalf("%q matches %q, which lacks some of %v", p.Expr, row, p.Holds)
			}
		}
		if len(p.Holds) > 0 {
			filtered++
		}
	}
	if all := len(patterns); all < 300 || filtered < all*3/4 {
		t.Errorf("%d of %d patterns have literals", filtered, all)
	}
}

func TestTheGeneralSignsOfAFailureHaveLiterals(t *testing.T) {
	signs := knownSigns()
	if len(failureHolds()) != len(signs) {
		t.Fatalf("%d for %d signs: run go generate", len(failureHolds()), len(signs))
	}
	for _, sign := range signs {
		if want := required.By(sign.words.Expr); len(want) == 0 || !reflect.DeepEqual(sign.words.Holds, want) {
			t.Errorf("%.40s has %v, want %v: run go generate", sign.words.Expr, sign.words.Holds, want)
		}
	}
}

func TestLiteralsFindOtherFormsOfLetters(t *testing.T) {
	for _, text := range []string{"TASK", "taſk", "tas\u212a"} {
		if p := (&Pattern{Expr: "(?i)task", Holds: required.By("(?i)task")}); !p.MatchString(text) {
			t.Errorf("%q is not found: %v", text, p.Holds)
		}
	}
}

func TestAUsersPatternHasNoLiteralsOfTheOneItReplaces(t *testing.T) {
	p := &Pattern{Expr: "^a", Holds: []required.Literals{{Any: []string{"a"}}}}
	if err := p.UnmarshalText([]byte("^b")); err != nil || !p.MatchString("b") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRequired(t *testing.T) {
	for expr, want := range map[string]string{
		`^[·✢*] \S.*…( \(|$)`:      "… and any of * · ✢",
		`^\s{0,3}❯ 1\. Yes\b`:      "❯ 1. Yes",
		`\b(foo|barbaz)\b`:         "any of barbaz foo",
		`(foo|.*)`:                 "",
		`(?i)Foo bar`:              "foo bar, folded",
		`(?i)ask (me|us)`:          "ask , folded and any of me us, folded",
		`(?i)été`:                  "t, folded",
		`^ ?[>$] `:                 "any of $ >",
		`^─{3,}$`:                  "─",
		`^─{0,3}$`:                 "",
		`(ab){2}`:                  "ab",
		`x?`:                       "",
		`^$`:                       "",
		`  `:                       "",
		`[ab]c*`:                   "any of a b",
		`[^a]`:                     "",
		`(?i)^■ .*(40[13]|Denied)`: "any of 40 denied, folded and ■ , folded",
		`^a|b`:                     "any of a b",
		`Ax|(?i)by`:                "any of ax by, folded",
		`abc.*de.*f`:               "abc and de",
		`(`:                        "",
	} {
		var parts []string
		for _, l := range required.By(expr) {
			part := strings.Join(l.Any, " ")
			if len(l.Any) > 1 {
				part = "any of " + part
			}
			if l.Folded {
				part += ", folded"
			}
			parts = append(parts, part)
		}
		if got := strings.Join(parts, " and "); got != want {
			t.Errorf("%s requires %q, want %q", expr, got, want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add(`^a(b|c)+[de]{2}$`, "abcde")
	f.Add(`^─{3,}$|^[╭╰]─{2,} ?\w*`, "╭── x")
	f.Add(`\s*┃(ab|cd)? .`, "a ┃cd é")
	f.Add(`(?i)(a?b*|^c+)$|ask`, "xcc AſK")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || expr == "" {
			return
		}
		p, want := &Pattern{Expr: expr}, re.FindStringIndex(text)
		p.Holds = required.By(expr)
		if got := p.MatchString(text); got != (want != nil) {
			t.Errorf("%q on %q is %t, want %t; it requires %v", expr, text, got, !got, p.Holds)
		}
		from, to := p.find(text)
		if (want != nil) != (from >= 0) || len(want) > 0 && (from != want[0] || to != want[1]) {
			t.Errorf("%q is found in %q from %d to %d, want %v", expr, text, from, to, want)
		}
	})
}

// recordedRows are the different rows of the recorded screens of this package.
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

package changes

import (
	"strings"
	"testing"

	"cupola/theme"
)

// words writes parts with a letter for each meaning.
func words(parts []part) string {
	letters := map[theme.Token]string{theme.Dim: "c", theme.Good: "s", theme.Busy: "k", theme.Ask: "n"}
	var all []string
	for _, p := range parts {
		if letter := letters[p.token]; letter != "" {
			all = append(all, letter+"<"+p.text+">")
		} else {
			all = append(all, p.text)
		}
	}
	return strings.Join(all, "")
}

func TestLinesAreDividedByTheirMeaning(t *testing.T) {
	for _, test := range []struct {
		file, line string
		within     bool
		want       string
		still      bool
	}{
		{"a.go", `return x2 + 31, "a\"b" // why`, false, `k<return> x2 + n<31>, s<"a\"b"> c<// why>`, false},
		{"a.go", `a /* b */ c /* d`, false, `a c</* b */> c c</* d>`, true},
		{"a.go", `d */ if`, true, `c<d */> k<if>`, false},
		{"a.go", `all of it`, true, `c<all of it>`, true},
		{"a.rs", `fn f<'a>(x: &'a str)`, false, `k<fn> f<'a>(x: &'a str)`, false},
		{"a.py", `x = '#1' # no`, false, `x = s<'#1'> c<# no>`, false},
		{"a.sh", `echo ${#x} "open`, false, `echo ${#x} "open`, false},
		{"a.sql", `SELECT 1 -- one`, false, `k<SELECT> n<1> c<-- one>`, false},
		{"Makefile", `all: # every`, false, `all: c<# every>`, false},
		{"a.json", `{"a": true}`, false, `{s<"a">: k<true>}`, false},
		{"a.html", `<!-- a --> b`, false, `c<<!-- a -->> b`, false},
		{"a.go", ``, true, ``, true},
		{"a.go", `"日本語" \xff`, false, `s<"日本語"> \xff`, false},
	} {
		parts, still := languageOf(test.file).parts(test.line, test.within)
		if got := words(parts); got != test.want || still != test.still {
			t.Errorf("%s %s: %s, %t", test.file, test.line, got, still)
		}
	}
	if languageOf("LICENSE") != nil {
		t.Error("a file without an end has a language")
	}
}

func FuzzPartsAreTheLine(f *testing.F) {
	f.Add("a.go", "return `x` /* y", true)
	f.Fuzz(func(t *testing.T, file, line string, within bool) {
		known := languageOf(file)
		if known == nil {
			return
		}
		parts, _ := known.parts(line, within)
		var whole strings.Builder
		for _, p := range parts {
			whole.WriteString(p.text)
		}
		if whole.String() != line {
			t.Fatalf("%q became %q", line, whole.String())
		}
	})
}

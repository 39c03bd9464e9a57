package house

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// unwanted is a pattern that finished work does not contain.
type unwanted struct {
	pattern *regexp.Regexp
	why     string
	strings bool // in Go: look into string literals too, not only comments
}

var banned = []unwanted{
	{pattern: regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`), why: "a note to oneself"},
	{pattern: regexp.MustCompile(`(?i)\bfor now\b`), why: "unfinished work"},
	{
		pattern: regexp.MustCompile("(^|[\\s\"'`(=:,;<>|])/(work|root)(/|[\\s\"'`).,;:]|$)"),
		why:     "a path of one machine", strings: true,
	},
}

// unclear are words of comments that hide what is meant. A name of the code that is such a word may be used.
var unclear = []struct{ words, instead string }{
	{`(is|are|was|were) (what|those|that (of|in|with|on|from|behind|which))`, "a definition by a pronoun: name the thing, its unit or state, its owner"},
	{`(told|tells|telling)`, "reports, shows, notifies, is given, distinguishes"},
	{`(nobody|somebody|anybody|whoever)`, "no process, the user, the caller"},
	{`begun`, "started"},
	{`(go|goes|going|went) on`, "continues, resumes, keeps running"},
	{`(stands?|standing|stood)`, "is, lies, is written"},
	{`(elsewhere|over there|take(s|n)? away)`, "the place: on another host, in another package, removed"},
	{`mend(s|ed|ing)?`, "repair"},
	{`of which`, "a sentence of its own"},
}

// trimmed are the characters that are cut from a match.
const trimmed = " \t\"'`()=:,;<>|."

// words reads comments, machine paths in strings, and every other tracked text.
func words(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		seen++
		faults = append(faults, unclearIn(s)...)
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				faults = append(faults, unwantedIn(s.path, s.line(c.Pos()), c.Text, false)...)
			}
		}
		for _, lit := range literals(s) {
			faults = append(faults, unwantedIn(s.path, s.line(lit.node.Pos()), lit.value, true)...)
		}
	}
	for _, t := range m.texts {
		if strings.Contains(t.body, "\x00") || path.Base(t.path) == "go.sum" {
			continue
		}
		seen++
		faults = append(faults, unwantedIn(t.path, 1, t.body, false)...)
	}
	return seen, faults
}

// unclearPatterns are the patterns of unclear, made once.
var unclearPatterns = sync.OnceValue(func() (patterns []unwanted) {
	for _, v := range unclear {
		pattern := regexp.MustCompile(`(?i)\b` + v.words + `\b`)
		patterns = append(patterns, unwanted{pattern: pattern, why: "say " + v.instead})
	}
	return patterns
})

// unclearIn returns the unclear words in the comments of a file, but for names that the file declares or uses, and in
// its sentences for people: help, errors, hints, texts on screens.
func unclearIn(s *source) (faults []fault) {
	names := map[string]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			names[id.Name] = true
		}
		return true
	})
	look := func(pos token.Pos, text string) {
		for i, line := range strings.Split(text, "\n") {
			for _, u := range unclearPatterns() {
				for _, hit := range u.pattern.FindAllString(line, -1) {
					if !names[hit] {
						faults = append(faults, fault{s.path, s.line(pos) + i, strconv.Quote(hit) + ": " + u.why})
					}
				}
			}
		}
	}
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			look(c.Pos(), c.Text)
		}
	}
	if s.test || slices.Contains(foreignWords, s.path) {
		return faults
	}
	for _, lit := range literals(s) {
		if strings.Count(lit.value, " ") > 1 {
			look(lit.node.Pos(), lit.value)
		}
	}
	return faults
}

// foreignWords are files with the words of other programs.
var foreignWords = []string{"core/agent/failure.go", "core/agent/builtin.go"}

// unwantedIn looks line by line; first is the number of the first line.
func unwantedIn(name string, first int, body string, inString bool) (faults []fault) {
	for i, line := range strings.Split(body, "\n") {
		for _, u := range banned {
			if inString && !u.strings {
				continue
			}
			if hit := u.pattern.FindString(line); hit != "" {
				text := strconv.Quote(strings.Trim(hit, trimmed)) + ": " + u.why
				faults = append(faults, fault{name, first + i, text})
			}
		}
	}
	return faults
}

// unclearNames are words that are no part of a name, as each had several meanings.
var unclearNames = map[string]string{
	"Book": "Directory, Record, Tracker", "Begun": "Started", "Told": "Reported, Messages",
	"Elsewhere": "Remote, the place", "Nobody": "None", "GoOn": "Resume",
}

// names finds unclear words in the names of declarations, but for those of tests.
func names(m *module) (seen int, faults []fault) {
	check := func(s *source, id *ast.Ident) {
		seen++
		name := strings.ToUpper(id.Name[:1]) + id.Name[1:]
		for word, instead := range unclearNames {
			if _, after, found := strings.Cut(name, word); found && (after == "" || !unicode.IsLower(rune(after[0]))) {
				faults = append(faults, fault{s.path, s.line(id.Pos()), strconv.Quote(id.Name) + ": say " + instead})
			}
		}
	}
	for _, s := range m.files {
		if s.test {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(s, n.Name)
			case *ast.TypeSpec:
				check(s, n.Name)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					check(s, id)
				}
			case *ast.Field:
				for _, id := range n.Names {
					check(s, id)
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if id, is := left.(*ast.Ident); is && n.Tok == token.DEFINE {
						check(s, id)
					}
				}
			}
			return true
		})
	}
	return seen, faults
}

// topEntries are the allowed entries at the top of the tree, besides dotfiles.
var topEntries = []string{"cmd", "tui", "robot", "core", "theme", "docs", "go.mod", "go.sum", "Makefile", "README.md"}

func topLevel(m *module) (seen int, faults []fault) {
	known := map[string]bool{}
	for _, name := range m.names {
		top, _, _ := strings.Cut(name, "/")
		known[top] = true
	}
	for _, top := range sorted(known) {
		seen++
		if !strings.HasPrefix(top, ".") && !slices.Contains(topEntries, top) {
			faults = append(faults, fault{path: top, text: "does not belong at the top"})
		}
	}
	return seen, faults
}

package house

import (
	"go/ast"
	"regexp"
	"strings"

	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

var (
	flagInText    = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z-]*)`)
	commandInText = regexp.MustCompile(`\bcupola ([a-z]+)`)
	dashedInText  = regexp.MustCompile(`\b[a-z]+(?:-[a-z]+)+\b`)
	argument      = regexp.MustCompile(`^--[a-z-]+(?:=.*)?$`)
)

// face holds the declarations of the command line: its verbs, their first words, and its flags.
type face struct{ verbs, firsts, flags map[string]bool }

func declaredFace() face {
	f := face{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, verb := range catalog.All().Verbs {
		for _, name := range verb.Names() {
			f.verbs[name] = true
			f.firsts[strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == ' ' })[0]] = true
		}
		for _, field := range verb.Fields() {
			f.flags[field.Name] = true
		}
	}
	for _, field := range registry.GlobalFields() {
		f.flags[field.Name] = true
	}
	return f
}

// faceless forbids the core below the verbs to name verbs and flags: what an error, a note or a document says of
// them is written in core/verb, robot and cmd. A package that runs other programs may write their
// arguments.
func faceless(m *module) (seen int, faults []fault) {
	declared, runs := declaredFace(), map[string]bool{}
	for _, s := range m.files {
		if !s.test && (localName(s, "os/exec") != "" || localName(s, modulePath+"/core/git") != "") {
			runs[s.dir] = true
		}
	}
	for _, s := range m.files {
		if s.test || s.script || s.generated || !within(s.dir, "core") || within(s.dir, "core/verb") {
			continue
		}
		seen++
		for _, lit := range literals(s) {
			if name := declared.namedIn(lit.value, runs[s.dir]); name != "" {
				faults = append(faults, s.fault(lit.node, "names "+name+"; only verbs and faces do"))
			}
		}
		for _, n := range ownLines(s) {
			faults = append(faults, s.fault(n, "writes a command line of cupola; only verbs and faces do"))
		}
	}
	return seen, faults
}

// namedIn returns a command or a flag that a text names; empty if there is none.
func (f face) namedIn(text string, runs bool) string {
	for _, hit := range commandInText.FindAllStringSubmatch(text, -1) {
		if f.firsts[hit[1]] {
			return hit[0]
		}
	}
	if runs && argument.MatchString(text) {
		return ""
	}
	for _, hit := range flagInText.FindAllStringSubmatch(text, -1) {
		if f.flags[hit[1]] || strings.HasPrefix(hit[1], "robot-") {
			return "--" + hit[1]
		}
	}
	if strings.Contains(text, " ") {
		for _, word := range dashedInText.FindAllString(text, -1) {
			if f.verbs[word] {
				return word
			}
		}
	}
	return ""
}

// ownLines returns where a file makes a command line of cupola.
func ownLines(s *source) (found []ast.Node) {
	local := localName(s, modulePath+"/core/system/shell")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || local == "" || !isSelector(call.Fun, local, "Line") {
			return true
		}
		ast.Inspect(call, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && unquoted(lit) == modulePath {
				found = append(found, n)
			}
			return true
		})
		return false
	})
	return found
}

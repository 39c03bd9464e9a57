package house

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"unicode/utf8"
)

// The greatest sizes, and the usual ones, above which a size is only reported.
const (
	maxFileLines       = 600
	maxFunctionLines   = 100
	maxLineColumns     = 120
	maxTypeMethods     = 25
	maxEmbeddedMethods = 10
	usualFileLines     = 300
	usualFunctionLines = 60
)

func fileSizes(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.generated {
			continue
		}
		seen++
		if s.lines > maxFileLines {
			faults = append(faults, fault{path: s.path, text: over("file", s.lines, "lines", maxFileLines)})
		}
	}
	return seen, faults
}

func functionSizes(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.generated {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			var name string
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = "function " + n.Name.Name
			case *ast.FuncLit:
				name = "function literal"
			default:
				return true
			}
			seen++
			lines := s.line(n.End()) - s.line(n.Pos()) + 1
			if lines > maxFunctionLines {
				faults = append(faults, s.fault(n, over(name, lines, "lines", maxFunctionLines)))
			}
			return true
		})
	}
	return seen, faults
}

// advice returns what is larger than usual, for the test's log.
func advice(m *module) (lines []string) {
	for _, s := range m.files {
		if s.generated || s.test {
			continue
		}
		if s.lines > usualFileLines {
			lines = append(lines, fault{path: s.path, text: over("file", s.lines, "lines", usualFileLines)}.String())
		}
		for _, decl := range s.ast.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > usualFunctionLines {
				lines = append(lines,
					s.fault(f, over("function "+f.Name.Name, n, "lines", usualFunctionLines)).String())
			}
		}
	}
	return lines
}

// tabWidth is how many columns a tab counts.
const tabWidth = 4

// lineLengths limits lines, but for those with a raw string, which cannot be broken.
func lineLengths(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.generated {
			continue
		}
		seen++
		raw := rawLines(s)
		for i, line := range s.text {
			n := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
			if n > maxLineColumns && !raw[i+1] {
				faults = append(faults, fault{s.path, i + 1, over("line", n, "columns", maxLineColumns)})
			}
		}
	}
	return seen, faults
}

// rawLines are the lines of a file that hold a raw string, or a part of one.
func rawLines(s *source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			for line := s.line(lit.Pos()); line <= s.line(lit.End()); line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}

// typeName names a type of ours.
type typeName struct{ dir, pkg, name string }

// methodSet holds a type's methods.
type methodSet struct {
	own      int
	embedded []typeName
	declared fault
	exported bool
	iface    bool
	test     bool
}

// methodSets finds the methods of every type, and the types of ours that each embeds.
func methodSets(m *module) map[typeName]*methodSet {
	sets := map[typeName]*methodSet{}
	of := func(n typeName) *methodSet {
		if sets[n] == nil {
			sets[n] = &methodSet{}
		}
		return sets[n]
	}
	for _, s := range m.files {
		if s.generated {
			continue
		}
		here := func(name string) typeName { return typeName{s.dir, s.ast.Name.Name, name} }
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				of(here(receiver(f))).own++
			}
		}
		eachType(s, func(spec *ast.TypeSpec) {
			set := of(here(spec.Name.Name))
			set.declared, set.exported = s.fault(spec, "type "+spec.Name.Name), spec.Name.IsExported()
			set.test = s.test
			switch t := spec.Type.(type) {
			case *ast.InterfaceType:
				set.iface = true
				for _, field := range t.Methods.List {
					set.own += len(field.Names)
				}
				set.embedded = append(set.embedded, embeddedIn(s, t.Methods)...)
			case *ast.StructType:
				set.embedded = append(set.embedded, embeddedIn(s, t.Fields)...)
			}
		})
	}
	return sets
}

// embeddedIn returns the types of ours that a list of fields embeds.
func embeddedIn(s *source, fields *ast.FieldList) (found []typeName) {
	for _, field := range fields.List {
		if len(field.Names) > 0 {
			continue
		}
		t := field.Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		switch t := t.(type) {
		case *ast.Ident:
			found = append(found, typeName{s.dir, s.ast.Name.Name, t.Name})
		case *ast.SelectorExpr:
			if dir := importedDir(s, t.X); dir != "" {
				found = append(found, typeName{dir, path.Base(dir), t.Sel.Name})
			}
		}
	}
	return found
}

// importedDir returns the folder of a package of ours that a file calls x; empty for others.
func importedDir(s *source, x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, spec := range s.ast.Imports {
		at := unquoted(spec.Path)
		if dir, ours := strings.CutPrefix(at, modulePath+"/"); ours && localName(s, at) == id.Name {
			return dir
		}
	}
	return ""
}

// methods counts a type's methods, promoted ones included.
func methods(sets map[typeName]*methodSet, name typeName) int {
	set := sets[name]
	if set == nil {
		return 0
	}
	n := set.own
	for _, e := range set.embedded {
		n += methods(sets, e)
	}
	return n
}

// typeMethods limits the methods of exported types, promoted ones included.
func typeMethods(m *module) (seen int, faults []fault) {
	sets := methodSets(m)
	for name, set := range sets {
		if set.declared.path == "" {
			continue
		}
		seen++
		if n := methods(sets, name); n > maxTypeMethods && set.exported {
			set.declared.text = over(set.declared.text, n, "methods", maxTypeMethods)
			faults = append(faults, set.declared)
		}
	}
	return seen, faults
}

// embedding forbids to embed a type of ours that has many methods: it hides an object in another.
// Interfaces may be embedded, and in tests everything.
func embedding(m *module) (seen int, faults []fault) {
	sets := methodSets(m)
	for _, set := range sets {
		seen++
		for _, e := range set.embedded {
			if set.test || sets[e] == nil || sets[e].iface {
				continue
			}
			if n := methods(sets, e); n > maxEmbeddedMethods {
				f := set.declared
				f.text += " embeds " + over("type "+e.name, n, "methods", maxEmbeddedMethods)
				faults = append(faults, f)
			}
		}
	}
	return seen, faults
}

func over(what string, n int, unit string, limit int) string {
	return fmt.Sprintf("%s of %d %s; the limit is %d", what, n, unit, limit)
}

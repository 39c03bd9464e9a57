package house

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// literal is a string in the source, unquoted.
type literal struct {
	node  ast.Node
	value string
}

// literals returns the strings of a file, import paths aside.
func literals(s *source) (found []literal) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return false
			}
			if value, err := strconv.Unquote(n.Value); err == nil {
				found = append(found, literal{n, value})
			}
		}
		return true
	})
	return found
}

func isImport(decl ast.Decl) bool {
	d, ok := decl.(*ast.GenDecl)
	return ok && d.Tok == token.IMPORT
}

func unquoted(lit *ast.BasicLit) string {
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return value
}

// localName returns what a file calls an imported package, or "".
func localName(s *source, importPath string) string {
	for _, spec := range s.ast.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return importPath[strings.LastIndex(importPath, "/")+1:]
	}
	return ""
}

// uses returns where a file refers to one of the names of an imported package.
// It does not look into nodes that skip accepts; skip may be nil.
func uses(s *source, importPath string, names []string, skip func(ast.Node) bool) (found []ast.Node) {
	local := localName(s, importPath)
	if local == "" {
		return nil
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if skip != nil && n != nil && skip(n) {
			return false
		}
		if isSelector(n, local, names...) {
			found = append(found, n)
		}
		return true
	})
	return found
}

func isSelector(n ast.Node, local string, names ...string) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == local && slices.Contains(names, sel.Sel.Name)
}

// receiver returns the name of a method's type, or "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	for x := f.Recv.List[0].Type; ; {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// eachType calls fn for every declared type, those inside functions too.
func eachType(s *source, fn func(*ast.TypeSpec)) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			fn(spec)
		}
		return true
	})
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

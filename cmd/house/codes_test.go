package house

import (
	"go/ast"
	"go/token"
)

// corePath is the package of the error codes.
const corePath = modulePath + "/core"

// errorCodes requires that every error code is used by some failure. That a verb declares
// it, or that the table of codes describes it, does not count.
func errorCodes(m *module) (seen int, faults []fault) {
	used := map[string]bool{}
	for _, s := range m.files {
		if !s.test {
			ast.Inspect(s.ast, func(n ast.Node) bool { return markCode(s, n, used) })
		}
	}
	for _, s := range m.files {
		if s.dir != "core" || s.test {
			continue
		}
		for _, name := range codesOf(s.ast) {
			seen++
			if !used[name.Name] {
				faults = append(faults, fault{s.path, s.line(name.Pos()), "no failure has the code " + name.Name})
			}
		}
	}
	return seen, faults
}

// markCode marks what may be a code at a node, and reports whether to look below.
func markCode(s *source, n ast.Node, used map[string]bool) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		switch of := n.Type.(type) {
		case *ast.ArrayType:
			return !isCode(of.Elt) && !isRow(of.Elt)
		case *ast.MapType:
			return !isCode(of.Key)
		}
	case *ast.ValueSpec:
		return !isCode(n.Type)
	case *ast.SelectorExpr:
		if from, ok := n.X.(*ast.Ident); ok && from.Name == localName(s, corePath) {
			used[n.Sel.Name] = true
		}
	case *ast.Ident:
		if s.dir == "core" {
			used[n.Name] = true
		}
	}
	return true
}

// codesOf returns the error codes that a file of core declares.
func codesOf(file *ast.File) (names []*ast.Ident) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok && isCode(value.Type) {
				names = append(names, value.Names...)
			}
		}
	}
	return names
}

// isCode reports whether a type is the type of error codes, in core or in another package.
func isCode(of ast.Expr) bool { return isNamed(of, "Code") }

// isRow reports whether a type is a row of the table of codes.
func isRow(of ast.Expr) bool { return isNamed(of, "CodeRow") }

func isNamed(of ast.Expr, name string) bool {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name == name
	case *ast.SelectorExpr:
		return of.Sel.Name == name
	}
	return false
}

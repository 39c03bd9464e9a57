package house

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// kindsByName forbids code that distinguishes agent kinds by their names: a comparison, a case, a map by kind or by
// text, or a kind that is made of a name. A fact of one kind is data in its file, or in its row of the table.
func kindsByName(m *module) (seen int, faults []fault) {
	const table = "core/agent/native.go"
	var kinds []string
	for _, name := range m.names {
		if dir, file := path.Split(name); dir == "core/agent/kinds/" && strings.HasSuffix(file, ".toml") {
			kinds = append(kinds, strings.TrimSuffix(file, ".toml"))
		}
	}
	// These are Cupola's own.
	own := []string{"command", "generic", "scripted"}
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return slices.Contains(own, kind) })
	for _, s := range m.files {
		if s.generated || s.test || strings.HasSuffix(s.dir, "test") || s.path == table || len(kinds) == 0 {
			continue
		}
		seen++
		for _, e := range distinctions(s) {
			lit, is := e.(*ast.BasicLit)
			if is && lit.Kind == token.STRING && slices.Contains(kinds, unquoted(lit)) {
				faults = append(faults, s.fault(lit, "knows the kind "+lit.Value+" by name: that belongs into "+table))
			}
		}
	}
	return seen, faults
}

// distinctions returns the expressions by which a file distinguishes values.
func distinctions(s *source) (found []ast.Expr) {
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				found = append(found, n.X, n.Y)
			}
		case *ast.CaseClause:
			found = append(found, n.List...)
		case *ast.IndexExpr:
			found = append(found, n.Index)
		case *ast.CallExpr:
			if word := typeWord(n.Fun); word == "core.Kind" || word == "Kind" {
				found = append(found, n.Args...)
			}
		case *ast.CompositeLit:
			of, is := n.Type.(*ast.MapType)
			if !is || !slices.Contains([]string{"string", "core.Kind", "Kind"}, typeWord(of.Key)) {
				return true
			}
			for _, e := range n.Elts {
				if pair, is := e.(*ast.KeyValueExpr); is {
					found = append(found, pair.Key)
				}
			}
		}
		return true
	})
	return found
}

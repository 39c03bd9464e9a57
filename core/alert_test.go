package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

func TestEveryTypeOfAlertIsListedOnce(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "alert.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[AlertType]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if of, is := spec.Type.(*ast.Ident); is && of.Name == "AlertType" {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared[AlertType(word)] = 0
		}
		return true
	})
	for _, kind := range AlertKinds {
		declared[kind.Type]++
		if kind.Type.Kind().Group != kind.Group {
			t.Errorf("%s is in the group %q", kind.Type, kind.Type.Kind().Group)
		}
	}
	for what, n := range declared {
		if n != 1 {
			t.Errorf("%s is listed %d times", what, n)
		}
	}
	if len(declared) < 20 {
		t.Errorf("%d types were found", len(declared))
	}
}

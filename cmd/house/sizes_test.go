package house

import (
	"fmt"
	"go/ast"
)

// The greatest sizes; most are far smaller.
const (
	maxFileLines     = 600
	maxFunctionLines = 100
	maxStructFields  = 20
	maxTypeMethods   = 25
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

func structFields(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.generated {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			seen++
			if n := st.Fields.NumFields(); n > maxStructFields {
				faults = append(faults, s.fault(st, over("struct", n, "fields", maxStructFields)))
			}
			return true
		})
	}
	return seen, faults
}

func typeMethods(m *module) (seen int, faults []fault) {
	type owner struct{ dir, pkg, name string }
	count := map[owner]int{}
	declared := map[owner]fault{}
	for _, s := range m.files {
		if s.generated {
			continue
		}
		of := func(name string) owner { return owner{s.dir, s.ast.Name.Name, name} }
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				count[of(receiver(f))]++
			}
		}
		eachType(s, func(spec *ast.TypeSpec) {
			seen++
			declared[of(spec.Name.Name)] = s.fault(spec, "type "+spec.Name.Name)
			if iface, ok := spec.Type.(*ast.InterfaceType); ok {
				count[of(spec.Name.Name)] += iface.Methods.NumFields()
			}
		})
	}
	for o, n := range count {
		if f := declared[o]; n > maxTypeMethods {
			f.text = over(f.text, n, "methods", maxTypeMethods)
			faults = append(faults, f)
		}
	}
	return seen, faults
}

func over(what string, n int, unit string, limit int) string {
	return fmt.Sprintf("%s of %d %s; the limit is %d", what, n, unit, limit)
}

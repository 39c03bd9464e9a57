package house

import (
	"go/ast"
	"strings"
)

// closedOptions forbids that an exported type shows the options it was made with: every holder could change them. In
// core/fleet it shows no engine either.
func closedOptions(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.generated || s.test {
			continue
		}
		eachStruct(s, func(spec *ast.TypeSpec, fields *ast.StructType) {
			if !spec.Name.IsExported() || strings.HasSuffix(spec.Name.Name, "Options") {
				return
			}
			seen++
			for _, field := range fields.Fields.List {
				if !shown(field) {
					continue
				}
				switch of := typeWord(field.Type); {
				case of == "Options":
					faults = append(faults, s.fault(field, "type "+spec.Name.Name+" shows its options"))
				case of == "engine.Engine" && within(s.dir, "core/fleet"):
					faults = append(faults, s.fault(field, "type "+spec.Name.Name+" shows its engine"))
				}
			}
		})
	}
	return seen, faults
}

// shown reports whether another package can name a field.
func shown(field *ast.Field) bool {
	if len(field.Names) == 0 {
		word := typeWord(field.Type)
		return ast.IsExported(word[strings.LastIndex(word, ".")+1:])
	}
	for _, name := range field.Names {
		if name.IsExported() {
			return true
		}
	}
	return false
}

// hats forbids a type whose only field is a pointer to another type of its package: it owns nothing, and is there only
// to have methods that would be too many for the other.
func hats(m *module) (seen int, faults []fault) {
	methods, declared := methodSets(m), map[typeName]bool{}
	for name, set := range methods {
		declared[name] = set.declared.path != ""
	}
	for _, s := range m.files {
		if s.generated || s.test {
			continue
		}
		eachStruct(s, func(spec *ast.TypeSpec, fields *ast.StructType) {
			seen++
			if len(fields.Fields.List) != 1 || fields.Fields.NumFields() > 1 {
				return
			}
			to, pointer := fields.Fields.List[0].Type.(*ast.StarExpr)
			if !pointer {
				return
			}
			here := func(name string) typeName { return typeName{s.dir, s.ast.Name.Name, name} }
			if of := here(typeWord(to)); declared[of] && methods[here(spec.Name.Name)].own > 0 {
				text := "type " + spec.Name.Name + " has nothing of its own, only a " + of.name
				faults = append(faults, s.fault(spec, text))
			}
		})
	}
	return seen, faults
}

// eachStruct calls fn for every declared struct.
func eachStruct(s *source, fn func(*ast.TypeSpec, *ast.StructType)) {
	eachType(s, func(spec *ast.TypeSpec) {
		if fields, is := spec.Type.(*ast.StructType); is {
			fn(spec, fields)
		}
	})
}

// typeWord is the name of a type as a file writes it, or of what it points to; empty for types without one.
func typeWord(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return typeWord(t.X)
	case *ast.IndexExpr:
		return typeWord(t.X)
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		if x, is := t.X.(*ast.Ident); is {
			return x.Name + "." + t.Sel.Name
		}
	}
	return ""
}

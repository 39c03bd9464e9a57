package house

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
)

func packageComments(m *module) (seen int, faults []fault) {
	pkgs := m.packages()
	for _, dir := range sorted(pkgs) {
		files := pkgs[dir]
		seen++
		want := "Package " + files[0].ast.Name.Name
		if files[0].ast.Name.Name == "main" {
			want = "Command " + path.Base(dir)
		}
		var found bool
		for _, s := range files {
			found = found || strings.HasPrefix(s.ast.Doc.Text(), want+" ")
		}
		if !found {
			faults = append(faults, fault{path: dir, text: "no package comment begins " + want})
		}
	}
	return seen, faults
}

// mapPage is the page with the map: indented rows that begin with a package.
const mapPage = "docs/architecture/packages.md"

// mapped compares the map of packages with the tree. A row DIR/* means all packages right
// below DIR.
func mapped(m *module) (seen int, faults []fault) {
	pkgs, rows := m.packages(), map[string]bool{}
	for _, t := range m.texts {
		if t.path != mapPage {
			continue
		}
		for i, line := range strings.Split(t.body, "\n") {
			row, indented := strings.CutPrefix(line, "    ")
			dir, _, _ := strings.Cut(row, " ")
			top, _, _ := strings.Cut(dir, "/")
			if !indented || allowedImports[top] == nil {
				continue
			}
			rows[dir] = true
			if _, is := pkgs[dir]; !is && path.Base(dir) != "*" {
				faults = append(faults, fault{t.path, i + 1, dir + " is no package"})
			}
		}
	}
	for _, dir := range sorted(pkgs) {
		seen++
		if !rows[dir] && !rows[path.Dir(dir)+"/*"] {
			faults = append(faults, fault{path: dir, text: "is not on the map in " + mapPage})
		}
	}
	return seen, faults
}

func exportedComments(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || s.script || s.generated {
			continue
		}
		look := func(n ast.Node, name string, docs ...*ast.CommentGroup) {
			seen++
			for _, doc := range docs {
				if strings.TrimSpace(doc.Text()) != "" {
					return
				}
			}
			faults = append(faults, s.fault(n, name+" is exported and undocumented"))
		}
		for _, decl := range s.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				lookAtFunc(d, look)
			case *ast.GenDecl:
				lookAtGroup(d, look)
			}
		}
	}
	return seen, faults
}

// looker records one exported name and the comments that may document it.
type looker func(n ast.Node, name string, docs ...*ast.CommentGroup)

func lookAtFunc(d *ast.FuncDecl, look looker) {
	on := receiver(d)
	switch {
	case !d.Name.IsExported():
	case on == "":
		look(d, d.Name.Name, d.Doc)
	case ast.IsExported(on):
		look(d, on+"."+d.Name.Name, d.Doc)
	}
}

func lookAtGroup(d *ast.GenDecl, look looker) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			lookAtType(d, spec, look)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					look(name, name.Name, d.Doc, spec.Doc, spec.Comment)
				}
			}
		}
	}
}

// lookAtType accepts the comment of an interface with a single method for both.
func lookAtType(d *ast.GenDecl, spec *ast.TypeSpec, look looker) {
	if !spec.Name.IsExported() {
		return
	}
	docs := []*ast.CommentGroup{spec.Doc, spec.Comment}
	if d.Lparen == token.NoPos {
		docs = []*ast.CommentGroup{d.Doc}
	}
	look(spec, spec.Name.Name, docs...)
	iface, ok := spec.Type.(*ast.InterfaceType)
	if ok && iface.Methods.NumFields() > 1 {
		lookAtMethods(spec.Name.Name, iface, look)
	}
}

// lookAtMethods accepts one comment for several methods, if it names them.
func lookAtMethods(on string, iface *ast.InterfaceType, look looker) {
	var last *ast.CommentGroup
	for _, method := range iface.Methods.List {
		docs := []*ast.CommentGroup{method.Doc, method.Comment}
		if method.Doc != nil {
			last = method.Doc
		}
		for _, name := range method.Names {
			if !name.IsExported() {
				continue
			}
			if strings.Contains(last.Text(), name.Name) {
				docs = append(docs, last)
			}
			look(name, on+"."+name.Name, docs...)
		}
	}
}

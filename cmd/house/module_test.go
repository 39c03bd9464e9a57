package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root       = "../.." // where go.mod lies, seen from this package
	modulePath = "cupola"
)

// module is the source tree as the gates read it.
type module struct {
	names []string // every tracked path
	files []*source
	texts []text
	deps  map[string][]string // package of ours -> all that is linked with it
}

// source is one parsed Go file. Its path is slash-separated and relative to the
// module's root.
type source struct {
	path      string
	dir       string
	test      bool // a _test.go file
	generated bool
	script    bool // left out of builds by "ignore"; run by go generate
	lines     int
	text      []string // its lines
	fset      *token.FileSet
	ast       *ast.File
}

// text is one tracked file that is neither Go nor test data.
type text struct {
	path string
	body string
}

func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

func (s *source) fault(n ast.Node, text string) fault {
	return fault{s.path, s.line(n.Pos()), text}
}

func (m *module) holds(folder string) bool {
	for _, s := range m.files {
		if within(s.path, folder) {
			return true
		}
	}
	return false
}

// packages groups the files that build into a package by folder, without tests.
func (m *module) packages() map[string][]*source {
	pkgs := map[string][]*source{}
	for _, s := range m.files {
		if !s.test && !s.script {
			pkgs[s.dir] = append(pkgs[s.dir], s)
		}
	}
	return pkgs
}

func parse(name string, body []byte) (*source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, body, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{
		path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(f), script: ignored(f),
		lines: bytes.Count(body, []byte("\n")), text: strings.Split(string(body), "\n"), fset: fset, ast: f,
	}, nil
}

func ignored(f *ast.File) bool {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, c := range g.List {
			if x, err := constraint.Parse(c.Text); err == nil && x.String() == "ignore" {
				return true
			}
		}
	}
	return false
}

// loadModule reads the tree of this package. It opens the folders itself, so that the test
// cache notices new files.
func loadModule(t *testing.T) *module {
	t.Helper()
	m := &module{deps: dependencies(t)}
	var all []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		if d.IsDir() {
			if d.Name() == ".git" || rel == "bin" {
				return fs.SkipDir
			}
			return nil
		}
		// In a worktree it is a file.
		if rel != ".git" {
			all = append(all, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tracked(t, all) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // deleted but not yet committed, or a link to a folder
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.add(name, body); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// add adds a file; of test data its name only.
func (m *module) add(name string, body []byte) error {
	m.names = append(m.names, name)
	if strings.Contains("/"+name, "/testdata/") {
		return nil
	}
	if strings.HasSuffix(name, ".go") {
		s, err := parse(name, body)
		if err != nil {
			return err
		}
		m.files = append(m.files, s)
		return nil
	}
	m.texts = append(m.texts, text{name, string(body)})
	return nil
}

// tracked returns what git would commit, or everything outside a repository.
func tracked(t *testing.T, all []string) []string {
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Logf("git ls-files: %v; taking every file", err)
		return all
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}

// dependencies asks the go command what each package of ours links.
func dependencies(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-json=ImportPath,Standard,Deps", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Standard   bool
			Deps       []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return deps
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		if folder, ours := folderOf(p.ImportPath); ours && !p.Standard {
			deps[folder] = p.Deps
		}
	}
}

// folderOf turns an import path of ours into its folder.
func folderOf(importPath string) (folder string, ours bool) {
	return strings.CutPrefix(importPath, modulePath+"/")
}

package house

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// sleep bans time.Sleep in tests, except inside a synctest bubble, whose clock is fake.
func sleep(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if !s.test && localName(s, "testing") == "" {
			continue
		}
		seen++
		bubble := localName(s, "testing/synctest")
		inBubble := func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			return ok && isSelector(call.Fun, bubble, "Test")
		}
		for _, n := range uses(s, "time", []string{"Sleep"}, inBubble) {
			faults = append(faults, s.fault(n, "a test sleeps; wait for a condition with a deadline"))
		}
	}
	return seen, faults
}

// programs has tests write what they run by shelltest.WriteProgram: a process that another test starts meanwhile
// inherits a file that is being written, and running it fails.
func programs(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if !s.test && localName(s, "testing") == "" {
			continue
		}
		seen++
		name := localName(s, "os")
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if is && name != "" && isSelector(call.Fun, name, "WriteFile") && runs(call.Args[len(call.Args)-1]) {
				faults = append(faults, s.fault(call, "a test writes a program; use shelltest.WriteProgram"))
			}
			return true
		})
	}
	return seen, faults
}

// runs reports whether a file with a mode, written as a number, can be run by its owner.
func runs(mode ast.Expr) bool {
	number, is := mode.(*ast.BasicLit)
	if !is {
		return false
	}
	bits, err := strconv.ParseUint(number.Value, 0, 32)
	return err == nil && bits&0o100 != 0
}

// contexts requires everything below cmd to take its context from its caller, except where test programs begin as a
// terminal server.
func contexts(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || s.script || within(s.dir, "cmd") || within(s.dir, "core/engine/enginetest") {
			continue
		}
		seen++
		for _, n := range uses(s, "context", []string{"Background", "TODO"}, nil) {
			faults = append(faults, s.fault(n, "makes a context of its own; take the caller's"))
		}
	}
	return seen, faults
}

// vaguePackages are names that do not say what a package is for.
var vaguePackages = []string{
	"common", "helper", "helpers", "internal", "manager", "misc", "pkg", "shared", "types", "util", "utils",
}

func packageNames(m *module) (seen int, faults []fault) {
	known := map[string]bool{}
	for _, s := range m.files {
		name := strings.TrimSuffix(s.ast.Name.Name, "_test")
		if s.script || known[s.dir+" "+name] {
			continue
		}
		known[s.dir+" "+name] = true
		for _, part := range append(strings.Split(s.dir, "/"), name) {
			if slices.Contains(vaguePackages, part) {
				faults = append(faults, fault{path: s.dir, text: "a package is a noun one could point at, not " + part})
				break
			}
		}
	}
	return len(known), faults
}

// emptyPackages finds folders whose Go files declare nothing.
func emptyPackages(m *module) (seen int, faults []fault) {
	declares := map[string]bool{}
	for _, s := range m.files {
		full := declares[s.dir]
		for _, decl := range s.ast.Decls {
			full = full || !isImport(decl)
		}
		declares[s.dir] = full
	}
	for _, dir := range sorted(declares) {
		seen++
		if !declares[dir] {
			faults = append(faults, fault{path: dir, text: "an empty package"})
		}
	}
	return seen, faults
}

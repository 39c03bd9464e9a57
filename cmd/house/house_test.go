package house

import (
	"fmt"
	"strings"
	"testing"
)

// gate is one rule. Its floor is the least that it checks in a complete tree.
type gate struct {
	name  string
	floor int
	check func(*module) (seen int, faults []fault)
}

var gates = []gate{
	{"layers", 50, layers},
	{"doors", 50, doors},
	{"pure-core", 5, pureCore},
	{"linked", 2, linked},
	{"engine-knows-no-agent", 2, engineKnowsNoAgent},
	{"style", 30, style},
	{"measures", 30, measures},
	{"package-comments", 4, packageComments},
	{"mapped", 40, mapped},
	{"exported-comments", 150, exportedComments},
	{"file-sizes", 30, fileSizes},
	{"function-sizes", 150, functionSizes},
	{"line-lengths", 30, lineLengths},
	{"type-methods", 50, typeMethods},
	{"embedding", 50, embedding},
	{"closed-options", 50, closedOptions},
	{"hats", 50, hats},
	{"kinds-by-name", 50, kindsByName},
	{"sleep", 5, sleep},
	{"programs", 50, programs},
	{"contexts", 20, contexts},
	{"files", 20, files},
	{"sockets", 50, sockets},
	{"package-names", 3, packageNames},
	{"empty-packages", 3, emptyPackages},
	{"error-codes", 30, errorCodes},
	{"faceless", 50, faceless},
	{"answers", 20, answersAreValues},
	{"words", 30, words},
	{"names", 500, names},
	{"top-level", 6, topLevel},
	{"pages", 5, pages},
}

// fault is one breach of a gate; line 0 means the whole file or folder.
type fault struct {
	path string
	line int
	text string
}

func (f fault) String() string {
	if f.line == 0 {
		return f.path + ": " + f.text
	}
	return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text)
}

// exceptions are the accepted faults. Each is for one gate and one path with all below it,
// and says why.
var exceptions = []struct{ gate, path, why string }{
	{"style", "core/agent/scripted", "imitates foreign agents, which write their own colours"},
	{"style", "core/term/cells/cellstest", "prints what programs in panes print"},
	{"style", "core/fleet/fleettest", "draws what agents in panes draw"},
	{"type-methods", "core/fleet/fleettest", "its engine does what an engine does, and what a test wants"},
	{"type-methods", "core/engine/own", "its client does what an engine does"},
	{"type-methods", "core/engine/tmux", "its server does what an engine does"},
	{"type-methods", "core/verb/verbtest", "its engine does what an engine does"},
	{"closed-options", "core/fleet/fleettest", "a test looks at the engine that it made"},
	{"embedding", "core/fleet/fleettest", "an engine for one purpose is another with some answers changed"},
}

// report returns the faults of a tree in lines; none if there are none.
func (g gate) report(m *module) (lines []string) {
	seen, faults := g.check(m)
	if seen < g.floor {
		lines = append(lines, fmt.Sprintf("saw only %d where at least %d are expected: the gate has gone blind", seen,
			g.floor))
	}
	for _, f := range faults {
		if exceptionFor(g.name, f) < 0 {
			lines = append(lines, f.String())
		}
	}
	return lines
}

func TestHouse(t *testing.T) {
	m := loadModule(t)
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			for _, line := range g.report(m) {
				t.Error(line)
			}
		})
	}
}

// TestAdvice never fails: it prints what is larger than usual.
func TestAdvice(t *testing.T) {
	for _, line := range advice(loadModule(t)) {
		t.Log(line)
	}
}

func TestEveryGateReachesItsFloor(t *testing.T) {
	for _, g := range gates {
		if len(g.report(&module{})) == 0 {
			t.Errorf("%s passes a tree in which it sees nothing", g.name)
		}
	}
}

func TestEveryExceptionIsStillNeeded(t *testing.T) {
	m := loadModule(t)
	used := map[int]bool{}
	for _, g := range gates {
		_, faults := g.check(m)
		for _, f := range faults {
			used[exceptionFor(g.name, f)] = true
		}
	}
	for i, e := range exceptions {
		if m.holds(e.path) && !used[i] {
			t.Errorf("the %s exception for %s excuses nothing: remove it", e.gate, e.path)
		}
	}
}

// exceptionFor returns the index of the exception that covers the fault, or -1.
func exceptionFor(gate string, f fault) int {
	for i, e := range exceptions {
		if e.gate == gate && within(f.path, e.path) {
			return i
		}
	}
	return -1
}

// within reports whether a slash-separated path is the folder or is below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func withinAny(path string, folders ...string) bool {
	for _, folder := range folders {
		if within(path, folder) {
			return true
		}
	}
	return false
}

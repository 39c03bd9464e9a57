package house

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// allowedImports lists what each top folder may import. Imports point down only.
var allowedImports = map[string][]string{
	"cmd":   {"cmd", "tui", "robot", "theme", "core"},
	"tui":   {"tui", "theme", "core"},
	"theme": {"theme", "core"},
	"robot": {"robot", "core"},
	"core":  {"core"},
}

// restriction is a folder that only some packages above it may import.
type restriction struct {
	from   []string // these may not import; empty means everybody
	except []string // of those, these may
	to     []string
	why    string
}

var closed = []restriction{
	{
		except: []string{"cmd", "core/engine", "core/fleet"}, to: []string{"core/engine/tmux"},
		why: "only core/fleet and cmd open an engine",
	},
	{
		from: []string{"core/engine"},
		to: []string{
			"core/agent", "core/alert", "core/bridge", "core/config", "core/fleet", "core/record", "core/run",
			"core/verb",
		},
		why: "an engine knows terminals only",
	},
	{
		from: []string{
			"core/agent", "core/alert", "core/bridge", "core/config", "core/engine", "core/fleet", "core/git",
			"core/host", "core/record", "core/run", "core/system", "core/term", "core/text",
		},
		to:  []string{"core/verb"},
		why: "a verb uses the other parts of the core, and none of them knows a verb",
	},
	{
		from: []string{"tui/layout", "tui/intent", "tui/widget", "tui/screen", "tui/plain"},
		to:   []string{"core/fleet", "core/engine", "core/record/store"},
		why:  "it could block; hand an intent back instead",
	},
	{
		from: []string{"core/verb/render"},
		to:   []string{"core/verb/catalog", "core/verb/guide", "core/verb/registry"},
		why:  "an encoding knows no verb",
	},
	{
		from: []string{"core/verb/registry", "core/verb/guide"}, to: []string{"core/verb/catalog"},
		why: "the list of verbs is given to it",
	},
	{
		from: []string{"core/verb/registry"},
		to: []string{
			"core/agent", "core/alert", "core/bridge", "core/config", "core/engine", "core/fleet", "core/git",
			"core/record", "core/run",
		},
		why: "what a verb works with is a type of the verb's own",
	},
}

// eachImport calls fn for every import and returns how many there are.
func eachImport(m *module, fn func(s *source, line int, path string)) (seen int) {
	for _, s := range m.files {
		for _, spec := range s.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			seen++
			fn(s, s.line(spec.Pos()), path)
		}
	}
	return seen
}

func layers(m *module) (seen int, faults []fault) {
	seen = eachImport(m, func(s *source, line int, path string) {
		to, ours := folderOf(path)
		if !ours {
			return
		}
		from, _, _ := strings.Cut(s.path, "/")
		target, _, _ := strings.Cut(to, "/")
		if !slices.Contains(allowedImports[from], target) {
			text := fmt.Sprintf("%s imports %s; it may import %s", from, to, strings.Join(allowedImports[from], ", "))
			faults = append(faults, fault{s.path, line, text})
		}
	})
	return seen, faults
}

// doors exempts tests: they may use a real engine anywhere.
func doors(m *module) (seen int, faults []fault) {
	seen = eachImport(m, func(s *source, line int, path string) {
		to, ours := folderOf(path)
		if !ours || s.test {
			return
		}
		for _, d := range closed {
			barred := len(d.from) == 0 || withinAny(s.dir, d.from...)
			if barred && !withinAny(s.dir, d.except...) && withinAny(to, d.to...) {
				faults = append(faults, fault{s.path, line, "imports " + to + ": " + d.why})
			}
		}
	})
	return seen, faults
}

// pureCore limits the root of core to the standard library.
func pureCore(m *module) (seen int, faults []fault) {
	eachImport(m, func(s *source, line int, path string) {
		if s.dir != "core" || s.test {
			return
		}
		seen++
		first, _, _ := strings.Cut(path, "/")
		if first == modulePath || strings.Contains(first, ".") {
			faults = append(faults,
				fault{s.path, line, "core imports " + path + "; it takes the standard library only"})
		}
	})
	return seen, faults
}

// faces are libraries that only the face for people may link, even indirectly: some of them
// query the terminal in their init.
var faces = []string{
	"github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea",
	"github.com/charmbracelet/huh", "github.com/charmbracelet/lipgloss",
	"github.com/muesli/termenv", "github.com/spf13/cobra",
}

func linked(m *module) (seen int, faults []fault) {
	for _, folder := range sorted(m.deps) {
		if !withinAny(folder, "core", "robot") {
			continue
		}
		seen++
		for _, dep := range m.deps[folder] {
			if withinAny(dep, faces...) {
				faults = append(faults,
					fault{path: folder, text: "links " + dep + ", which belongs to tui, theme and cmd"})
			}
		}
	}
	return seen, faults
}

// agentNames are words that no engine needs.
var agentNames = []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}

func engineKnowsNoAgent(m *module) (seen int, faults []fault) {
	for _, s := range m.files {
		if s.test || !within(s.dir, "core/engine") {
			continue
		}
		seen++
		for _, lit := range literals(s) {
			for _, name := range agentNames {
				if strings.Contains(strings.ToLower(lit.value), name) {
					faults = append(faults, s.fault(lit.node, "an engine names the agent "+name))
				}
			}
		}
	}
	return seen, faults
}

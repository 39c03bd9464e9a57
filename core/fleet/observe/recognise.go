package observe

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/process"
)

// AgentOf returns the agent that a pane holds: as its tags say or, without tags, as the
// program in the foreground shows. For a dead pane only the tags count.
func (o *Observer) AgentOf(pane *engine.Pane) core.Agent {
	found, _ := o.look(pane)
	return found
}

// look says which agent a pane holds, and returns its process with AtPrompt.
func (o *Observer) look(pane *engine.Pane) (core.Agent, core.Process) {
	held := pane.Process
	if id := pane.Tags[engine.TagKind]; id != "" {
		if kind, ok := o.Kinds.Find(id); !ok || kind.ID == core.KindGeneric || kind.ID == core.KindCommand {
			held.AtPrompt = AtPrompt(held)
		}
		return core.Agent{
			Name: pane.Tags[engine.TagName], Kind: core.Kind(id), Variant: pane.Tags[engine.TagVariant],
			Launch: pane.Tags[engine.TagLaunch], Started: moment(pane.Tags[engine.TagStarted]),
			Missed: moment(pane.Tags[engine.TagMissed]), Recognised: "tag", Label: pane.Tags[engine.TagLabel],
		}, held
	}
	if pane.Process.Dead || pane.Process.Command == "" {
		return core.Agent{}, held
	}
	var kind core.Kind
	kind, held.AtPrompt = o.seen.look(o.Kinds, held, o.Now())
	if kind == "" {
		return core.Agent{}, held
	}
	return core.Agent{
		Kind: kind, Missed: moment(pane.Tags[engine.TagMissed]), Recognised: "process",
		Label: pane.Tags[engine.TagLabel],
	}, held
}

// moment reads a tag of Unix milliseconds; zero where there is none.
func moment(tag string) time.Time {
	ms, err := strconv.ParseInt(tag, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// settled is how long after a program was first seen its children are looked at
// again: a launcher such as npx becomes the agent within that time.
const settled = 10 * time.Second

// sightingsKept bounds the cache; beyond it, the cache is emptied.
const sightingsKept = 1000

// processCache is what looking at processes and screens taught, so that it need
// not be learnt again. The zero value is ready.
type processCache struct {
	mu       sync.Mutex
	programs map[processKey]program
	// ready holds, by pane, the start of the agent whose prompt was seen.
	ready map[core.PaneID]time.Time
	// acted is, by pane, when its agent was last seen to work or to wait.
	acted map[core.PaneID]time.Time
}

// processKey is a program in the foreground: a process may become another program.
type processKey struct {
	pid   int
	start uint64
	name  string
}

// program is what a leader turned out to be.
type program struct {
	kind  core.Kind
	first time.Time
}

// look recognises the program in the foreground of a pane, empty for no agent, and reports
// whether it is a shell at its prompt; what such a shell started runs in the background. Processes
// are looked at only where the program's name leaves open what it runs: first the one in the
// foreground, then what it started.
func (s *processCache) look(kinds *agent.Kinds, held core.Process, now time.Time) (kind core.Kind, atPrompt bool) {
	var front process.Proc
	var argv []string
	shell := IsShell(held.Command)
	if shell {
		front = Foreground(held.PID)
		if front.Bare() {
			return "", true
		}
		if argv = process.Argv(front.PID); isInteractive(argv) {
			return "", true
		}
	}
	found, ok := kinds.Recognise(agent.Program{Command: held.Command, Argv: func() [][]string {
		if !shell {
			front = Foreground(held.PID)
		}
		if front.PID == 0 || s.known(keyOf(front), now) {
			return nil
		}
		if !shell {
			argv = process.Argv(front.PID)
		}
		return [][]string{argv}
	}})
	if !ok && front.PID != 0 && !s.known(keyOf(front), now) {
		found, ok = kinds.Recognise(agent.Program{
			Command: held.Command,
			Argv:    func() [][]string { return childCommands(front.PID) },
		})
	}
	if ok {
		kind = found.ID
	}
	if front.PID != 0 {
		kind = s.learn(keyOf(front), kind, now)
	}
	return kind, false
}

func keyOf(p process.Proc) processKey { return processKey{p.PID, p.Start, p.Name} }

// known reports whether looking again would teach nothing.
func (s *processCache) known(key processKey, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.programs[key]
	return ok && (seen.kind != "" || now.Sub(seen.first) > settled)
}

// learn keeps what a leader is, and returns it: what was known counts where
// nothing was found now.
func (s *processCache) learn(key processKey, kind core.Kind, now time.Time) core.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.programs[key]
	if !ok {
		seen.first = now
	}
	if kind != "" {
		seen.kind = kind
	}
	if s.programs == nil || len(s.programs) >= sightingsKept {
		s.programs = map[processKey]program{}
	}
	s.programs[key] = seen
	return seen.kind
}

// Foreground returns the leader of the foreground process group of a pane's terminal or, if
// that has ended, the pane's own process.
func Foreground(pid int) process.Proc {
	root, err := process.Find(pid)
	if err != nil {
		return process.Proc{}
	}
	if root.Foreground == root.PID {
		return root
	}
	if front, err := process.Find(root.Foreground); err == nil {
		return front
	}
	return root
}

// childCommands returns the command lines of what a process started.
func childCommands(pid int) [][]string {
	var lines [][]string
	for _, p := range process.Tree(pid) {
		if argv := process.Argv(p.PID); argv != nil && p.PID != pid {
			lines = append(lines, argv)
		}
	}
	return lines
}

// runs reports whether a process tree holds a program of the kind, or a script
// that starts it.
func runs(kinds *agent.Kinds, kind *agent.Kind, pid int) bool {
	return slices.ContainsFunc(process.Tree(pid),
		func(p process.Proc) bool { return isOf(kinds, kind, p, process.Argv(p.PID)) })
}

// isOf reports whether a process is a program of the kind, or a script that starts
// it.
func isOf(kinds *agent.Kinds, kind *agent.Kind, p process.Proc, argv []string) bool {
	found, ok := kinds.Recognise(agent.Program{Command: p.Name, Argv: func() [][]string { return [][]string{argv} }})
	return ok && found.ID == kind.ID ||
		slices.ContainsFunc(argv[:min(len(argv), 2)], func(arg string) bool { return names(kind, path.Base(arg)) })
}

func names(kind *agent.Kind, program string) bool {
	return slices.Contains(kind.Process.Names, program) ||
		len(kind.Launch.Command) > 0 && kind.Launch.Command[0] != agent.Self &&
			path.Base(kind.Launch.Command[0]) == program
}

var shells = []string{
	"sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "elvish", "xonsh",
	"pwsh", "busybox",
}

// IsShell reports whether a program's name is that of a shell, as a login shell
// or not.
func IsShell(command string) bool {
	return slices.Contains(shells, strings.TrimPrefix(path.Base(command), "-"))
}

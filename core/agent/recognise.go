package agent

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/process"
)

// Program is a process whose kind is in question.
type Program struct {
	// Command is its short name, as the system or the terminal server says it.
	Command string
	// Argv returns its arguments, the program first. It is called only if Command does not decide; nil returns
	// none.
	Argv func() []string
	// Executable returns the path of the file that it runs. It is called only if nothing else decides; nil
	// returns none.
	Executable func() string
}

// ProgramOf returns a running process as a Program, whose arguments are read when they are needed.
func ProgramOf(p process.Proc) Program {
	return Program{
		Command: p.Name, Argv: func() []string { return process.Argv(p.PID) },
		Executable: func() string { return process.Executable(p.PID) },
	}
}

// Runs reports whether a process is a program of a kind. No process is one of a nil Kinds.
func (ks *Kinds) Runs(kind core.Kind, p process.Proc) bool {
	if ks == nil {
		return false
	}
	found, ok := ks.Recognise(ProgramOf(p))
	return ok && found.ID == kind
}

// Recognise returns the kind of a program. A kind's own name decides at once, also that under which a wrapper
// keeps it; an interpreter is recognised by what it runs.
func (ks *Kinds) Recognise(p Program) (*Kind, bool) {
	if k, ok := ks.Named(p.Command); ok {
		return k, true
	}
	var argv []string
	if p.Argv != nil {
		argv = p.Argv()
	}
	if len(argv) > 0 {
		if k, ok := ks.at(argv[0]); ok {
			return k, true
		}
		if script := scriptOf(argv); script != "" {
			host := path.Base(argv[0])
			for _, k := range slices.Concat(ks.all, ks.twins) {
				if (slices.Contains(k.Process.Hosts, p.Command) || slices.Contains(k.Process.Hosts, host)) &&
					k.runs(script) {
					return k, true
				}
			}
		}
	}
	if p.Executable != nil {
		return ks.at(p.Executable())
	}
	return nil, false
}

// Named returns the kind whose program has a name.
func (ks *Kinds) Named(program string) (*Kind, bool) {
	for _, k := range ks.all {
		if slices.Contains(k.Process.Names, program) {
			return k, true
		}
	}
	return nil, false
}

// Hosts reports whether a program, such as an interpreter, may run a kind.
func (ks *Kinds) Hosts(program string) bool {
	return slices.ContainsFunc(ks.all, func(k *Kind) bool { return slices.Contains(k.Process.Hosts, program) })
}

// at returns the kind whose program is at a path, by the file's name or by the folders that an installer makes.
func (ks *Kinds) at(file string) (*Kind, bool) {
	if file == "" {
		return nil, false
	}
	if k, ok := ks.Named(unwrapped(path.Base(file))); ok || !strings.Contains(file, "/") {
		return k, ok
	}
	for _, k := range ks.all {
		if len(k.Process.Names) > 0 && k.runs(file) {
			return k, true
		}
	}
	return nil, false
}

// wrapping matches the additions of wrappers to the name of the program that they keep beside them:
// ".claude-unwrapped", ".codex-wrapped", "claude.exe".
var wrapping = regexp.MustCompile(`^\.?(.*?)(-(un)?wrapped_?|\.exe)*$`)

func unwrapped(name string) string { return wrapping.ReplaceAllString(name, "$1") }

// Titled returns the kinds whose programs give their terminal such a title; several may.
func (ks *Kinds) Titled(title string) []core.Kind {
	var kinds []core.Kind
	for _, k := range ks.all {
		if k.Process.Title.given() && k.Process.Title.MatchString(title) {
			kinds = append(kinds, k.ID)
		}
	}
	return kinds
}

// ShowsOverview reports whether a title says that the kind's program shows an overview of its agents; that is no agent
// itself.
func (p *Process) ShowsOverview(title string) bool {
	return p.Overview.given() && p.Overview.MatchString(title)
}

// valued are flags of interpreters whose value is the next argument.
var valued = []string{
	"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "-W", "-X",
}

// scriptOf returns the script that an interpreter runs: its first argument that is no flag, or the module of python's
// -m.
func scriptOf(argv []string) string {
	for i := 1; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "-m" && i+1 < len(argv):
			return argv[i+1]
		case slices.Contains(valued, arg):
			i++
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

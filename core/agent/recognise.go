package agent

import (
	"path"
	"slices"
	"strings"
)

// Program is what runs in the foreground of a pane.
type Program struct {
	// Command is the name of the foreground program.
	Command string
	// Argv returns the argument vectors of the foreground processes. It is called only if
	// Command does not decide which kind runs; nil returns none.
	Argv func() [][]string
}

// Recognise returns the kind of a program. A kind's own name decides at once; an
// interpreter is recognised by what it runs.
func (ks *Kinds) Recognise(p Program) (*Kind, bool) {
	hosted := false
	for _, k := range ks.all {
		if slices.Contains(k.Process.Names, p.Command) {
			return k, true
		}
		hosted = hosted || slices.Contains(k.Process.Hosts, p.Command)
	}
	if !hosted || p.Argv == nil {
		return nil, false
	}
	for _, argv := range p.Argv() {
		script := scriptOf(argv)
		if script == "" {
			continue
		}
		host := path.Base(argv[0])
		for _, k := range ks.all {
			if (slices.Contains(k.Process.Hosts, p.Command) || slices.Contains(k.Process.Hosts, host)) &&
				k.runs(script) {
				return k, true
			}
		}
	}
	return nil, false
}

// valued are flags of interpreters whose value is the next argument.
var valued = []string{
	"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "-W", "-X",
}

// scriptOf returns what an interpreter was told to run: its first argument
// that is no flag, or the module of python's -m.
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

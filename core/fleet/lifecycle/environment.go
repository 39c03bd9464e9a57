package lifecycle

import (
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/near"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Variable returns a value from the environment that new panes are made with.
func (l *Launcher) Variable(name string) string {
	for i := len(l.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(l.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// shell runs the command lines of the user's own.
func (l *Launcher) shell() string {
	if path := l.Variable("SHELL"); path != "" {
		return path
	}
	return "/bin/sh"
}

// givenNames holds the names of the variables that a pane was started with besides.
const givenNames = "CUPOLA_GIVEN"

// environmentOf is what a new pane gets besides the server's environment. PATH
// is in it because tmux would take it from whichever client creates the pane, and
// the names of the other variables that it gets, for whoever starts it again.
func (l *Launcher) environmentOf(session string, u *unit) []string {
	names := make([]string, len(u.env))
	for i, variable := range u.env {
		names[i], _, _ = strings.Cut(variable, "=")
	}
	env := []string{"CUPOLA_SESSION=" + session, "CUPOLA_PANE_NAME=" + u.label(), givenNames + "=" + strings.Join(names, ",")}
	if path := l.Variable("PATH"); path != "" {
		env = append(env, "PATH="+path)
	}
	return env
}

// hasProgram reports whether a program can be started in a new pane: by its
// path, or by its name in PATH.
func (l *Launcher) hasProgram(name string) bool {
	if strings.ContainsRune(name, filepath.Separator) {
		return executable(name)
	}
	for _, dir := range filepath.SplitList(l.Variable("PATH")) {
		if dir != "" && executable(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func noProgram(kind *agent.Kind, program string) error {
	err := core.Errorf(core.ToolNotFound, "%s is not installed: there is no program %q on PATH", kind.Name, program)
	err.Hint = fmt.Sprintf("Install %s so that %q is on PATH.", kind.Name, program)
	if kind.Launch.Install != "" {
		err.Actions = []string{kind.Launch.Install}
	}
	return err
}

// folder returns the absolute path of a folder that exists; empty is the
// caller's own. A near miss among its neighbours is suggested.
func folder(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", core.Errorf(core.IOError, "working directory: %w", err)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return path, nil
	}
	if err == nil {
		return "", core.Errorf(core.InvalidInput, "%s is no folder", path)
	}
	missing := core.Errorf(core.InvalidInput, "there is no folder %s", path)
	parent := filepath.Dir(path)
	entries, _ := os.ReadDir(parent)
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	for _, name := range near.Words(filepath.Base(path), names) {
		missing.Suggestions = append(missing.Suggestions, filepath.Join(parent, name))
	}
	return "", missing
}

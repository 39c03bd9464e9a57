package lifecycle

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/text/near"
)

// environment is the environment from which new panes are made, as NAME=VALUE.
type environment []string

// variable returns the value of a variable; empty if it is not set.
func (e environment) variable(name string) string { return process.Variable(e, name) }

// shell returns the shell that runs command lines of the user's own.
func (e environment) shell() string { return cmp.Or(e.variable("SHELL"), "/bin/sh") }

// forPane returns the variables that say which pane a unit is.
func (u *unit) forPane(session string) []string {
	return []string{
		engine.SessionVariable + "=" + session, engine.NameVariable + "=" + u.label(), job.Variable + "=" + job.NewID(),
	}
}

// hasProgram reports whether a program can be started in a new pane: by its
// path, or by its name in PATH.
func (e environment) hasProgram(name string) bool {
	if strings.ContainsRune(name, filepath.Separator) {
		return executable(name)
	}
	for _, dir := range filepath.SplitList(e.variable("PATH")) {
		if dir != "" && executable(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

// executable reports whether a file can be run.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func noProgramError(kind *agent.Kind, program string) error {
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

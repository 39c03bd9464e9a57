package sessions

import (
	"path/filepath"

	"cupola/core/config/recipe"
	"cupola/core/verb/registry"
)

// surroundings are the variables that panes are started with, beside those of the caller.
type surroundings struct {
	Env          registry.Programs `whole:"true" help:"Variable for every new pane, as NAME=VALUE, or NAME for the caller's value; repeat for more"`
	EnvFile      registry.ReadPath `help:"File of variables for every new pane, a NAME=VALUE a line"`
	NoInheritEnv bool              `help:"Give new panes none of the caller's other variables but those that programs cannot do without"`
}

// environment returns what is asked for. A path begins at the caller's folder.
func (s surroundings) environment() recipe.Environment {
	e := recipe.Environment{Env: s.Env}
	if path, err := filepath.Abs(string(s.EnvFile)); s.EnvFile != "" && err == nil {
		e.EnvFile = []string{path}
	}
	if s.NoInheritEnv {
		e.InheritEnv = new(bool)
	}
	return e
}

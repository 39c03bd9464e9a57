package recipe

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core/config/envfile"
	"cupola/core/text/secret"
)

// Environment are the variables that a pane is started with. Its zero value inherits the variables of the process that
// starts it.
type Environment struct {
	// Env are variables as NAME=VALUE, or NAME for the value that it has where the pane is started.
	Env []string `toml:"env,omitempty" json:"env,omitempty"`
	// EnvFile are paths of files of more variables, over which Env wins.
	EnvFile []string `toml:"env_file,omitempty" json:"env_file,omitempty"`
	// InheritEnv is false if the pane inherits only what programs cannot do without; nil is true.
	InheritEnv *bool `toml:"inherit_env,omitempty" json:"inherit_env,omitempty"`
	// Environ is the environment to inherit, in the form of Env, in place of that of the process that starts the pane.
	// Records have it.
	Environ []string `toml:"environ,omitempty" json:"environ,omitempty"`
}

// Inherits reports whether the pane inherits an environment.
func (e *Environment) Inherits() bool { return e.InheritEnv == nil || *e.InheritEnv }

// Resolved returns the variables of Env and of its files, as NAME=VALUE, the last of a name to count. Lookup returns
// a variable where the pane is started; unset are the ones that it does not know. Relative paths begin at dir.
func (e *Environment) Resolved(dir string, lookup func(name string) (string, bool)) (pairs, unset []string, err error) {
	for _, path := range e.EnvFile {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		read, err := envfile.Read(path)
		if err != nil {
			return nil, nil, err
		}
		pairs = append(pairs, read...)
	}
	named, unset := Values(e.Env, lookup)
	return append(pairs, named...), unset, nil
}

// Values returns the variables of a list in the form of Env as NAME=VALUE, and the names that lookup does not know.
func Values(list []string, lookup func(name string) (string, bool)) (pairs, unset []string) {
	for _, entry := range list {
		if strings.Contains(entry, "=") {
			pairs = append(pairs, entry)
		} else if value, is := lookup(entry); is {
			pairs = append(pairs, entry+"="+value)
		} else {
			unset = append(unset, entry)
		}
	}
	return pairs, unset
}

// Unsecret returns a list of variables in which those with credentials have lost their values.
func Unsecret(list []string) []string {
	kept := slices.Clone(list)
	for i, entry := range kept {
		if secret.Mask(entry) != entry {
			kept[i], _, _ = strings.Cut(entry, "=")
		}
	}
	return kept
}

// CheckEnv returns an error for an entry that is neither NAME=VALUE nor NAME.
func CheckEnv(list []string) error {
	for _, entry := range list {
		name, _, _ := strings.Cut(entry, "=")
		if err := envfile.CheckName(name); err != nil {
			return fmt.Errorf("env: %w", err)
		}
	}
	return nil
}

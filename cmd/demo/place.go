package demo

import (
	"os"
	"path/filepath"
	"strings"

	"cupola/core/config"
)

// These are in the directory of a demo, for its clients: records, runs and logs,
// locks and sockets.
const (
	dataName    = "data"
	stateName   = "state"
	runtimeName = "run"
)

// Paths returns the folders of a program that reaches a server by its socket. Records of a demo are in the demo's own
// folder and are removed with it; the user's records are neither read nor written there.
func Paths(user config.Paths, socket string) config.Paths {
	d := demoDir{folder: filepath.Dir(socket)}
	if socket == d.socket() && d.exists() {
		user.Data, user.State, user.Runtime = d.path(dataName), d.path(stateName), d.path(runtimeName)
	}
	return user
}

// Getenv is the environment in which a program finds what agents wrote. With the folders of a demo that is nothing: the
// user's agents are none of it.
func Getenv(getenv func(string) string, paths config.Paths) func(string) string {
	d := demoDir{folder: filepath.Dir(paths.Data)}
	if paths.Data != d.path(dataName) || !d.exists() {
		return getenv
	}
	return func(name string) string {
		if name == "HOME" {
			return d.folder
		}
		return ""
	}
}

// exists reports whether the folder belongs to a demo.
func (d demoDir) exists() bool {
	if !strings.HasPrefix(filepath.Base(d.folder), folderPrefix) {
		return false
	}
	_, err := os.Stat(d.path(lockName))
	return err == nil
}

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

// Paths are the folders of a program that reaches a server by its socket. What is
// recorded of a demo is in the demo's own folder and goes away with it; the user's
// records are neither read nor written there.
func Paths(user config.Paths, socket string) config.Paths {
	d := demoDir{folder: filepath.Dir(socket)}
	if socket != d.socket() || !strings.HasPrefix(filepath.Base(d.folder), folderPrefix) {
		return user
	}
	if _, err := os.Stat(d.path(lockName)); err != nil {
		return user
	}
	user.Data, user.State, user.Runtime = d.path(dataName), d.path(stateName), d.path(runtimeName)
	return user
}

package demo

import (
	"os"
	"path/filepath"
	"strings"

	"cupola/core/config"
)

// These are the folders, in a demo's own, of whoever reaches it: records, runs and logs,
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
	s := stage{folder: filepath.Dir(socket)}
	if socket != s.socket() || !strings.HasPrefix(filepath.Base(s.folder), folderPrefix) {
		return user
	}
	if _, err := os.Stat(s.path(lockName)); err != nil {
		return user
	}
	user.Data, user.State, user.Runtime = s.path(dataName), s.path(stateName), s.path(runtimeName)
	return user
}

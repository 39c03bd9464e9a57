package verb

import (
	"path/filepath"

	"cupola/core/agent/sandbox"
)

// SandboxesOf returns the sandboxes that programs of this machine can be held by. The file of a project adds none: the
// agent that is held could change it.
func SandboxesOf(e *Local) *sandbox.Set {
	return &sandbox.Set{
		Settings: e.Settings().Sandboxes, Self: e.Self,
		Folder: filepath.Join(e.Paths.Runtime, "sb"), // short, for it is in paths of sockets
		Hidden: []string{e.Paths.Config, e.Paths.Data, e.Paths.State, e.Paths.Runtime},
	}
}

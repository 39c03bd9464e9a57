package verb

import "cupola/core/agent/sandbox"

// Sandboxes returns the sandboxes that programs of this machine can be held by. Those of the settings are the user's
// alone: the file of a project is not asked, for who is held could change it.
func (e *Local) Sandboxes() *sandbox.Set {
	return &sandbox.Set{
		Settings: e.Settings().Sandboxes, Self: e.Self, Folder: e.Paths.Sandboxes(), Hidden: e.Paths.Own(),
	}
}

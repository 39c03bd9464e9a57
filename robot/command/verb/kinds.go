package verb

import (
	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/plainfile"
)

// Kinds returns the agent kinds that the user has.
func Kinds(paths config.Paths) (*agent.Kinds, error) {
	kinds, err := agent.Load(plainfile.Folder(paths.Agents()))
	if err != nil {
		return nil, core.Errorf(core.ConfigInvalid, "%s: %w", paths.Agents(), err)
	}
	return kinds, nil
}

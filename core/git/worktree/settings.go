package worktree

import "time"

// Settings say what is in a new worktree beside what git tracks, and are a section of the settings. The zero value
// adds nothing.
type Settings struct {
	Branch string   `toml:"branch" doc:"How branches of new worktrees are named; fields are {session}, {agent}, {user} and {date}" contains:"{session},{agent}"`
	Copy   []string `toml:"copy" doc:"Files that git does not track and that are copied into new worktrees of agents, as patterns of .gitignore; those of the file .worktreeinclude are too"`
	Clone  []string `toml:"clone" doc:"Folders that git does not track and that new worktrees get as copies that share their content on the disk until it is changed, as patterns of .gitignore; only where the file system can"`
	Link   []string `toml:"link" doc:"Folders that git does not track and whose files new worktrees share by hard links, as patterns of .gitignore: what is written in such a file is written for all"`
	Setup  []string `toml:"setup" doc:"The commands that run once in every new worktree before its agent starts, each in a shell" guard:"they would run without being asked for"`
	// SetupTimeout bounds all of Setup, TeardownTimeout all of Teardown; 0 is no limit.
	SetupTimeout    time.Duration `toml:"setup_timeout" doc:"How long these commands may take together; 0 is for ever"`
	Teardown        []string      `toml:"teardown" doc:"The commands that run in a worktree before it is removed, each in a shell" guard:"they would run without being asked for"`
	TeardownTimeout time.Duration `toml:"teardown_timeout" doc:"How long these commands may take together; 0 is for ever"`
}

// DefaultSettings are the settings where nothing else is said.
func DefaultSettings() Settings {
	return Settings{Branch: DefaultBranch, SetupTimeout: 10 * time.Minute, TeardownTimeout: time.Minute}
}

// Options say how worktrees are made. The zero value makes them of what git tracks.
type Options struct {
	Settings
	Start Start
	// Ports is the file that keeps which worktrees have which ports; empty gives them none.
	Ports string
	// Environ is the environment of git, as NAME=VALUE; nil is the environment of this process.
	Environ []string
}

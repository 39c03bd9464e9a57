package worktree

// Settings say what is in a new worktree beside what git tracks, and are a section of the settings. The zero value
// adds nothing.
type Settings struct {
	Copy  []string `toml:"copy" doc:"Files that git does not track and that are copied into new worktrees of agents, as patterns of .gitignore; those of the file .worktreeinclude are too"`
	Clone []string `toml:"clone" doc:"Folders that git does not track and that new worktrees get as copies that share their content on the disk until it is changed, as patterns of .gitignore; only where the file system can"`
	Link  []string `toml:"link" doc:"Folders that git does not track and whose files new worktrees share by hard links, as patterns of .gitignore: what is written in such a file is written for all"`
}

// Options say how worktrees are made. The zero value makes them of what git tracks.
type Options struct {
	Settings
	// Environ is the environment of git, as NAME=VALUE; nil is the environment of this process.
	Environ []string
}

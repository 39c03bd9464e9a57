package config

import (
	"os"
	"path/filepath"
	"strconv"
)

// Paths are the folders that Cupola uses, after the XDG base directory specification, on
// every system. Looking them up creates none of them.
type Paths struct {
	// Config holds config.toml, palette.toml, agents/*.toml, bridges/*.toml and
	// presets/*.toml.
	Config string
	// Data holds cupola.db (the records of prompts, events and usage) and checkpoints.
	Data string
	// State holds logs, the runs of pipelines, relays, crews, runs over stories, and the sessions of their agents.
	State string
	// Runtime holds locks and sockets, for the user alone.
	Runtime string
	// Project is the project's own settings, as ProjectFile finds them; empty without a
	// project. The file need not exist.
	Project string
}

// PathsOf reads the folders from an environment. It ignores relative values, as
// the specification requires; without a home it uses the root of the file system,
// so that no folder depends on the working directory.
func PathsOf(getenv func(string) string) Paths {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		home = string(filepath.Separator)
	}
	base := func(name string, fallback ...string) string {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, "cupola")
		}
		return filepath.Join(append([]string{home}, append(fallback, "cupola")...)...)
	}
	paths := Paths{
		Config: base("XDG_CONFIG_HOME", ".config"), Data: base("XDG_DATA_HOME", ".local", "share"),
		State: base("XDG_STATE_HOME", ".local", "state"),
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		paths.Runtime = filepath.Join(dir, "cupola")
	} else {
		paths.Runtime = filepath.Join(os.TempDir(), "cupola-"+strconv.Itoa(os.Getuid()))
	}
	return paths
}

// File is the path of the user's configuration file.
func (p Paths) File() string { return filepath.Join(p.Config, "config.toml") }

// OfHost are the folders of what is known of a host without Cupola, which this machine answers for.
func (p Paths) OfHost(name string) Paths {
	for _, folder := range []*string{&p.Data, &p.State, &p.Runtime} {
		*folder = filepath.Join(*folder, "hosts", name)
	}
	return p
}

// Of is the path of a layer's file; empty if the layer is none.
func (p Paths) Of(layer Layer) string {
	switch layer {
	case User:
		return p.File()
	case Project:
		return p.Project
	}
	return ""
}

// Store is the path of the store's file.
func (p Paths) Store() string { return filepath.Join(p.Data, "cupola.db") }

// Agents is the folder of the user's own agent kinds.
func (p Paths) Agents() string { return filepath.Join(p.Config, "agents") }

// Palette is the user's file of saved prompts.
func (p Paths) Palette() string { return filepath.Join(p.Config, "palette.toml") }

// Bridges is the folder of the user's own bridges to tools.
func (p Paths) Bridges() string { return filepath.Join(p.Config, "bridges") }

// CrewRecipes is the folder of the user's recipes of crews.
func (p Paths) CrewRecipes() string { return filepath.Join(p.Config, "crews") }

// Keys is the file with the user's own keys of the dashboard.
func (p Paths) Keys() string { return filepath.Join(p.Config, "keys.toml") }

// Themes returns the folder of the user's own colours.
func (p Paths) Themes() string { return filepath.Join(p.Config, "themes") }

// Calls is the folder of answers to other hosts.
func (p Paths) Calls() string { return filepath.Join(p.State, "calls") }

// Presets is the folder of the user's recipes of sessions.
func (p Paths) Presets() string { return filepath.Join(p.Config, "presets") }

// Recordings is the folder of what panes showed.
func (p Paths) Recordings() string { return filepath.Join(p.State, "recordings") }

// Checkpoints is the folder of recorded sessions, a folder each.
func (p Paths) Checkpoints() string { return filepath.Join(p.Data, "checkpoints") }

// Saved is the folder of sessions that were saved without saying where.
func (p Paths) Saved() string { return filepath.Join(p.Data, "saved") }

// Pipelines is the folder of the runs of pipelines, a folder each.
func (p Paths) Pipelines() string { return filepath.Join(p.State, "pipelines") }

// Relays is the folder of relays, a folder each.
func (p Paths) Relays() string { return filepath.Join(p.State, "relays") }

// StorySessions is the directory of the sessions of agents inside stories, a file each.
func (p Paths) StorySessions() string { return filepath.Join(p.State, "story-sessions") }

// Stories is the directory of the runs of stories, a directory each.
func (p Paths) Stories() string { return filepath.Join(p.State, "stories") }

// StoryLocks is the directory of the locks of lists of tasks.
func (p Paths) StoryLocks() string { return filepath.Join(p.State, "story-locks") }

// Servers is the directory of the servers that run.
func (p Paths) Servers() string { return filepath.Join(p.State, "servers") }

// OwnServer is the file that names the socket of Cupola's own terminal server, for programs with another Runtime.
func (p Paths) OwnServer() string { return filepath.Join(p.State, "terminals") }

// TmuxServer is the file that names the socket of the tmux server on which a session was made last.
func (p Paths) TmuxServer() string { return filepath.Join(p.State, "tmux") }

// Crews is the directory of the processes that run crews.
func (p Paths) Crews() string { return filepath.Join(p.State, "crews") }

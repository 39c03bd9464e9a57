package demo

import (
	"embed"
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

//go:embed scripts/*.txt
var scripts embed.FS

// sessionSpec describes one session of the fleet.
type sessionSpec struct {
	session string
	// shell adds a user pane.
	shell  bool
	agents []agentSpec
}

// agentSpec describes one scripted agent.
type agentSpec struct {
	// as is the kind that the agent imitates.
	as string
	// script is the last part of its script's name; the session's name is the first.
	script string
	// title is the task that it shows.
	title string
	model string
	flags []string
}

// sessions are the fleet. Together the agents are in every state within a
// few seconds: working (importer, search, phone), waiting (release, table),
// limited (forms), in error (links), exited (site), starting and then idle
// (guide).
var sessions = []sessionSpec{
	{session: "api", shell: true, agents: []agentSpec{
		{as: "claude", script: "importer", title: "Importer drops a row", model: "mock-large"},
		{as: "claude", script: "release", title: "Ship v1.4.0", model: "mock-large"},
		{as: "codex", script: "search", title: "Faster search", model: "mock-fast"},
	}},
	{session: "web", agents: []agentSpec{
		{as: "claude", script: "table", title: "Slow table", model: "mock-large"},
		{as: "codex", script: "forms", title: "Forms on the new grid", model: "mock-fast"},
		{as: "gemini", script: "phone", title: "Phone layout", model: "mock-wide", flags: []string{"--full-screen"}},
	}},
	{session: "docs", agents: []agentSpec{
		{as: "claude", script: "links", title: "Dead links", model: "mock-large"},
		{as: "opencode", script: "site", title: "Site build", model: "mock-small"},
		{
			as: "codex", script: "guide", title: "Upgrade guide", model: "mock-fast",
			flags: []string{"--start-delay", "4s"},
		},
	}},
}

package demo

import "embed"

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

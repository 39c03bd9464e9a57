package demo

import "embed"

//go:embed scripts/*.txt
var scripts embed.FS

// scene is one session of the fleet.
type scene struct {
	session string
	// shell puts a shell of the user's beside the agents.
	shell bool
	cast  []role
}

// role is what one scripted agent plays.
type role struct {
	// as is the kind whose agents it is named like.
	as string
	// part names its script, after the session's name.
	part string
	// title is what it says that it works on.
	title string
	model string
	flags []string
}

// scenes are the fleet. Between them the agents are in every state within a
// few seconds: working (importer, search, phone), waiting (release, table),
// limited (forms), in error (links), exited (site), starting and then idle
// (guide).
var scenes = []scene{
	{session: "api", shell: true, cast: []role{
		{as: "claude", part: "importer", title: "Importer drops a row", model: "mock-large"},
		{as: "claude", part: "release", title: "Ship v1.4.0", model: "mock-large"},
		{as: "codex", part: "search", title: "Faster search", model: "mock-fast"},
	}},
	{session: "web", cast: []role{
		{as: "claude", part: "table", title: "Slow table", model: "mock-large"},
		{as: "codex", part: "forms", title: "Forms on the new grid", model: "mock-fast"},
		{as: "gemini", part: "phone", title: "Phone layout", model: "mock-wide", flags: []string{"--full-screen"}},
	}},
	{session: "docs", cast: []role{
		{as: "claude", part: "links", title: "Dead links", model: "mock-large"},
		{as: "opencode", part: "site", title: "Site build", model: "mock-small"},
		{
			as: "codex", part: "guide", title: "Upgrade guide", model: "mock-fast",
			flags: []string{"--start-delay", "4s"},
		},
	}},
}

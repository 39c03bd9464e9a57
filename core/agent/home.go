package agent

import (
	"path/filepath"

	"cupola/core"
)

// home says where agents of a kind keep what is theirs: inside the folder that a
// variable names or, without it, inside one of the user's home.
type home struct{ variable, usual, inside string }

var homes = map[core.Kind]home{
	"claude":   {"CLAUDE_CONFIG_DIR", ".claude", ""},
	"codex":    {"CODEX_HOME", ".codex", ""},
	"gemini":   {"GEMINI_CLI_HOME", "", ".gemini"},
	"opencode": {"XDG_DATA_HOME", filepath.Join(".local", "share"), "opencode"},
	"copilot":  {"COPILOT_HOME", ".copilot", ""},
	"qwen":     {"", ".qwen", ""},
	"pi":       {"PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent"), ""},
	"kilo":     {"XDG_DATA_HOME", filepath.Join(".local", "share"), "kilo"},
}

// Home returns a path in the folder in which agents of a kind keep their files, as the
// environment env names it. It is empty if the environment names none or the kind has no
// known folder.
func Home(kind core.Kind, env func(name string) string, below ...string) string {
	h, known := homes[kind]
	if !known {
		return ""
	}
	folder := ""
	if h.variable != "" {
		folder = env(h.variable)
	}
	if folder == "" {
		user := env("HOME")
		if user == "" {
			return ""
		}
		folder = filepath.Join(user, h.usual)
	}
	return filepath.Join(append([]string{folder, h.inside}, below...)...)
}

package agent

import (
	"path/filepath"
	"slices"

	"cupola/core"
)

// home says where agents of a kind keep what is theirs: inside the folder that a
// variable names or, without it, inside one of the user's home. A variable of its own, records, may name the folder of
// their records.
type home struct{ variable, usual, inside, records string }

var homes = map[core.Kind]home{
	"claude":   {variable: "CLAUDE_CONFIG_DIR", usual: ".claude"},
	"codex":    {variable: "CODEX_HOME", usual: ".codex"},
	"gemini":   {variable: "GEMINI_CLI_HOME", inside: ".gemini"},
	"opencode": {variable: "XDG_DATA_HOME", usual: filepath.Join(".local", "share"), inside: "opencode"},
	"copilot":  {variable: "COPILOT_HOME", usual: ".copilot"},
	"qwen":     {usual: ".qwen"},
	"pi": {
		variable: "PI_CODING_AGENT_DIR", usual: filepath.Join(".pi", "agent"), records: "PI_CODING_AGENT_SESSION_DIR",
	},
	"kilo": {variable: "XDG_DATA_HOME", usual: filepath.Join(".local", "share"), inside: "kilo"},
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

// HomeVariables returns the names of the variables that decide where agents of a kind keep their files; nil for kinds
// without a known folder.
func HomeVariables(kind core.Kind) []string {
	h, known := homes[kind]
	if !known {
		return nil
	}
	return slices.DeleteFunc([]string{"HOME", h.variable, h.records}, func(name string) bool { return name == "" })
}

// Records returns the folder that a variable of env names for the records of agents of a kind; empty if none does.
func Records(kind core.Kind, env func(name string) string) string {
	if name := homes[kind].records; name != "" {
		return env(name)
	}
	return ""
}

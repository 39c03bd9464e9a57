package agent

import (
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
)

// Native is the part of a kind that only code can read: the places and formats of its program's own files. Every field
// is set, also if there is none. The format of answers without a terminal is in the kind's file ([headless] format).
type Native struct {
	Kind core.Kind
	Home Home
	// Records is the format of its transcripts, which also record usage. Account is the format of its credentials, and
	// Live the format of the file in which a process reports its own status.
	Records, Account, Live Format
}

// Format is how programs write what is their own. A package that reads formats has a table of them.
type Format string

// None is the format of what a program does not write, or of what was never seen.
const None Format = "none"

// The formats. A fork writes those of the program that it comes from.
const (
	FormatClaude   Format = "claude"
	FormatCodex    Format = "codex"
	FormatGemini   Format = "gemini"
	FormatOpenCode Format = "opencode"
	FormatCopilot  Format = "copilot"
	FormatQwen     Format = "qwen"
	FormatPi       Format = "pi"
)

// Home is the folder with the files of agents of a kind: inside the folder that a variable names or, without it, inside
// one of the user's home. A variable of its own, Records, may name the folder of their records.
type Home struct{ Variable, Usual, Inside, Records string }

// nowhere is the home of a kind whose home is not known.
var nowhere = Home{Usual: "-"}

// Natives are the kinds that come along, in the order in which they are shown. No other code names one. A kind without
// a home has no format either.
var Natives = []Native{
	{"claude", Home{"CLAUDE_CONFIG_DIR", ".claude", "", ""}, FormatClaude, FormatClaude, FormatClaude},
	{"codex", Home{"CODEX_HOME", ".codex", "", ""}, FormatCodex, FormatCodex, None},
	{"gemini", Home{"GEMINI_CLI_HOME", "", ".gemini", ""}, FormatGemini, FormatGemini, None},
	{"opencode", Home{"XDG_DATA_HOME", ".local/share", "opencode", ""}, FormatOpenCode, FormatOpenCode, None},
	{"copilot", Home{"COPILOT_HOME", ".copilot", "", ""}, FormatCopilot, FormatCopilot, None},
	{"qwen", Home{"", ".qwen", "", ""}, FormatQwen, FormatQwen, None},
	{
		"pi",
		Home{"PI_CODING_AGENT_DIR", ".pi/agent", "", "PI_CODING_AGENT_SESSION_DIR"},
		FormatPi, None, None,
	},
	{"kilo", Home{"XDG_DATA_HOME", ".local/share", "kilo", ""}, FormatOpenCode, None, None},
	{"cline", nowhere, None, None, None},
	{"auggie", nowhere, None, None, None},
	{"amp", nowhere, None, None, None},
	{"omp", nowhere, None, None, None},
	{"scripted", nowhere, None, None, None},
	{core.KindCommand, nowhere, None, None, None},
	{core.KindGeneric, nowhere, None, None, None},
}

// NativeOf returns what only code can read of a kind; nothing of one that does not come along. By protocol the program
// is the same one, and its files are.
func NativeOf(kind core.Kind) Native {
	kind = core.Kind(strings.TrimSuffix(string(kind), twinSuffix))
	if i := slices.IndexFunc(Natives, func(n Native) bool { return n.Kind == kind }); i >= 0 {
		return Natives[i]
	}
	return Native{kind, nowhere, None, None, None}
}

// HomeOf returns a path in the folder in which agents of a kind keep their files, as the environment env names it. It
// is empty if the environment names none or the kind has no known folder.
func HomeOf(kind core.Kind, env func(name string) string, below ...string) string {
	h := NativeOf(kind).Home
	if h == nowhere {
		return ""
	}
	folder := ""
	if h.Variable != "" {
		folder = env(h.Variable)
	}
	if folder == "" {
		user := env("HOME")
		if user == "" {
			return ""
		}
		folder = filepath.Join(user, h.Usual)
	}
	return filepath.Join(append([]string{folder, h.Inside}, below...)...)
}

// HomeVariables returns the names of the variables that decide where agents of a kind keep their files; nil for kinds
// without a known folder.
func HomeVariables(kind core.Kind) []string {
	h := NativeOf(kind).Home
	if h == nowhere {
		return nil
	}
	return slices.DeleteFunc([]string{"HOME", h.Variable, h.Records}, func(name string) bool { return name == "" })
}

// Records returns the folder that a variable of env names for the records of agents of a kind; empty if none does.
func Records(kind core.Kind, env func(name string) string) string {
	if name := NativeOf(kind).Home.Records; name != "" {
		return env(name)
	}
	return ""
}

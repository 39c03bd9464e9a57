package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
)

// source is a file of a machine that may be a transcript.
type source struct {
	kind core.Kind
	path string
	size int64
	// modified is Unix nanoseconds.
	modified int64
}

// root is where agents of a kind keep transcripts.
type root struct {
	kind core.Kind
	// variable names the folder; below, in the home, is where it is without.
	variable, below string
	// inside are folders of it that hold transcripts.
	inside []string
	is     func(path string) bool
}

func ends(suffix string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, suffix) }
}

var roots = []root{
	{"claude", "CLAUDE_CONFIG_DIR", ".claude", []string{"projects"}, ends(".jsonl")},
	{"codex", "CODEX_HOME", ".codex", []string{"sessions", "archived_sessions"}, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "rollout-") && strings.HasSuffix(path, ".jsonl")
	}},
	{"gemini", "", ".gemini", []string{"tmp"}, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "session-") && (strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".json"))
	}},
	{"qwen", "", ".qwen", []string{"projects"}, ends(".jsonl")},
	{"copilot", "", ".copilot", []string{"session-state"}, ends("events.jsonl")},
	{"opencode", "", filepath.Join(".local", "share"), []string{"opencode"}, ends("/opencode.db")},
}

// sources are the transcripts of a machine, as an environment names their folders.
// What cannot be read is not there.
func sources(env func(string) string) []source {
	var found []source
	for i := range roots {
		r := &roots[i]
		for _, folder := range r.folders(env) {
			_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
				if err != nil {
					return fs.SkipDir
				}
				if entry.Type().IsRegular() && r.is(path) {
					if info, err := entry.Info(); err == nil {
						found = append(found, source{r.kind, path, info.Size(), info.ModTime().UnixNano()})
					}
				}
				return nil
			})
		}
	}
	return found
}

func (r *root) folders(env func(string) string) []string {
	base := ""
	switch home := env("HOME"); {
	case r.variable != "" && env(r.variable) != "":
		base = env(r.variable)
	case r.kind == "gemini" && env("GEMINI_CLI_HOME") != "":
		base = filepath.Join(env("GEMINI_CLI_HOME"), r.below)
	case r.kind == "opencode" && env("XDG_DATA_HOME") != "":
		base = env("XDG_DATA_HOME")
	case home != "":
		base = filepath.Join(home, r.below)
	default:
		return nil
	}
	folders := make([]string, len(r.inside))
	for i, inside := range r.inside {
		folders[i] = filepath.Join(base, inside)
	}
	return folders
}

// fileSource is a file by its path; ok is false where it is not there.
func fileSource(kind core.Kind, path string) (s source, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return source{}, false
	}
	return source{kind, path, info.Size(), info.ModTime().UnixNano()}, true
}

// projectOf is the folder that a transcript of Gemini's is about, which is written
// beside it; empty where it is not.
func projectOf(path string) string {
	for folder := filepath.Dir(path); len(folder) > 1 && filepath.Base(folder) != ".gemini"; folder = filepath.Dir(folder) {
		if text, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

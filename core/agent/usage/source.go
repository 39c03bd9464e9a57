package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/plainfile"
)

// source is a file of a machine that may be a transcript.
type source struct {
	kind core.Kind
	path string
	size int64
	// modified is Unix nanoseconds.
	modified int64
}

// root is where agents of a kind keep transcripts: in folders of their home.
type root struct {
	kind    core.Kind
	folders []string
	is      func(path string) bool
}

func ends(suffix string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, suffix) }
}

var roots = []root{
	{"claude", []string{"projects"}, ends(".jsonl")},
	{"codex", []string{"sessions", "archived_sessions"}, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "rollout-") && strings.HasSuffix(path, ".jsonl")
	}},
	{"gemini", []string{"tmp"}, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), "session-") &&
			(strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".json"))
	}},
	{"qwen", []string{"projects"}, ends(".jsonl")},
	{"copilot", []string{"session-state"}, ends("events.jsonl")},
	{"opencode", []string{"."}, ends("/opencode.db")},
	{"kilo", []string{"."}, ends("/kilo.db")},
	{"pi", []string{"sessions"}, ends(".jsonl")},
}

// sources are the transcripts of a machine, as an environment names their folders.
// What cannot be read is not there.
func sources(env func(string) string) []source {
	var found []source
	for i := range roots {
		r := &roots[i]
		for _, folder := range r.folders {
			// Without a home there is nothing to walk through.
			_ = filepath.WalkDir(agent.Home(r.kind, env, folder),
				func(path string, entry fs.DirEntry, err error) error {
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
	for folder := filepath.Dir(path); len(folder) > 1 &&
		filepath.Base(folder) != ".gemini"; folder = filepath.Dir(folder) {
		if text, err := plainfile.Read(filepath.Join(folder, ".project_root"), plainfile.Text); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

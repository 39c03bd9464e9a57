package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

func ends(suffix string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, suffix) }
}

// named accepts files whose names begin with a word and end with one of some others.
func named(begin string, suffixes ...string) func(string) bool {
	return func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), begin) &&
			slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) })
	}
}

// sources are the transcripts of a machine, as an environment names their folders.
// What cannot be read is not there.
func sources(env func(string) string) []source {
	var found []source
	for _, n := range agent.Natives {
		format, ok := formats[n.Records]
		if !ok {
			continue
		}
		for _, folder := range format.folders {
			// Without a home there is nothing to walk through.
			_ = filepath.WalkDir(agent.HomeOf(n.Kind, env, folder),
				func(path string, entry fs.DirEntry, err error) error {
					if err != nil {
						return fs.SkipDir
					}
					if entry.Type().IsRegular() && format.holds(n.Kind, path) {
						if info, err := entry.Info(); err == nil {
							found = append(found, source{n.Kind, path, info.Size(), info.ModTime().UnixNano()})
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

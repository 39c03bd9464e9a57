package transcript

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/plainfile"
)

// File is a file of this machine in which agents of a kind record their work: one conversation, or a database of many.
type File struct {
	Kind core.Kind
	Path string
	// Size is bytes, and Modified when it was last written.
	Size     int64
	Modified time.Time
}

// Files returns the records of all kinds that this machine has, in no order, in the folders that an environment names.
// What cannot be read, and what a link leads to, is not there.
func Files(env func(name string) string) []File {
	var found []File
	for _, n := range agent.Natives {
		how, ok := formats[n.Records]
		if !ok {
			continue
		}
		roots := []string{agent.Records(n.Kind, env)}
		for _, folder := range how.folders {
			roots = append(roots, agent.HomeOf(n.Kind, env, folder))
		}
		for _, root := range roots {
			if root != "" {
				found = append(found, how.below(root, n.Kind)...)
			}
		}
	}
	return found
}

// below returns the records in a folder and the folders in it.
func (s storage) below(root string, kind core.Kind) (found []File) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() && s.holds(kind, path) {
			if info, err := entry.Info(); err == nil {
				found = append(found, File{kind, path, info.Size(), info.ModTime()})
			}
		}
		return nil
	})
	return found
}

// holds reports whether a path names a record.
func (s storage) holds(kind core.Kind, path string) bool {
	if s.is == nil {
		return filepath.Base(path) == string(kind)+".db"
	}
	return s.is(path)
}

// FileOf returns a file by its path; ok is false where there is no such file.
func FileOf(kind core.Kind, path string) (f File, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return File{}, false
	}
	return File{kind, path, info.Size(), info.ModTime()}, true
}

// IsDatabase reports whether the file holds many conversations, as a database.
func (f File) IsDatabase() bool {
	how, ok := storageOf(f.Kind)
	return ok && how.is == nil
}

// IsDocument reports whether the file is one JSON document, not a line for each message.
func (f File) IsDocument() bool { return filepath.Ext(f.Path) == ".json" }

// Head names the conversation in a file.
type Head struct {
	// Session is the agent's own id of it, and Dir the folder of the agent; empty where the file does not say so.
	Session, Dir string
	// Spawned is true if a sub-agent wrote it.
	Spawned bool
}

// Head reads the beginning of a file; nothing of a database.
func (f File) Head() Head {
	how, ok := storageOf(f.Kind)
	if !ok || how.head == nil {
		return Head{}
	}
	first := how.head(f.Path)
	if first.Dir == "" && how.project != nil {
		first.Dir = how.project(f.Path)
	}
	if first.Dir == "" {
		var line struct{ Cwd string }
		firstLine(f.Path, &line)
		first.Dir = line.Cwd
	}
	return Head{first.Session, first.Dir, first.Spawned}
}

// ProjectOf returns the folder that a record is about which does not say so itself; empty if it is not known.
func ProjectOf(kind core.Kind, path string) string {
	if how, ok := storageOf(kind); ok && how.project != nil {
		return how.project(path)
	}
	return ""
}

func ends(suffix string) func(string) bool {
	return func(path string) bool { return strings.HasSuffix(path, suffix) }
}

// begins accepts files whose names begin with a word and end with one of some others.
func begins(word string, suffixes ...string) func(string) bool {
	return func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), word) &&
			slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) })
	}
}

// geminiProject is the folder that a record of Gemini's is about, which is written beside it.
func geminiProject(path string) string {
	for folder := filepath.Dir(path); len(folder) > 1 &&
		filepath.Base(folder) != ".gemini"; folder = filepath.Dir(folder) {
		if text, err := plainfile.Read(filepath.Join(folder, ".project_root"), plainfile.Text); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// Conversation is one of a database.
type Conversation struct {
	Head
	// Grown is when it was last written.
	Grown time.Time
}

// Conversations returns those of a database, the last written first.
func (f File) Conversations(ctx context.Context) ([]Conversation, error) {
	const query = `select id, directory, coalesce(parent_id, ''), time_updated from session order by time_updated desc`
	var found []Conversation
	var head Head
	var parent string
	var updated int64
	for err := range Query(ctx, f.Path, query, nil, &head.Session, &head.Dir, &parent, &updated) {
		if err != nil {
			return found, err
		}
		head.Spawned = parent != ""
		found = append(found, Conversation{head, time.UnixMilli(updated)})
	}
	return found, nil
}

// Parts calls each with the parts of the messages of a conversation of a database, the newest first, until it returns
// false: who wrote the message, when, and the part as JSON.
func (f File) Parts(ctx context.Context, session string, each func(role string, at time.Time, part []byte) bool) error {
	const query = `select coalesce(json_extract(m.data, '$.role'), ''), m.time_created, p.data
		from message m join part p on p.message_id = m.id
		where m.session_id = ? order by m.time_created desc, m.id desc, p.id desc`
	var role string
	var at int64
	var data []byte
	for err := range Query(ctx, f.Path, query, []any{session}, &role, &at, &data) {
		if err != nil || !each(role, time.UnixMilli(at).UTC(), data) {
			return err
		}
	}
	return nil
}

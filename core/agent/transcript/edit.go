package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Edit is a change that an agent made to a file with a tool of its own.
type Edit struct {
	Path string
	At   time.Time
}

// Edits returns the files that an agent has changed since a time, the oldest first, as its
// transcript shows. It misses files that were changed by a program that the agent ran.
// certain is true if no other agent can have written the transcript. It returns ErrNone as
// Read does.
func Edits(ctx context.Context, place *Subject, since time.Time) (edits []Edit, certain bool, err error) {
	found, err := Identify(ctx, place)
	kind, _ := storageOf(place.Kind)
	switch {
	case err != nil:
		return nil, false, err
	case found.Path == "":
		return nil, false, ErrNone
	case kind.newReader == nil:
		edits, err = sessionEdits(ctx, found.Path, found.Session, since)
	default:
		edits, err = lineEdits(found.Path, kind.newReader, since)
	}
	for i := range edits {
		if !filepath.IsAbs(edits[i].Path) {
			edits[i].Path = filepath.Join(place.Dir, edits[i].Path)
		}
	}
	return edits, found.Certain, err
}

// lineEdits reads a record of lines from its end as far back as a time.
func lineEdits(path string, fresh func() lineReader, since time.Time) (edits []Edit, err error) {
	err = fromEnd(path, since, func(text []byte) bool {
		w := editWatch{lineReader: fresh(), since: since, seen: map[string]bool{}}
		for line := range bytes.Lines(text) {
			w.line(line)
		}
		edits = w.edits
		return w.reached
	})
	return edits, err
}

// editWatch sees the calls of editing tools come to their end, line by line.
type editWatch struct {
	lineReader
	since time.Time
	edits []Edit
	seen  map[string]bool
	// at is the time of the last line that had one; reached is true once one was
	// older than what is asked for.
	at      time.Time
	reached bool
}

func (w *editWatch) line(text []byte) {
	w.lineReader.line(text)
	var stamped struct {
		Timestamp string `json:"timestamp"`
	}
	if json.Unmarshal(text, &stamped) == nil && stamped.Timestamp != "" {
		w.at = moment(stamped.Timestamp)
	}
	if w.at.Before(w.since) {
		w.reached = true
	}
	result, _ := w.account()
	for _, tool := range result.Turn.Tools {
		if !tool.Done || tool.Failed || len(tool.Files) == 0 || w.seen[tool.ID] {
			continue
		}
		w.seen[tool.ID] = true
		for _, path := range tool.Files {
			if !w.at.Before(w.since) {
				w.edits = append(w.edits, Edit{Path: path, At: w.at})
			}
		}
	}
}

// editing are the names of tools that change files, in lower case.
var editing = []string{
	"write", "edit", "multiedit", "notebookedit", "write_file", "replace", "create", "str_replace_editor",
	"str_replace", "insert", "patch", "apply_patch",
}

// filesOf are the files that a tool changes if it succeeds. Of a shell only
// patches are known.
func filesOf(name string, input json.RawMessage) []string {
	if !slices.Contains(editing, strings.ToLower(name)) {
		if !bytes.Contains(input, []byte(patchBegin)) {
			return nil
		}
		return patched(textIn(input))
	}
	var named struct {
		FilePath  string `json:"file_path"`
		FilePath2 string `json:"filePath"`
		Notebook  string `json:"notebook_path"`
		Path      string `json:"path"`
	}
	if json.Unmarshal(input, &named) == nil {
		for _, path := range []string{named.FilePath, named.FilePath2, named.Notebook, named.Path} {
			if path != "" {
				return []string{path}
			}
		}
	}
	return patched(textIn(input))
}

const patchBegin = "*** Begin Patch"

// patched are the files that patches in a text change.
func patched(text string) []string {
	var files []string
	_, text, _ = strings.Cut(text, patchBegin)
	for line := range strings.Lines(text) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if path, is := strings.CutPrefix(line, mark); is {
				files = append(files, strings.TrimSpace(path))
			}
		}
	}
	return files
}

// textIn is all text in a value, with a newline behind each.
func textIn(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case string:
			var inner map[string]any
			if json.Unmarshal([]byte(value), &inner) == nil {
				walk(inner)
				return
			}
			b.WriteString(value + "\n")
		case []any:
			for _, item := range value {
				walk(item)
			}
		case map[string]any:
			for _, item := range value {
				walk(item)
			}
		}
	}
	walk(value)
	return b.String()
}

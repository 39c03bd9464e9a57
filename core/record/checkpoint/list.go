package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

const promptFile = "prompts.jsonl"

// Entry is a checkpoint in a list.
type Entry struct {
	Checkpoint
	// Dir is its folder, Bytes what all its files hold.
	Dir   string
	Bytes int64
	// Fault is the reason why the record cannot be read. Only Name is known then, and At is when the
	// folder was made.
	Fault string
}

// List returns the checkpoints in a folder, the newest first. A folder that does
// not exist has none.
func List(root string) ([]Entry, error) {
	folders, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("list the checkpoints", err)
	}
	entries := []Entry{}
	for _, folder := range folders {
		if !folder.IsDir() || strings.HasPrefix(folder.Name(), ".") {
			continue
		}
		entry := Entry{Dir: filepath.Join(root, folder.Name())}
		if c, err := load(entry.Dir); err == nil {
			entry.Checkpoint = *c
		} else {
			entry.Fault = err.Error()
			if info, err := folder.Info(); err == nil {
				entry.At = info.ModTime().UTC()
			}
		}
		entry.Name, entry.Bytes = folder.Name(), size(entry.Dir)
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Name, b.Name)) })
	return entries, nil
}

// Load reads a checkpoint by name, and returns it with its folder. It returns NotFound,
// with similar names, for an unknown one and DecodeFailed for one that cannot be parsed.
func Load(root, name string) (*Checkpoint, string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", failed("open the checkpoint", err)
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	if !slices.Contains(names, name) {
		err := &core.Error{
			Code: core.NotFound, Message: fmt.Sprintf("no checkpoint is named %q", name),
			Suggestions: near.Words(name, names), Slip: core.Slip{Word: name},
			Remedies: []core.Remedy{core.RemedyListCheckpoints},
			Details:  map[string][]string{"checkpoints": append([]string{}, names...)},
		}
		return nil, "", err
	}
	dir := filepath.Join(root, name)
	c, err := load(dir)
	if err != nil {
		return nil, "", core.Errorf(core.DecodeFailed, "checkpoint %s: %w", name, err)
	}
	return c, dir, nil
}

func load(dir string) (*Checkpoint, error) {
	text, err := plainfile.Read(filepath.Join(dir, recordFile), plainfile.Record)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// decode reads a record and sees that it could be one that was written here.
func decode(text []byte) (*Checkpoint, error) {
	c := &Checkpoint{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", recordFile, err)
	}
	switch {
	case c.Version < 1:
		return nil, fmt.Errorf("%s has no version", recordFile)
	case c.Version > Version:
		return nil, fmt.Errorf("%s has version %d; this program reads up to %d", recordFile, c.Version, Version)
	case c.Session == "" || len(c.Recipe.Panes) == 0:
		return nil, fmt.Errorf("%s names no session or no pane", recordFile)
	}
	for i := range c.Trees {
		if patch := c.Trees[i].Patch; patch != "" && !filepath.IsLocal(filepath.FromSlash(patch)) {
			return nil, fmt.Errorf("%s: the patch %q is not in its folder", recordFile, patch)
		}
	}
	return c, nil
}

// Size returns the folder of a checkpoint and the size of its files in bytes.
func Size(root, name string) (dir string, bytes int64) {
	dir = filepath.Join(root, name)
	return dir, size(dir)
}

// size returns the size of the files below a folder in bytes. Files that cannot be read are not counted.
func size(dir string) int64 {
	total := int64(0)
	//nolint:errcheck // what cannot be read counts nothing
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

package bead

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

// Set is all items of a project that could be read.
type Set struct {
	// Items are in the order of their ids, each once.
	Items []Item
	// Files are the paths that were read; none if the items come from a tool.
	Files []string
	// Tool is the name of the tool from which the items come; empty if they were read from
	// files.
	Tool string
	// Faults are the lines that were skipped.
	Faults []Fault
	// Duplicates counts lines that an item of the same id, newer or later, replaced.
	Duplicates int
}

// usualFiles are bd's names for its file of items; sideFiles are its files of other things.
var (
	usualFiles = []string{"issues.jsonl", "beads.jsonl"}
	sideFiles  = []string{"interactions", "deletions", "routes", "events", "molecules", "sync_base"}
)

// Read reads the files of a project. If bd's own files exist, it ignores the others, which
// merges left behind. A project without a file has no items.
func Read(project Project) (*Set, error) {
	set := &Set{}
	names, err := files(project.Beads)
	if err != nil {
		return nil, unreadable(project.Beads, err)
	}
	var found []decoded
	for _, name := range names {
		path := filepath.Join(project.Beads, name)
		data, err := plainfile.Read(path, plainfile.Record)
		if err != nil {
			return nil, unreadable(path, err)
		}
		set.Files = append(set.Files, path)
		part := decodeAll(data, name)
		found = append(found, part)
	}
	set.fill(found)
	return set, nil
}

// Decode parses the lines that a tool printed.
func Decode(data []byte, tool string) *Set {
	set := &Set{Tool: tool}
	set.fill([]decoded{decodeAll(data, tool)})
	return set
}

func unreadable(path string, err error) error {
	return core.FileError("read work items: "+path, err)
}

// files are the names of the files that hold items.
func files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var usual, others []string
	for _, entry := range entries {
		name := entry.Name()
		stem, is := strings.CutSuffix(name, ".jsonl")
		switch {
		case !is || entry.IsDir():
		case slices.Contains(usualFiles, name):
			usual = append(usual, name)
		case !slices.Contains(sideFiles, stem) && !strings.Contains(stem, "."):
			others = append(others, name)
		}
	}
	if len(usual) > 0 {
		return usual, nil
	}
	return others, nil
}

// decoded are the items of one file, in the order of its lines, and its faults.
type decoded struct {
	items  []*Item
	faults []Fault
}

// decodeAll shares the lines among processors, for they cost more than all that
// follows.
func decodeAll(data []byte, name string) decoded {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	lines := bytes.Split(data, []byte("\n"))
	const least = 64
	workers := max(1, min(runtime.GOMAXPROCS(0), len(lines)/least))
	parts := make([]decoded, workers)
	var all sync.WaitGroup
	for w := range parts {
		from, to := len(lines)*w/workers, len(lines)*(w+1)/workers
		all.Go(func() {
			for i, line := range lines[from:to] {
				item, why := decodeLine(line)
				if why != "" {
					parts[w].faults = append(parts[w].faults, Fault{File: name, Line: from + i + 1, Why: why})
				} else if item != nil {
					parts[w].items = append(parts[w].items, item)
				}
			}
		})
	}
	all.Wait()
	var whole decoded
	for _, part := range parts {
		whole.items, whole.faults = append(whole.items, part.items...), append(whole.faults, part.faults...)
	}
	return whole
}

// fill keeps the newest of each id; of equally new ones the last.
func (s *Set) fill(found []decoded) {
	newest := map[string]*Item{}
	for _, part := range found {
		s.Faults = append(s.Faults, part.faults...)
		for _, item := range part.items {
			if before := newest[item.ID]; before != nil {
				s.Duplicates++
				if before.Updated.After(item.Updated) {
					continue
				}
			}
			newest[item.ID] = item
		}
	}
	s.Items = make([]Item, 0, len(newest))
	for _, item := range newest {
		if item.Status != Tombstone {
			s.Items = append(s.Items, *item)
		}
	}
	slices.SortFunc(s.Items, func(a, b Item) int { return strings.Compare(a.ID, b.ID) })
}

// Find returns the item with an id. It returns NotFound with similar ids if there is none.
func (s *Set) Find(id string) (*Item, error) {
	at, is := slices.BinarySearchFunc(s.Items, id,
		func(item Item, id string) int { return strings.Compare(item.ID, id) })
	if is {
		return &s.Items[at], nil
	}
	ids := core.Map(s.Items, func(one Item) string { return one.ID })
	return nil, &core.Error{
		Code: core.NotFound, Message: "no work item is named " + id,
		Suggestions: near.Words(id, ids), Slip: core.Slip{Word: id}, Remedies: []core.Remedy{core.RemedyListItems},
	}
}

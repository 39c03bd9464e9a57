package bead

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"cupola/core/git/commits"
)

// Names finds the items and files that texts mention.
type Names struct {
	ids map[string]bool
	// base are the files by the last part of their path.
	base map[string][]string
}

// NewNames returns the Names of a project's items and files; files are paths relative to
// its root, with slashes.
func NewNames(items []Item, files map[string]bool) *Names {
	n := &Names{ids: make(map[string]bool, len(items)), base: make(map[string][]string, len(files))}
	for i := range items {
		n.ids[items[i].ID] = true
	}
	for file := range files {
		n.base[path.Base(file)] = append(n.base[path.Base(file)], file)
	}
	return n
}

// eachWord goes through what could be an id or a path, without what only ends a
// sentence.
func eachWord(text string, see func(string)) {
	separates := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-/+@", r)
	}
	for w := range strings.FieldsFuncSeq(text, separates) {
		see(strings.Trim(w, ".-/+@"))
	}
}

// Items returns the ids of the items that a text mentions, each once, in the order of the
// text.
func (n *Names) Items(text string) []string {
	return once(text, func(w string) string {
		if n.ids[w] {
			return w
		}
		return ""
	})
}

// Files returns the files that a text mentions, each once, in the order of the text. The
// end of a path suffices if it is unambiguous.
func (n *Names) Files(text string) []string {
	return once(text, n.file)
}

func once(text string, meant func(string) string) []string {
	var found []string
	eachWord(text, func(w string) {
		if m := meant(w); m != "" && !slices.Contains(found, m) {
			found = append(found, m)
		}
	})
	return found
}

func (n *Names) file(w string) string {
	if !strings.ContainsAny(w, "./") {
		return ""
	}
	hit := ""
	for _, file := range n.base[path.Base(w)] {
		switch {
		case file == w:
			return file
		case !strings.HasSuffix(file, "/"+w):
		case hit != "":
			return ""
		default:
			hit = file
		}
	}
	return hit
}

// Touch is the evidence that a file and an item belong together.
type Touch struct {
	// Text is true if the item's texts mention the file.
	Text bool
	// Commits are the commits that name the item and changed the file, the newest first.
	Commits []string
}

// Touches returns, by id and file, the files that each item names and those changed by
// commits that name the item.
func Touches(items []Item, log *commits.Log) map[string]map[string]*Touch {
	names := NewNames(items, log.Tracked)
	touches := map[string]map[string]*Touch{}
	touch := func(id, file string) *Touch {
		if touches[id] == nil {
			touches[id] = map[string]*Touch{}
		}
		if touches[id][file] == nil {
			touches[id][file] = &Touch{}
		}
		return touches[id][file]
	}
	for i := range items {
		for _, text := range items[i].Texts() {
			for _, file := range names.Files(text) {
				touch(items[i].ID, file).Text = true
			}
		}
	}
	for i := range log.Commits {
		commit := &log.Commits[i]
		for _, id := range names.Items(commit.Message) {
			for _, file := range commit.Paths() {
				t := touch(id, file)
				t.Commits = append(t.Commits, commit.Hash)
			}
		}
	}
	return touches
}

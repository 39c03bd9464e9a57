package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How is the access of a sandbox to a path.
type How string

// A sandbox sees an empty folder in place of a hidden one, which it may write to and which ends with it; a barred file
// is empty and cannot be changed. A copied file is its own. A linked path is a symbolic link to From.
const (
	Hidden  How = "hidden"
	Barred  How = "barred"
	Reads   How = "reads"
	Writes  How = "writes"
	Copied  How = "copied"
	Linked  How = "linked"
	Missing How = ""
)

// Access is the access of a sandbox to a path and all below it, as far as no longer path says something else.
type Access struct {
	Path string `json:"path"`
	How  How    `json:"how"`
	// From is the path outside, if it is another one.
	From string `json:"from,omitempty"`
}

func (a *Access) from() string { return cmp.Or(a.From, a.Path) }

// View lists the paths that a sandbox sees. Of two accesses that hold for a path, the longer one counts.
type View struct {
	// Access are sorted by their paths, each once.
	Access []Access
	// Dir is the working folder, and Root the project: the folder that is the sandbox's to change.
	Dir, Root string
	// Made are folders that were made to be guarded.
	Made []string
}

// add adds accesses to paths. What was said of a path before is replaced.
func (v *View) add(how How, paths ...string) {
	for _, path := range paths {
		v.set(Access{Path: path, How: how})
	}
}

func (v *View) set(a Access) {
	a.Path = filepath.Clean(a.Path)
	at, found := slices.BinarySearchFunc(v.Access, a, func(one, other Access) int {
		return comparePaths(one.Path, other.Path)
	})
	if found {
		v.Access[at] = a
		return
	}
	v.Access = slices.Insert(v.Access, at, a)
}

// comparePaths sorts paths so that a folder is before all that it holds.
func comparePaths(one, other string) int {
	return slices.Compare(strings.Split(one, "/"), strings.Split(other, "/"))
}

// Of returns what the sandbox may do with a path.
func (v *View) Of(path string) How {
	how := Reads
	for i := range v.Access {
		if within(v.Access[i].Path, path) {
			how = v.Access[i].How
		}
	}
	return how
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	return folder == path || folder == "/" || strings.HasPrefix(path, folder+"/")
}

// resolved returns a path without symbolic links; the path itself if it is not there.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/textfile"
)

// skillFiles are the texts of one kind as files.
type skillFiles struct {
	spec  agent.Skills
	texts *Texts
	// folder holds them. No link may lead out of roots: the user's home, and what a variable names.
	folder string
	roots  []string
}

// found is the file at the path of a text.
type found struct {
	file
	// before is its text; nil where there is none, or no file.
	before []byte
	mark   mark
	// ours is true if it was installed, edited or not; wanted if it would be.
	ours, wanted bool
	// why says what is there instead; empty where the place is free or the file is ours.
	why string
}

// edited reports whether a text of ours is not as it was installed.
func (f *found) edited() bool { return f.ours && !f.mark.intact }

// read reads the places of all texts, and finds texts of ours that are not wanted any more.
// A place that leads out of the user's folders is Conflict.
func (s *skillFiles) read() ([]found, error) {
	var all []found
	known := map[string]bool{}
	for _, f := range s.files() {
		at, err := s.readFile(f)
		if err != nil {
			return nil, err
		}
		at.wanted, known[f.path] = true, true
		all = append(all, at)
	}
	for _, pattern := range []string{s.spec.Skill, s.spec.Command} {
		if pattern == "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(escaped(s.folder), named(pattern, "*")))
		if err != nil {
			return nil, core.Errorf(core.InternalError, "%s: %w", pattern, err)
		}
		for _, path := range paths {
			if known[path] {
				continue
			}
			at, err := s.readFile(file{path: path, own: pattern == s.spec.Skill})
			if err == nil && at.ours && at.mark.intact { // else a copy of the user's
				all = append(all, at)
			}
		}
	}
	return all, nil
}

// escaped is a path that is a pattern of itself alone.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (s *skillFiles) readFile(f file) (found, error) {
	at := found{file: f}
	if err := s.inside(f.path); err != nil {
		return at, err
	}
	switch info, err := os.Lstat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return at, nil
	case err != nil:
		return at, core.FileError(f.path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		at.why = "it is a link"
		return at, nil
	case info.IsDir():
		at.why = "it is a folder"
		return at, nil
	case !info.Mode().IsRegular():
		at.why = "it is no regular file"
		return at, nil
	}
	text, err := textfile.Read(f.path)
	if err != nil {
		return at, err
	}
	at.before = text
	if at.mark, at.ours = s.markOf(f.path, string(text)); !at.ours {
		at.why = "it is not Cupola's"
	}
	return at, nil
}

// inside refuses a path that links lead out of the user's home and of the folder that the
// environment names.
func (s *skillFiles) inside(path string) error {
	dir := filepath.Dir(path)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return core.FileError(dir, err)
	}
	info, err := os.Stat(resolved)
	if err == nil && !info.IsDir() {
		return &core.Error{
			Code: core.Conflict, Message: dir + " is no folder", Hint: "Move it away, then try again.",
		}
	}
	for _, root := range s.roots {
		if base, err := filepath.EvalSymlinks(root); err == nil && within(base, resolved) {
			return nil
		}
		if within(dir, root) {
			return nil // the root itself is still to be made
		}
	}
	return &core.Error{
		Code: core.Conflict, Message: fmt.Sprintf("%s leads out of %s, to %s", dir, s.folder, resolved),
		Hint: "Replace the link by a folder, then try again.",
	}
}

// within reports whether a path is a folder or something in it.
func within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

func (s *skillFiles) below(path string) string {
	return filepath.Join(s.folder, filepath.FromSlash(path))
}

// root is the deepest folder that holds all texts.
func (s *skillFiles) root() string {
	folder := ""
	for _, pattern := range []string{s.spec.Skill, s.spec.Command, s.spec.Manifest} {
		if pattern == "" {
			continue
		}
		dir, _, _ := strings.Cut(pattern, agent.TextName)
		if dir = s.below(filepath.Dir(dir + "x")); folder == "" {
			folder = dir
		}
		for !within(folder, dir) {
			folder = filepath.Dir(folder)
		}
	}
	return folder
}

func (s *skillFiles) status() (Status, error) {
	all, err := s.read()
	if err != nil {
		return Status{}, err
	}
	status := Status{State: Absent}
	for i := range all {
		at := &all[i]
		if at.ours {
			status.State = Installed
		}
	}
	for i := range all {
		at := &all[i]
		problem := s.problem(at)
		if problem == "" || status.State == Absent && at.why == "" {
			continue
		}
		name, err := filepath.Rel(s.root(), at.path)
		if err != nil {
			name = at.path
		}
		status.Problems = append(status.Problems, name+" "+problem)
	}
	if status.State == Installed && len(status.Problems) > 0 {
		status.State = Drifted
	}
	return status, nil
}

// problem says what is wrong in the place of a text; empty if nothing is.
func (s *skillFiles) problem(at *found) string {
	switch {
	case at.why != "":
		return "cannot be written: " + at.why
	case !at.ours:
		return "is missing"
	case at.edited():
		return "was edited"
	case !at.wanted:
		return "is not wanted any more"
	case string(at.before) == s.marked(at.file, at.mark.folders):
		return ""
	case at.mark.version != s.version():
		return "is of version " + at.mark.version
	}
	return "has another text"
}

// install plans to write what is missing or stale, and to remove what is not wanted any
// more.
func (s *skillFiles) install(change *Change, hooks map[string]bool) error {
	all, err := s.read()
	if err != nil {
		return err
	}
	claimed := maps.Clone(hooks)
	s.claim(claimed, all)
	for i := range all {
		at := &all[i]
		switch {
		case at.why != "":
			return &core.Error{
				Code: core.Conflict, Message: fmt.Sprintf("%s cannot be written: %s", at.path, at.why),
				Hint: "Move it away, then install again.",
			}
		case at.edited():
			change.Kept = append(change.Kept, Kept{at.path, Skills, "it was edited; move it away to get the new one"})
			continue
		}
		step := &textfile.Change{File: at.path, Before: at.before}
		if at.wanted {
			folders := at.mark.folders
			if !at.ours {
				folders = missing(at.path, claimed)
			}
			step.After = []byte(s.marked(at.file, folders))
		} else {
			step.Folders = at.mark.folders
		}
		if err := writable(step); err != nil {
			return err
		}
		change.add(Skills, step)
	}
	return nil
}

// remove plans to remove every text of ours that is as it was installed.
func (s *skillFiles) remove(change *Change) error {
	all, err := s.read()
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, at := range all {
		ours[at.path] = at.ours
	}
	for _, at := range all {
		switch {
		case !at.ours:
			continue
		case at.edited():
			change.Kept = append(change.Kept, Kept{at.path, Skills, "it was edited"})
			continue
		}
		step := &textfile.Change{File: at.path, Before: at.before, Folders: at.mark.folders}
		if err := writable(step); err != nil {
			return err
		}
		change.add(Skills, step)
		if at.own {
			change.Kept = append(change.Kept, others(filepath.Dir(at.path), ours)...)
		}
	}
	return nil
}

// others are the files in a folder of a text that its user added.
func others(dir string, ours map[string]bool) []Kept {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // the change of its file says why
	}
	var kept []Kept
	for _, entry := range entries {
		if path := filepath.Join(dir, entry.Name()); !ours[path] {
			kept = append(kept, Kept{path, Skills, "it is not Cupola's"})
		}
	}
	return kept
}

// writable refuses a change of a file that its user protects.
func writable(c *textfile.Change) error {
	if c.Before == nil || !c.Changes() {
		return nil
	}
	if mode := textfile.Mode(c.File); mode&0o200 == 0 {
		return &core.Error{
			Code: core.PermissionDenied, Message: c.File + ": it is read-only",
			Hint: "Make the file writable, or move it away, then try again.",
		}
	}
	return nil
}

// claim adds the folders that were made for a file.
func claim(dirs map[string]bool, path string, folders int) {
	for range folders {
		path = filepath.Dir(path)
		dirs[path] = true
	}
}

// claim adds the folders that were made for texts, as these say themselves.
func (s *skillFiles) claim(dirs map[string]bool, all []found) {
	for i := range all {
		if all[i].ours {
			claim(dirs, all[i].path, all[i].mark.folders)
		}
	}
}

// missing counts the folders above a file that do not exist or were made for what is installed.
func missing(path string, claimed map[string]bool) int {
	n := 0
	for dir := filepath.Dir(path); dir != filepath.Dir(dir) && n < mostFolders; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil && !claimed[dir] {
			break
		}
		n++
	}
	return n
}

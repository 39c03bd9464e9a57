package story

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

// The files of a change, and the folder of finished ones.
const (
	specsFolder  = "openspec"
	changes      = "changes"
	archive      = "archive"
	proposalFile = "proposal.md"
	designFile   = "design.md"
	tasksFile    = "tasks.md"
	specFile     = "spec.md"
)

// Listed is one change among others.
type Listed struct {
	_    struct{} `minimal:"name" standard:"name,stories_done,stories_total,tasks_done,tasks_total,modified_at"`
	Name string   `json:"name" table:"CHANGE,strong"`
	// Path is its file of tasks, which need not exist.
	Path         string `json:"tasks_file"`
	StoriesDone  int    `json:"stories_done" table:"STORIES"`
	StoriesTotal int    `json:"stories_total" table:"OF"`
	TasksDone    int    `json:"tasks_done" table:"TASKS"`
	TasksTotal   int    `json:"tasks_total" table:"OF"`
	// Modified is when the newest of its files was changed.
	Modified time.Time `json:"modified_at" table:"CHANGED"`
	// Problem is why it cannot be read; empty if it can.
	Problem string `json:"problem,omitempty" table:"PROBLEM,dim"`
}

// Project returns the folder whose openspec folder has the changes for a folder: the nearest one upward, as far as the
// root of the git repository or, without one, the home. Outside of both it is the folder itself, because other users
// may write to the folders above. It returns ProjectNotFound if there is none.
func Project(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", core.Errorf(core.ProjectNotFound, "%s: %w", dir, err)
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", core.Errorf(core.ProjectNotFound, "%s is not a folder", dir)
	}
	limit := limitOf(start)
	for at := start; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, specsFolder)); err == nil && info.IsDir() {
			return at, nil
		}
		if at == limit || at == filepath.Dir(at) {
			e := core.Errorf(core.ProjectNotFound, "neither %s nor a folder above it has a folder %s", start,
				specsFolder)
			e.Remedies = []core.Remedy{core.RemedyNameTasks}
			return "", e
		}
	}
}

// limitOf returns the last folder upward that is searched.
func limitOf(dir string) string {
	home, _ := os.UserHomeDir()
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || at == home {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Read returns a change of the project of a folder. Missing files of it are empty. It returns ProjectNotFound,
// ChangeNotFound, InvalidInput for what cannot be the name of a change, and PermissionDenied or IOError if a file
// cannot be read.
func Read(dir, name string) (*Change, error) {
	if name == "" || name == archive || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\\x00") {
		return nil, core.Errorf(core.InvalidInput, "%q cannot be the name of a change", name)
	}
	root, err := Project(dir)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(root, specsFolder, changes, name)
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return nil, noChange(root, name)
	}
	return readFolder(root, at)
}

// noChange returns ChangeNotFound.
func noChange(root, name string) error {
	known, _ := names(root)
	return &core.Error{
		Code: core.ChangeNotFound, Message: fmt.Sprintf("%s has no change %s", root, name),
		Suggestions: near.Words(name, known), Slip: core.Slip{Word: name},
	}
}

// names returns the names of all changes of a project, in alphabetical order.
func names(root string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, specsFolder, changes))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, core.FileError("list the changes", err)
	}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != archive && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

func readFolder(root, at string) (*Change, error) {
	c := &Change{Name: filepath.Base(at), Dir: at, Path: filepath.Join(at, tasksFile), Scenarios: []Scenario{}}
	files := reader{root: root}
	c.Proposal = valid(files.read(filepath.Join(at, proposalFile)))
	c.Design = valid(files.read(filepath.Join(at, designFile)))
	c.Stories, c.Dropped = Parse(files.read(c.Path))
	specs := filepath.Join(at, "specs")
	for _, path := range specsOf(specs) {
		capability, _ := filepath.Rel(specs, filepath.Dir(path))
		c.Scenarios = append(c.Scenarios, scenarios(filepath.ToSlash(capability), files.read(path))...)
	}
	if files.err != nil {
		return nil, files.err
	}
	return c, nil
}

// mostSpecs bounds how many entries are looked at below one change.
const mostSpecs = 20000

// specsOf returns the specs below a folder, in alphabetical order. It does not follow links to folders.
func specsOf(dir string) (paths []string) {
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		seen++
		if seen > mostSpecs {
			return fs.SkipAll
		}
		if err == nil && !entry.IsDir() && entry.Name() == specFile {
			paths = append(paths, path)
		}
		return nil
	})
	slices.Sort(paths)
	return paths
}

// reader reads the files of a change, and keeps the first error.
type reader struct {
	root string
	err  error
}

// read returns what a file holds; nil where there is none. A link may not lead out of the project.
func (r *reader) read(path string) []byte {
	text, err := plainfile.Read(path, plainfile.Text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !within(path, r.root, filepath.Join(r.root, specsFolder)):
		err = errors.New("it is a link that leads out of the project")
	case err == nil:
		return text
	}
	if cause := new(fs.PathError); errors.As(err, &cause) {
		err = cause.Err
	}
	if r.err == nil {
		r.err = core.Errorf(core.FileCode(err), "%s: %w", path, err)
	}
	return nil
}

// within reports whether a file really is in one of some folders.
func within(path string, folders ...string) bool {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		folder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return false
		}
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// ReadTasks returns the stories of a file of tasks, without the other texts of its change. It returns NotFound if there
// is none, and PermissionDenied or IOError if it cannot be read.
func ReadTasks(path string) (*Change, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, core.FileError("read the tasks", err)
	}
	text, err := readTasks(path)
	if err != nil {
		return nil, err
	}
	return tasksOf(path, text), nil
}

func tasksOf(path string, text []byte) *Change {
	c := &Change{Path: path, Scenarios: []Scenario{}}
	c.Stories, c.Dropped = Parse(text)
	dir, base := filepath.Split(path)
	dir = filepath.Clean(dir)
	above := filepath.Dir(dir)
	if base == tasksFile && filepath.Base(above) == changes && filepath.Base(filepath.Dir(above)) == specsFolder {
		c.Name, c.Dir = filepath.Base(dir), dir
		return c
	}
	if c.Name = strings.TrimSuffix(base, filepath.Ext(base)); c.Name == "" {
		c.Name = base
	}
	return c
}

// Changes returns the changes of the project of a folder, but for finished ones, the newest first. It reads their files
// of tasks alone; one that cannot be read is listed with its problem. It returns ProjectNotFound, and PermissionDenied
// or IOError if they cannot be listed.
func Changes(dir string) ([]Listed, error) {
	root, err := Project(dir)
	if err != nil {
		return nil, err
	}
	all, err := names(root)
	if err != nil {
		return nil, err
	}
	listed := make([]Listed, 0, len(all))
	for _, name := range all {
		at := filepath.Join(root, specsFolder, changes, name)
		one := Listed{Name: name, Path: filepath.Join(at, tasksFile), Modified: modified(at)}
		files, c := reader{root: root}, Change{}
		c.Stories, c.Dropped = Parse(files.read(one.Path))
		if files.err != nil {
			one.Problem = files.err.Error()
		} else {
			one.TasksDone, one.TasksTotal = c.Counts()
			one.StoriesTotal = len(c.Stories)
			for i := range c.Stories {
				if c.Stories[i].Complete() {
					one.StoriesDone++
				}
			}
		}
		listed = append(listed, one)
	}
	slices.SortStableFunc(listed, func(a, b Listed) int { return b.Modified.Compare(a.Modified) })
	return listed, nil
}

// modified returns when the newest file below a folder was changed; the folder's own time where there is no file.
func modified(dir string) (newest time.Time) {
	seen := 0
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		seen++
		if seen > mostSpecs {
			return fs.SkipAll
		}
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
		return nil
	})
	if info, err := os.Stat(dir); newest.IsZero() && err == nil {
		return info.ModTime()
	}
	return newest
}

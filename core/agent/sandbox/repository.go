package sandbox

import (
	"os"
	"path/filepath"
	"strings"

	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// repository is where the git data of a project are: the folder of its own working tree and the one that all working
// trees of the repository share. Both are empty for a project without git.
type repository struct{ own, common string }

// repositoryOf finds the git data of a project. A .git file counts only if the folder that it names knows the project:
// anything else could be the work of a program in a sandbox.
func repositoryOf(root string) repository {
	path := filepath.Join(root, ".git")
	info, err := os.Lstat(path)
	if err != nil {
		return repository{}
	}
	if info.IsDir() {
		return repository{path, path}
	}
	named := git.Linked(root)
	if named == "" {
		return repository{}
	}
	own := resolved(named)
	if back, err := plainfile.Read(filepath.Join(own, "gitdir"), plainfile.Text); err == nil {
		common, err := plainfile.Read(filepath.Join(own, "commondir"), plainfile.Text)
		if err != nil || resolved(beside(own, strings.TrimSpace(string(back)))) != resolved(path) {
			return repository{}
		}
		return checked(repository{own, resolved(beside(own, strings.TrimSpace(string(common))))},
			filepath.Join("worktrees", filepath.Base(own)))
	}
	// A submodule: its data are below those of the working tree that it is in.
	if above, _, is := strings.Cut(own, "/.git/modules/"); !is || !within(above, root) {
		return repository{}
	}
	return repository{own, own}
}

// checked returns a repository if its own folder is at a place in the shared one, and nothing otherwise.
func checked(r repository, below string) repository {
	if filepath.Join(r.common, below) != r.own || !exists(filepath.Join(r.common, "HEAD")) ||
		!plainfile.IsFolder(filepath.Join(r.common, "objects")) {
		return repository{}
	}
	return r
}

func beside(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// The parts of git's data that commits change, and those that have git run programs or read another folder.
var (
	committed = []string{"objects", "refs", "logs"}
	decisive  = []string{"config", "config.worktree", "hooks", "commondir", "gitdir"}
)

// pinned is the content of commondir in a folder of git's that is its own shared one. Without the file a program could
// make it, and so have git take its settings from another folder.
const pinned = ".\n"

// addTo lets a sandbox commit, and change nothing that has git run a program.
func (r repository) addTo(v *View) error {
	if r.own == "" {
		return nil
	}
	if r.own != r.common { // a worktree: of what is shared only what a commit adds
		v.add(Reads, r.common, filepath.Join(v.Root, ".git"))
		for _, name := range committed {
			if folder := filepath.Join(r.common, name); plainfile.IsFolder(folder) {
				v.add(Writes, folder)
			}
		}
		v.add(Writes, r.own)
		return r.hold(v, r.own)
	}
	v.add(Writes, r.own) // a place of its own can be neither renamed nor removed
	if !within(v.Root, r.own) {
		v.add(Reads, filepath.Join(v.Root, ".git"))
	}
	common := filepath.Join(r.own, "commondir")
	if !exists(common) {
		if err := os.WriteFile(common, []byte(pinned), 0o644); err != nil {
			return err
		}
	}
	if hooks := filepath.Join(r.own, "hooks"); !exists(hooks) {
		if err := os.Mkdir(hooks, 0o755); err != nil {
			return err
		}
	}
	for _, folder := range append(append([]string{r.own}, folders(filepath.Join(r.own, "worktrees"))...),
		folders(filepath.Join(r.own, "modules"))...) {
		if err := r.hold(v, folder); err != nil {
			return err
		}
	}
	return nil
}

// folders returns the folders in a folder.
func folders(of string) []string {
	entries, _ := os.ReadDir(of)
	var found []string
	for _, entry := range entries {
		if entry.IsDir() {
			found = append(found, filepath.Join(of, entry.Name()))
		}
	}
	return found
}

// hold makes what is decisive in a folder of git's unchangeable.
func (r repository) hold(v *View, folder string) error {
	own := filepath.Join(folder, "config.worktree")
	if text, err := plainfile.Read(filepath.Join(r.common, "config"), plainfile.Text); err == nil && !exists(own) &&
		strings.Contains(strings.ToLower(string(text)), "worktreeconfig") {
		if err := os.WriteFile(own, nil, 0o644); err != nil {
			return err
		}
	}
	for _, name := range decisive {
		if path := filepath.Join(folder, name); exists(path) && resolved(path) == path {
			v.add(Reads, path)
		}
	}
	return nil
}

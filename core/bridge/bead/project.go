package bead

import (
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// folder is where bd keeps a project's items.
const folder = ".beads"

// Project is a project that has items.
type Project struct {
	// Root is the project's folder.
	Root string
	// Beads is the folder of the items. It may be outside Root, because a project can
	// redirect to another project's folder.
	Beads string
}

// Locate searches for items in a folder and the folders above it. In a git worktree without
// items of its own it finds those of the main working tree. It returns ProjectNotFound if
// there are none.
func Locate(dir string) (Project, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, core.Errorf(core.ProjectNotFound, "%s: %w", dir, err)
	}
	if !plainfile.IsFolder(start) {
		return Project{}, &core.Error{
			Code: core.ProjectNotFound, Message: dir + " is not a folder",
			Remedies: []core.Remedy{core.RemedyNameProject},
		}
	}
	for at := start; ; at = filepath.Dir(at) {
		if project, is := projectAt(at); is {
			return project, nil
		}
		if main := mainWorktree(at); main != "" {
			if project, is := projectAt(main); is {
				return project, nil
			}
		}
		if filepath.Dir(at) == at {
			return Project{}, noProject(start)
		}
	}
}

func noProject(dir string) error {
	return &core.Error{
		Code:     core.ProjectNotFound,
		Message:  "no work items: neither " + dir + " nor a folder above it has a folder " + folder,
		Remedies: []core.Remedy{core.RemedyBeginItems},
	}
}

// projectAt returns the items of one folder, wherever it keeps them.
func projectAt(root string) (Project, bool) {
	beads := filepath.Join(root, folder)
	if !plainfile.IsFolder(beads) {
		return Project{}, false
	}
	// One step only, so that two folders which lead to each other end somewhere.
	if target := redirect(beads); target != "" {
		if !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if plainfile.IsFolder(target) {
			return Project{Root: root, Beads: filepath.Clean(target)}, true
		}
	}
	return Project{Root: root, Beads: beads}, true
}

// redirect is the path to another project's items; empty if there is none.
func redirect(beads string) string {
	text, err := plainfile.Read(filepath.Join(beads, "redirect"), plainfile.Text)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// mainWorktree returns the main worktree of the repository whose linked worktree
// is at a folder; empty for other folders.
func mainWorktree(dir string) string {
	own := filepath.Clean(git.Linked(dir))
	// MAIN/.git/worktrees/NAME
	common := filepath.Dir(filepath.Dir(own))
	if filepath.Base(filepath.Dir(own)) != "worktrees" || filepath.Base(common) != ".git" {
		return ""
	}
	return filepath.Dir(common)
}

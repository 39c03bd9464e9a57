package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Location is where a program was started: all that its settings depend on.
type Location struct {
	// Paths are the user's folders, Dir the one that the program was started in.
	Paths  Paths
	Dir    string
	Getenv func(string) string
}

// Files are the paths with the project's file; without Dir there is none.
func (p Location) Files() Paths {
	paths := p.Paths
	if p.Dir != "" {
		paths.Project = ProjectFile(p.Dir, p.Getenv)
	}
	return paths
}

// Settings reads the settings, as Load does.
func (p Location) Settings() *Config { return Load(p.Files(), p.Getenv) }

// projectName is the name of a project's settings file.
const projectName = ".cupola.toml"

// ProjectFile returns the settings file of the project that a folder belongs to:
// the nearest one upward, as far as the root of the git repository or, without
// one, the home. Outside of both only the folder itself is searched, because other
// users may write to the folders above. As git does, it goes into none of GIT_CEILING_DIRECTORIES.
// If there is none, it returns the path of a new one, at the root of the repository or in the folder.
func ProjectFile(dir string, getenv func(string) string) string {
	dir = filepath.Clean(dir)
	root := rootOf(dir, getenv)
	if file := nearest(dir, root, projectName); file != "" {
		return file
	}
	if !there(filepath.Join(root, ".git")) {
		root = dir
	}
	return filepath.Join(root, projectName)
}

// InProject returns a file of the place's project by its name: the nearest one upward,
// as far as ProjectFile looks; empty where there is none.
func (p Location) InProject(name string) string {
	if p.Dir == "" {
		return ""
	}
	dir := filepath.Clean(p.Dir)
	return nearest(dir, rootOf(dir, p.Getenv), name)
}

// nearest is a file by its name, in a folder or one above it up to root; empty where
// none has it.
func nearest(dir, root, name string) string {
	for ; ; dir = filepath.Dir(dir) {
		if file := filepath.Join(dir, name); there(file) {
			return file
		}
		if dir == root {
			return ""
		}
	}
}

// rootOf is the last folder upward in which a project's file is looked for.
func rootOf(dir string, getenv func(string) string) string {
	within, home := "", filepath.Clean(getenv("HOME"))
	ceilings := filepath.SplitList(getenv("GIT_CEILING_DIRECTORIES"))
	for at := dir; at == dir || !slices.Contains(ceilings, at); at = filepath.Dir(at) {
		if there(filepath.Join(at, ".git")) {
			return at
		}
		if at == home {
			within = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if within != "" {
		return within
	}
	return dir
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && err == nil
}

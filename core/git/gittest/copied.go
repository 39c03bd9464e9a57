package gittest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Copied returns a function that puts into a folder what lay makes there, and beside it in folders whose names begin
// with that folder's name, as those of worktrees do. Lay runs git once, in a folder of its own; each call writes the
// same files again, with the new path in place of the old one, which takes a tenth of the time.
func Copied(lay func(t testing.TB, dir string)) func(t testing.TB, dir string) {
	var once sync.Once
	var files []file
	var made string
	return func(t testing.TB, dir string) {
		t.Helper()
		once.Do(func() {
			made = filepath.Join(resolved(t, t.TempDir()), "laid-once")
			if err := os.Mkdir(made, 0o700); err != nil {
				t.Fatal(err)
			}
			lay(t, made)
			files = filesOf(t, filepath.Dir(made))
		})
		if len(files) == 0 {
			t.Fatal("the repository was not made")
		}
		dir = resolved(t, dir)
		for _, f := range files {
			path := strings.Replace(f.path, made, dir, 1)
			if f.first {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			text := bytes.ReplaceAll(f.text, []byte(made), []byte(dir))
			if err := os.WriteFile(path, text, f.mode); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// resolved returns the path of a folder without links, as git writes it.
func resolved(t testing.TB, dir string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// file is one of a tree. The first one of a folder is marked.
type file struct {
	path  string
	mode  fs.FileMode
	first bool
	text  []byte
}

// filesOf are the files below a folder, without empty folders.
func filesOf(t testing.TB, top string) []file {
	t.Helper()
	var files []file
	seen := map[string]bool{}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, file{path, info.Mode().Perm(), !seen[filepath.Dir(path)], text})
		seen[filepath.Dir(path)] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

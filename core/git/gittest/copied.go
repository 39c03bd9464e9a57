package gittest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Copied returns a function that puts into a folder what lay makes there. Lay runs git once, in a folder of its own;
// each call writes the same files again, which takes a tenth of the time.
func Copied(lay func(t testing.TB, dir string)) func(t testing.TB, dir string) {
	var once sync.Once
	var files []file
	return func(t testing.TB, dir string) {
		t.Helper()
		once.Do(func() {
			made := t.TempDir()
			lay(t, made)
			files = filesOf(t, made)
		})
		if len(files) == 0 {
			t.Fatal("the repository was not made")
		}
		for _, f := range files {
			path := filepath.Join(dir, f.path)
			if f.first {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(path, f.text, f.mode); err != nil {
				t.Fatal(err)
			}
		}
	}
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
		below, err := filepath.Rel(top, path)
		files = append(files, file{below, info.Mode().Perm(), !seen[filepath.Dir(path)], text})
		seen[filepath.Dir(path)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

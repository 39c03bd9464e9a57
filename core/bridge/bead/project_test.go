package bead_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core"
	"cupola/core/bridge/bead"
)

// tree makes folders, and files with their text, in a new folder.
func tree(t *testing.T, folders []string, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestItemsAreFoundUpward(t *testing.T) {
	root := tree(t, []string{"p/.beads", "p/a/b", "p/sub/.beads"}, nil)
	for from, want := range map[string]string{"p": "p/.beads", "p/a/b": "p/.beads", "p/sub": "p/sub/.beads"} {
		found, err := bead.Locate(filepath.Join(root, from))
		if err != nil || found.Beads != filepath.Join(root, want) || found.Root != filepath.Dir(found.Beads) {
			t.Errorf("from %s: %+v, %v", from, found, err)
		}
	}
	for _, from := range []string{"", "none"} {
		if _, err := bead.Locate(filepath.Join(root, from)); core.AsError(err) == nil ||
			core.AsError(err).Code != core.ProjectNotFound {
			t.Errorf("from %q: %v", from, err)
		}
	}
}

func TestOneProjectCanLeadToAnother(t *testing.T) {
	root := tree(t, []string{"a/.beads", "b/.beads", "c/.beads"}, map[string]string{
		"a/.beads/redirect": "# shared\n\n../b/.beads\n", "b/.beads/redirect": "../a/.beads",
		"c/.beads/redirect": "../nowhere",
	})
	for from, want := range map[string]string{"a": "b", "b": "a", "c": "c"} {
		found, err := bead.Locate(filepath.Join(root, from))
		if err != nil || found.Beads != filepath.Join(root, want, ".beads") || found.Root != filepath.Join(root, from) {
			t.Errorf("from %s: %+v, %v", from, found, err)
		}
	}
}

func TestAWorktreeHasTheItemsOfTheMainOne(t *testing.T) {
	root := tree(t, []string{"main/.beads", "main/.git/worktrees/w", "w/deep", "own/.beads"}, nil)
	for _, at := range []string{"w", "own"} {
		git := "gitdir: " + filepath.Join(root, "main", ".git", "worktrees", at) + "\n"
		if err := os.WriteFile(filepath.Join(root, at, ".git"), []byte(git), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]string{"w": "main", "w/deep": "main", "own": "own"} {
		if found, err := bead.Locate(filepath.Join(root, from)); err != nil || found.Root != filepath.Join(root, want) {
			t.Errorf("from %s: %+v, %v", from, found, err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "w", ".git"), []byte("gitdir: elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := bead.Locate(filepath.Join(root, "w")); err == nil {
		t.Errorf("got %+v", found)
	}
}

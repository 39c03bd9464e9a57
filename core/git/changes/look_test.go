package changes_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/changes"
	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
)

// since returns the paths that changed in a tree since a base, and their patch.
func since(t *testing.T, base changes.Base, root string) (paths []string, patch string) {
	t.Helper()
	trees, err := changes.Read(t.Context(), base, []string{root}, environ())
	if err != nil || len(trees) != 1 {
		t.Fatalf("%+v, %v", trees, err)
	}
	for i := range trees[0].Files {
		paths = append(paths, trees[0].Files[i].Path)
		part, _, err := changes.Patch(t.Context(), &trees[0], trees[0].Files[i].Path, environ())
		if err != nil {
			t.Fatal(err)
		}
		patch += part
	}
	return paths, patch
}

func look(t *testing.T, root string) {
	t.Helper()
	if err := changes.Look(t.Context(), root, environ()); err != nil {
		t.Fatal(err)
	}
}

func TestChangesAreThoseSinceTheLastLook(t *testing.T) {
	root := repository(t)
	write(t, root, "edited", "edited\none\nTWO\nthree\nfour\n")
	write(t, root, "fresh", "new\n")
	write(t, root, "large", strings.Repeat("x", 2<<20))
	staged := gittest.Run(t, root, nil, "ls-files", "--stage")
	if paths, _ := since(t, changes.BaseLook, root); len(paths) != 3 {
		t.Errorf("never looked at: %v", paths)
	}
	look(t, root)
	if now := gittest.Run(t, root, nil, "ls-files", "--stage"); now != staged {
		t.Errorf("the look changed the index: %s", now)
	}
	if paths, _ := since(t, changes.BaseLook, root); !reflect.DeepEqual(paths, []string{"large"}) {
		t.Errorf("just looked at: %v", paths)
	}
	if err := os.Remove(filepath.Join(root, "large")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what  string
		do    func()
		paths []string
		patch string
	}{
		{
			"an edit after an edit", func() { write(t, root, "edited", "edited\none\nTWO\nTHREE\nfour\n") },
			[]string{"edited"},
			"-three\n+THREE",
		},
		{
			"an edit of a new file", func() { write(t, root, "fresh", "newer\n") },
			[]string{"edited", "fresh"},
			"-new\n+newer",
		},
		{"another new file", func() { write(t, root, "other", "x\n") }, []string{"edited", "fresh", "other"}, "+x"},
		{"a commit of all", func() {
			gittest.Run(t, root, nil, "add", "--all")
			gittest.Run(t, root, nil, "commit", "--quiet", "--message=all")
		}, []string{"edited", "fresh", "other"}, "-new\n+newer"},
		{
			"an edit that is taken back", func() { write(t, root, "edited", "edited\none\nTWO\nthree\nfour\n") },
			[]string{"fresh", "other"},
			"+newer",
		},
		{"a look", func() { look(t, root) }, nil, ""},
	} {
		test.do()
		paths, patch := since(t, changes.BaseLook, root)
		if !reflect.DeepEqual(paths, test.paths) || !strings.Contains(patch, test.patch) {
			t.Errorf("%s: %v\n%s", test.what, paths, patch)
		}
	}
}

func TestAWorktreeIsComparedWithItsBranchOrItsLastCommit(t *testing.T) {
	root := repository(t)
	made, err := worktree.Prepare(t.Context(), root, worktree.Options{Environ: environ()})
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, agent := range []string{"cc_1", "cc_2"} {
		added, err := made.Add(t.Context(), "web", agent)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, added.Dir)
	}
	if err := made.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := dirs[0], dirs[1]
	write(t, first, "edited", "first\n")
	gittest.Run(t, first, nil, "commit", "--quiet", "--all", "--message=first")
	write(t, first, "kept", "mine\n")
	write(t, second, "edited", "second\n")
	if paths, _ := since(t, changes.BaseCommit, first); !reflect.DeepEqual(paths, []string{"kept"}) {
		t.Errorf("since the last commit: %v", paths)
	}
	if paths, _ := since(t, changes.BaseBranch, first); !reflect.DeepEqual(paths, []string{"kept", "edited"}) {
		t.Errorf("since it left its branch: %v", paths)
	}
	for _, tree := range read(t, root, first, second) {
		for i := range tree.Files {
			f := &tree.Files[i]
			if shared := f.Path == "edited"; shared != (len(f.Also) == 1) || shared && f.Also[0] == tree.Name() {
				t.Errorf("%s in %s changed also in %v", f.Path, tree.Name(), f.Also)
			}
		}
	}
}

func TestABranchIsPushedToItsRemote(t *testing.T) {
	root := repository(t)
	if _, err := changes.Push(t.Context(), root, environ()); !core.AsError(err).HasCode(core.RemoteNotFound) {
		t.Errorf("without a remote: %v", err)
	}
	other := filepath.Join(t.TempDir(), "origin.git")
	gittest.Run(t, root, nil, "init", "--quiet", "--bare", other)
	gittest.Run(t, root, nil, "remote", "add", "origin", other)
	want := changes.Pushed{Remote: "origin", Branch: "main"}
	if pushed, err := changes.Push(t.Context(), root, environ()); err != nil || pushed != want {
		t.Fatalf("%+v, %v", pushed, err)
	}
	there := gittest.Run(t, other, nil, "rev-parse", "main")
	if here := gittest.Run(t, root, nil, "rev-parse", "main"); here != there {
		t.Errorf("the remote has %s", there)
	}
	write(t, root, "edited", "other\n")
	gittest.Run(t, root, nil, "commit", "--quiet", "--all", "--amend", "--message=another")
	if _, err := changes.Push(t.Context(), root, environ()); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("what is there would be overwritten: %v", err)
	}
	gittest.Run(t, root, nil, "checkout", "--quiet", "--detach")
	if _, err := changes.Push(t.Context(), root, environ()); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("without a branch: %v", err)
	}
}

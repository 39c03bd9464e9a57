package gittest_test

import (
	"path/filepath"
	"testing"

	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

func TestACopyIsTheRepositoryItself(t *testing.T) {
	laid := 0
	lay := gittest.Copied(func(t testing.TB, dir string) {
		t.Helper()
		laid++
		gittest.Run(t, dir, nil, "init", "-q", "-b", "main")
		if err := shelltest.WriteProgram(filepath.Join(dir, "run.sh"), []byte("true\n")); err != nil {
			t.Fatal(err)
		}
		gittest.Run(t, dir, nil, "add", "run.sh")
		gittest.Run(t, dir, nil, "commit", "-q", "-m", "begin")
	})
	heads := map[string]bool{}
	for range 2 {
		dir := t.TempDir()
		lay(t, dir)
		if got := gittest.Run(t, dir, nil, "status", "--porcelain"); got != "" {
			t.Errorf("the copy was changed: %s", got)
		}
		if got := gittest.Run(t, dir, nil, "fsck", "--strict"); got != "" {
			t.Errorf("git says %s", got)
		}
		heads[gittest.Run(t, dir, nil, "rev-parse", "main")] = true
	}
	if laid != 1 || len(heads) != 1 {
		t.Errorf("it was made %d times, with the commits %v", laid, heads)
	}
}

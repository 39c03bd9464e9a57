package worktree

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestWorktreesHavePortsOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	file := portsOf(filepath.Join(dir, "state", "ports"))
	tops := make([]string, 60)
	bases := make([]int, len(tops))
	var all sync.WaitGroup
	for i := range tops {
		tops[i] = filepath.Join(dir, "tree"+strconv.Itoa(i))
		if err := os.Mkdir(tops[i], 0o700); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			base, err := file.base(t.Context(), tops[i])
			if err != nil {
				t.Error(err)
			}
			bases[i] = base
		})
	}
	all.Wait()
	seen := map[int]bool{}
	for i, base := range bases {
		if base < firstPort || base+portsEach-1 > lastPort || base%portsEach != 0 || seen[base] {
			t.Errorf("%s has %d", tops[i], base)
		}
		seen[base] = true
		if again, err := file.base(t.Context(), tops[i]); err != nil || again != base {
			t.Errorf("%s had %d, and has %d, %v", tops[i], base, again, err)
		}
	}
	if err := os.Remove(tops[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := file.base(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(string(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 || strings.Contains(string(text), tops[0]+`"`) {
		t.Errorf("a worktree that is gone keeps its ports: %s", text)
	}
}

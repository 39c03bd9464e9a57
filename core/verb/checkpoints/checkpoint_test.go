package checkpoints

import (
	"path/filepath"
	"sync"
	"testing"

	"cupola/core/config/recipe"
	"cupola/core/record/checkpoint"
)

func TestConcurrentCheckpointsHaveOwnNames(t *testing.T) {
	const many = 20
	root := filepath.Join(t.TempDir(), "checkpoints")
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			draft, err := beginCheckpoint(root, "", "api-20260131-120000")
			if err != nil {
				t.Error(err)
				return
			}
			defer draft.Discard()
			if err := draft.Commit(&checkpoint.Checkpoint{
				Session: "api",
				Recipe:  recipe.Recipe{Panes: []recipe.Pane{{Kind: "claude"}}},
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made, err := checkpoint.List(root); err != nil || len(made) != many {
		t.Errorf("%d checkpoints, %v", len(made), err)
	}
}

package tmux

import (
	"slices"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/tmux/ahead"
)

func TestWhatIsAskedAheadIsWhatAStatusAsks(t *testing.T) {
	want := flatten(listCommands(engine.WithCommand | engine.WithActivity | engine.Brief))
	if !slices.Equal(ahead.Question, want) {
		t.Errorf("ahead asks\n%q, a status\n%q", ahead.Question, want)
	}
}

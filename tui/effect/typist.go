package effect

import (
	"context"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/tui/intent"
)

// typist presses keys in panes, in the order in which they were asked for. The zero value is ready.
type typist struct {
	// writing is held while keys are pressed.
	writing sync.Mutex

	mu    sync.Mutex
	queue []intent.Press
}

// add takes keys, and returns the command that presses them with all that were taken by then.
func (t *typist) add(ctx context.Context, w intent.Press,
	press func(context.Context, deliver.KeysRequest) error,
) tea.Cmd {
	t.mu.Lock()
	t.queue = append(t.queue, w)
	t.mu.Unlock()
	return func() tea.Msg {
		t.writing.Lock()
		defer t.writing.Unlock()
		t.mu.Lock()
		queue := t.queue
		t.queue = nil
		t.mu.Unlock()
		for len(queue) > 0 {
			to := queue[0].Target
			var keys []string
			for len(queue) > 0 && queue[0].Target == to {
				keys = append(keys, strings.Fields(queue[0].Keys)...)
				queue = queue[1:]
			}
			request := deliver.KeysRequest{Target: resolve.Target{Session: word(to)}, Keys: keys}
			if err := press(ctx, request); err != nil {
				return Done{Intent: w, Err: err}
			}
		}
		return nil
	}
}

package run_test

import (
	"context"
	"testing"

	"cupola/core/run"
)

// A running run that was asked to pause keeps running once it is resumed; one without that request is left alone.
func TestResumingARunningRunWithdrawsItsPause(t *testing.T) {
	head, paused := run.Head{ID: "a", State: run.Running}, false
	c := &run.Control{
		Kind: run.Story, Held: func(string) bool { return false },
		Load:    func(context.Context, string) (run.Head, error) { return head, nil },
		Pause:   func(context.Context, string) error { paused = true; return nil },
		Unpause: func(context.Context, string) error { paused = false; return nil },
		Resume:  func(context.Context, string) error { t.Error("a second process takes it up"); return nil },
	}
	if h, err := c.Get(t.Context(), "a", run.Paused); err != nil || h.State != run.Running || !paused {
		t.Fatalf("%v, %v: asked to pause: %v", h.State, err, paused)
	}
	if h, err := c.Get(t.Context(), "a", run.Running); err != nil || h.State != run.Running || paused {
		t.Errorf("%v, %v: asked to pause: %v", h.State, err, paused)
	}
}

package relays

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/verb/verbtest"
)

func TestAPersonSeesTheStateOfEachBackend(t *testing.T) {
	now := verbtest.Noon
	shown := ""
	w := &relayWaiting{
		report: func(at core.Progress) { shown = at.Message }, human: true, now: func() time.Time { return now },
		backends: []*awaited{{name: "claude", state: awaitedThinks, began: now}, {name: "codex", began: now}},
	}
	for _, step := range []struct {
		after time.Duration
		name  string
		event relay.Event
		want  string
	}{
		{0, "codex", relay.Event{Type: stream.Text}, "claude thinking 0s | codex writing 0s"},
		{
			2 * time.Second, "claude",
			relay.Event{Tool: "Read", Usage: &stream.Usage{Input: 1000, Output: 234}},
			"claude uses Read 2s, 1 234 tokens | codex writing 2s",
		},
		{time.Second, "codex", relay.Event{Type: stream.Failed}, "claude uses Read 3s, 1 234 tokens | codex failed 3s"},
		{
			time.Second, "claude",
			relay.Event{Type: stream.Done},
			"claude done 4s, 1 234 tokens | codex failed 3s",
		},
	} {
		now = now.Add(step.after)
		w.heard(step.name, step.event)
		w.show()
		if shown != step.want {
			t.Errorf("got %q, want %q", shown, step.want)
		}
	}
	w.report = nil
	w.show()
}

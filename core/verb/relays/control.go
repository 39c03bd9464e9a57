package relays

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
)

// Control acts on relays. A started one cannot be paused, and one that has ended cannot be resumed: nothing of it is
// left but its answer. One that was cut off while it waited for a usage limit is resumed, and a panel with rounds left.
func Control(env *verb.Local) *run.Control {
	directory := Directory(env)
	return &run.Control{
		Kind: run.Relay, Held: directory.Held,
		Load: func(_ context.Context, id string) (run.Head, error) {
			record, err := directory.Load(id)
			if err != nil {
				return run.Head{}, err
			}
			return record.Head(), nil
		},
		Resume: func(ctx context.Context, id string) error {
			record, err := directory.Load(id)
			if err != nil {
				return err
			}
			if !record.Resumable() {
				return &core.Error{
					Code: core.Conflict, Subject: core.Subject{Run: id},
					Message: "a relay cannot be resumed, unless it was cut off while it waited at a usage limit, or " +
						"it is a panel with --rank or --chair that was cut off",
				}
			}
			return directory.Detach(ctx, record, env.Self, "--robot-format=json", "relay", "--resume="+id)
		},
		Cancel: func(ctx context.Context, id string) error {
			_, err := directory.Cancel(ctx, id)
			return err
		},
		Events: func(_ context.Context, id string, cursor int64) ([]run.Event, int64, error) {
			events, next, err := directory.Events(id, cursor)
			if err != nil {
				return nil, cursor, core.FileError("read the relay", err)
			}
			all := make([]run.Event, len(events))
			for i := range events {
				e := &events[i]
				all[i] = run.Event{
					Type: string(e.Type), About: strings.TrimSpace(e.Tool + " " + e.Status), Text: e.Text,
				}
			}
			return all, next, nil
		},
		Remove: directory.Remove,
	}
}

// Show returns a relay with its answer, as far as it has come.
func Show(env *verb.Local, word string) (*Answer, error) {
	directory := Directory(env)
	record, err := directory.Find(word)
	if err != nil {
		return nil, err
	}
	untilNow(record, env.Now())
	if !record.State.Ended() {
		record.Text = directory.SoFar(record.ID)
	}
	return &Answer{Record: *record}, nil
}

// shownOf is the answer about the relay that a word names.
func shownOf(env *verb.Local, word string) (RelayOut, error) {
	answer, err := Show(env, word)
	if err != nil {
		return RelayOut{}, err
	}
	return RelayOut{Results: []Answer{*answer}}, nil
}

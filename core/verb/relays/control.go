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
	book := Book(env)
	return &run.Control{
		Kind: run.Relay, Held: book.Held,
		Load: func(_ context.Context, id string) (run.Head, error) {
			record, err := book.Load(id)
			if err != nil {
				return run.Head{}, err
			}
			return record.Head(), nil
		},
		Resume: func(ctx context.Context, id string) error {
			record, err := book.Load(id)
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
			return book.Detach(ctx, record, env.Self, "--robot-format=json", "relay", "--resume="+id)
		},
		Cancel: func(ctx context.Context, id string) error {
			_, err := book.Cancel(ctx, id)
			return err
		},
		Events: func(_ context.Context, id string, cursor int64) ([]run.Event, int64, error) {
			events, next, err := book.Events(id, cursor)
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
		Remove: book.Remove,
	}
}

// Show returns a relay with its answer, as far as it has come.
func Show(env *verb.Local, word string) (*Answer, error) {
	book := Book(env)
	record, err := book.Find(word)
	if err != nil {
		return nil, err
	}
	untilNow(record, env.Now())
	if !record.State.Ended() {
		record.Text = book.SoFar(record.ID)
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

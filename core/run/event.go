package run

import (
	"context"
	"time"

	"cupola/core"
)

// Event is one thing that happened in a run, in the form that all kinds have.
type Event struct {
	_  struct{}  `minimal:"type,about_text,text" standard:"at,type,about_text,text"`
	At time.Time `json:"at,omitzero" table:"TIME,dim,ago"`
	// Type is a word of the kind, such as text, message, verify or step_end.
	Type string `json:"type" table:"WHAT"`
	// About is its subject: a tool, an agent and whom it wrote to, a story, a step; empty for the run itself.
	About string `json:"about_text,omitempty" table:"ABOUT,strong"`
	Text  string `json:"text,omitempty" table:"TEXT,oneline,flex"`
}

// followEvery is how often Follow and Wait read a run.
const followEvery = 100 * time.Millisecond

// Follow passes the events of a run to emit as they come, until it has ended, emit fails or ctx ends. Load reads the
// record and reports whether the run has ended, and events returns the events behind a cursor with the cursor behind
// those. The record is read first: what came before the end is on file then.
func Follow[E any](
	ctx context.Context, load func() (ended bool, err error), events func(cursor int64) ([]E, int64, error),
	emit func(*E) error,
) error {
	for cursor := int64(0); ; {
		ended, err := load()
		if err != nil {
			return err
		}
		found, next, err := events(cursor)
		if err != nil {
			return err
		}
		cursor = next
		for i := range found {
			if err := emit(&found[i]); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		if err := core.Sleep(ctx, followEvery); err != nil {
			return err
		}
	}
}

// Follow passes the events of a run to emit as they come, and until when it waits at usage limits, until it has
// ended, emit fails or ctx ends. It returns the run as it was last.
func (c *Control) Follow(ctx context.Context, id string, emit func(Event) error) (h Head, err error) {
	var until time.Time
	err = Follow(ctx, func() (ended bool, err error) {
		if h, err = c.Load(ctx, id); err != nil {
			return false, err
		}
		return c.over(&h), nil
	}, func(cursor int64) ([]Event, int64, error) {
		all, next, err := c.Events(ctx, id, cursor)
		if err == nil && !h.Until.Equal(until) && !h.Until.IsZero() {
			all = append(all, Event{At: time.Now().UTC(), Type: AtLimit, Text: h.Awaits(time.Now())})
		}
		until = h.Until
		return all, next, err
	}, func(e *Event) error { return emit(*e) })
	return h, err
}

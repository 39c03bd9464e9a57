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

// followEvery is how often Follow reads what is new.
const followEvery = 100 * time.Millisecond

// Follow passes the events of a run to emit as they come, and until when it waits at usage limits, until it has
// ended, emit fails or ctx ends. It returns the run as it was last.
func (c *Control) Follow(ctx context.Context, id string, emit func(Event) error) (Head, error) {
	var until time.Time
	for cursor := int64(0); ; {
		// The record is read first: what came before its end is on file then.
		h, err := c.Load(ctx, id)
		if err != nil {
			return h, err
		}
		events, next, err := c.Events(ctx, id, cursor)
		if err != nil {
			return h, err
		}
		cursor = next
		for i := range events {
			if err := emit(events[i]); err != nil {
				return h, err
			}
		}
		if h.State.Ended() {
			return h, nil
		}
		if !h.Until.Equal(until) && !h.Until.IsZero() {
			if err := emit(Event{At: time.Now().UTC(), Type: AtLimit, Text: h.Awaits(time.Now())}); err != nil {
				return h, err
			}
		}
		until = h.Until
		if err := core.Sleep(ctx, followEvery); err != nil {
			return h, err
		}
	}
}

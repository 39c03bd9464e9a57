package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cupola/core"
)

// OutcomeOpen is the outcome of a delivery without a result: it goes on, or its process
// ended before it recorded one.
const OutcomeOpen = "open"

// Prompt is a text that was sent to panes.
type Prompt struct {
	ID string
	At time.Time
	// Server is the path of the terminal server's socket.
	Server  string
	Session string
	// Origin says which act or face it came from.
	Origin  string
	Tracked bool
	Text    string
	// Bytes is the length of Text.
	Bytes int
	// Deliveries are in the order in which the panes were named.
	Deliveries []Delivery
}

// Delivery is what became of a prompt at one pane.
type Delivery struct {
	Session string
	Ordinal int
	Pane    core.PaneID
	Agent   string
	Kind    core.Kind
	// Outcome is OutcomeOpen or what fleet calls it; empty is OutcomeOpen.
	Outcome string
	Why     string
	// Evidence says in words what was seen.
	Evidence string
	Enters   int
	Elapsed  time.Duration
	// At is when it ended; zero while open.
	At time.Time
}

const (
	promptColumns   = "id, at, server, session, origin, tracked, bytes, text"
	deliveryColumns = "session, ordinal, pane, agent, kind, outcome, why, evidence, enters, elapsed_ms, at"
)

// SavePrompt records a prompt before it is sent, with the panes that it goes to.
func (s *Store) SavePrompt(ctx context.Context, p Prompt) error {
	return s.write(ctx, "record the prompt", func(tx *sql.Tx) error {
		row, err := tx.ExecContext(ctx,
			into("prompts", promptColumns),
			p.ID, millis(p.At), p.Server, p.Session, p.Origin, p.Tracked, len(p.Text), p.Text)
		if err != nil {
			return err
		}
		seq, err := row.LastInsertId()
		if err != nil {
			return err
		}
		for place := range p.Deliveries {
			if err := insertDelivery(ctx, tx, seq, place, &p.Deliveries[place]); err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveDeliveries records what became of a prompt at some of its panes. A prompt
// that is not on record is NotFound.
func (s *Store) SaveDeliveries(ctx context.Context, id string, deliveries []Delivery) error {
	err := s.write(ctx, "record the deliveries", func(tx *sql.Tx) error {
		var seq int64
		var places int
		err := tx.QueryRowContext(ctx,
			"SELECT seq, (SELECT count(*) FROM deliveries WHERE prompt = seq) FROM prompts WHERE id = ?", id).Scan(&seq,
			&places)
		if errors.Is(err, sql.ErrNoRows) {
			return unknownPrompt(id)
		}
		if err != nil {
			return err
		}
		for i := range deliveries {
			d := &deliveries[i]
			row, err := tx.ExecContext(ctx,
				"UPDATE deliveries SET outcome = ?, why = ?, evidence = ?, enters = ?, elapsed_ms = ?, at = ? WHERE "+
					"prompt = ? AND pane = ?",
				d.outcome(), d.Why, d.Evidence, d.Enters, d.Elapsed.Milliseconds(), millis(d.At), seq, string(d.Pane))
			if err != nil {
				return err
			}
			if n, err := row.RowsAffected(); err != nil || n > 0 {
				continue
			}
			if err := insertDelivery(ctx, tx, seq, places, d); err != nil {
				return err
			}
			places++
		}
		return nil
	})
	if err == nil {
		s.tidy(ctx)
	}
	return err
}

// Prompt returns a prompt with its deliveries; NotFound if it is not on record.
func (s *Store) Prompt(ctx context.Context, id string) (Prompt, error) {
	page, err := s.Prompts(ctx, PromptQuery{ID: id, Limit: 1})
	if err == nil && len(page.Prompts) == 0 {
		err = unknownPrompt(id)
	}
	if err != nil {
		return Prompt{}, err
	}
	return page.Prompts[0], nil
}

func unknownPrompt(id string) error {
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no prompt %q is on record", id),
		Remedies: []core.Remedy{core.RemedyListPrompts},
	}
}

func insertDelivery(ctx context.Context, tx *sql.Tx, prompt int64, place int, d *Delivery) error {
	_, err := tx.ExecContext(ctx, into("deliveries", "prompt, place, "+deliveryColumns),
		prompt, place, d.Session, d.Ordinal, string(d.Pane), d.Agent, string(d.Kind),
		d.outcome(), d.Why, d.Evidence, d.Enters, d.Elapsed.Milliseconds(), millis(d.At))
	return err
}

func (d *Delivery) outcome() string {
	if d.Outcome == "" {
		return OutcomeOpen
	}
	return d.Outcome
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"cupola/core"
)

// Prompts is the part of a store that holds prompts and what became of them.
type Prompts struct{ in file }

// PromptsIn returns the prompts of a store.
func PromptsIn(s *Store) Prompts { return Prompts{s} }

// Save records a prompt before it is sent, with the panes that it goes to.
func (l Prompts) Save(ctx context.Context, p core.Prompt) error {
	return l.in.write(ctx, "record the prompt", func(tx *sql.Tx) error {
		row, err := tx.ExecContext(ctx, into("prompts", promptColumns), promptFields(&p)...)
		if err != nil {
			return err
		}
		seq, err := row.LastInsertId()
		if err != nil {
			return err
		}
		for position := range p.Deliveries {
			if err := insertDelivery(ctx, tx, seq, position, &p.Deliveries[position]); err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveDeliveries records the results of a prompt at some of its panes. A prompt that is not
// on record is NotFound.
func (l Prompts) SaveDeliveries(ctx context.Context, id string, deliveries []core.Delivery) error {
	return l.in.save(ctx, "record the deliveries", func(tx *sql.Tx) error {
		var seq int64
		var count int
		err := tx.QueryRowContext(ctx,
			"SELECT seq, (SELECT count(*) FROM deliveries WHERE prompt = seq) FROM prompts WHERE id = ?", id).Scan(&seq,
			&count)
		if errors.Is(err, sql.ErrNoRows) {
			return unknownPrompt(id)
		}
		if err != nil {
			return err
		}
		for i := range deliveries {
			d := &deliveries[i]
			row, err := tx.ExecContext(ctx,
				"UPDATE deliveries SET ("+resultColumns+") = (?, ?, ?, ?, ?, ?) WHERE prompt = ? AND pane = ?",
				append(resultFields(&d.Result), seq, d.Pane)...)
			if err != nil {
				return err
			}
			if n, err := row.RowsAffected(); err != nil || n > 0 {
				continue
			}
			if err := insertDelivery(ctx, tx, seq, count, d); err != nil {
				return err
			}
			count++
		}
		return nil
	})
}

// One returns a prompt with its deliveries; NotFound if it is not on record.
func (l Prompts) One(ctx context.Context, id string) (core.Prompt, error) {
	page, err := l.Find(ctx, PromptQuery{ID: id, Limit: 1})
	if err == nil && len(page.Prompts) == 0 {
		err = unknownPrompt(id)
	}
	if err != nil {
		return core.Prompt{}, err
	}
	return page.Prompts[0], nil
}

func unknownPrompt(id string) error {
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no prompt %q is on record", id),
		Remedies: []core.Remedy{core.RemedyListPrompts},
	}
}

func insertDelivery(ctx context.Context, tx *sql.Tx, prompt int64, position int, d *core.Delivery) error {
	_, err := tx.ExecContext(ctx, into("deliveries", "prompt, place, "+deliveryColumns),
		append([]any{prompt, position}, deliveryFields(d)...)...)
	return err
}

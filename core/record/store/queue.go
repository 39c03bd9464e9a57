package store

import (
	"context"
	"database/sql"

	"cupola/core"
)

// Queue is the part of a store that holds the prompts that wait until their agents are idle.
type Queue struct{ in file }

// QueueIn returns the queued prompts of a store.
func QueueIn(s *Store) Queue { return Queue{s} }

const queueColumns = "id, owner, " + paneColumns + ", at, origin, text, command, sent, outcome, why, evidence"

func queueFields(p *core.QueuedPrompt, result *core.Result) []any {
	fields := append([]any{&p.ID, &p.Owner}, paneFields(&p.PaneRef)...)
	return append(fields, when(&p.At), &p.Origin, &p.Text, &p.Command, &p.Sent, &result.Outcome, &result.Why,
		evidence(result))
}

const queuedOf = "SELECT " + queueColumns + " FROM queue WHERE server = ?"

// scanQueued reads a row; numberQueued gives each its position.
func scanQueued(row *sql.Rows) (p core.QueuedPrompt, err error) {
	var result core.Result
	err = row.Scan(queueFields(&p, &result)...)
	p.Outcome, p.Why, p.Evidence = result.Outcome, result.Why, result.Evidence
	return p, err
}

func numberQueued(prompts []core.QueuedPrompt) []core.QueuedPrompt {
	for i := range prompts {
		prompts[i].Position = 1
		if i > 0 && prompts[i-1].Owner == prompts[i].Owner {
			prompts[i].Position = prompts[i-1].Position + 1
		}
	}
	return prompts
}

// All returns the queued prompts of a server, each owner's in their order.
func (q Queue) All(ctx context.Context, server string) ([]core.QueuedPrompt, error) {
	found, err := list(ctx, q.in, "read the queue", scanQueued, queuedOf+" ORDER BY owner, place", server)
	return numberQueued(found), err
}

// Change replaces the queued prompts of an owner by those that change returns for them, in their order, in one
// transaction. Those with another owner become the last ones of that. An error of change changes nothing, and is
// returned.
func (q Queue) Change(ctx context.Context, server, owner string,
	change func([]core.QueuedPrompt) ([]core.QueuedPrompt, error),
) error {
	var refused error
	err := q.in.write(ctx, "change the queue", func(tx *sql.Tx) error {
		found, err := rowsOf(ctx, tx, scanQueued, queuedOf+" AND owner = ? ORDER BY place", server, owner)
		if err != nil {
			return err
		}
		var after []core.QueuedPrompt
		if after, refused = change(numberQueued(found)); refused != nil {
			return refused
		}
		const theirs = " FROM queue WHERE server = ? AND owner = ?"
		if _, err := tx.ExecContext(ctx, "DELETE"+theirs, server, owner); err != nil {
			return err
		}
		for i := range after {
			p, place := &after[i], i
			if p.Owner != owner {
				last := tx.QueryRowContext(ctx, "SELECT coalesce(max(place), -1) + 1"+theirs, server, p.Owner)
				if err := last.Scan(&place); err != nil {
					return err
				}
			}
			result := core.Result{Outcome: p.Outcome, Why: p.Why, Evidence: p.Evidence}
			_, err := tx.ExecContext(ctx, into("queue", "server, place, "+queueColumns),
				append([]any{server, place}, queueFields(p, &result)...)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if refused != nil {
		return refused
	}
	return err
}

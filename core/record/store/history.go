package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"cupola/core"
)

// PromptQuery selects prompts. Its zero value is all of them.
type PromptQuery struct {
	// ID names one prompt.
	ID string
	// Server excludes prompts to the panes of other servers.
	Server string
	// Session, Panes and Kinds select prompts by their panes. A pane is an address, an
	// engine's id, an agent's name or an ordinal.
	Session string
	Panes   []string
	Kinds   []core.Kind
	// OpenAt names a pane whose delivery of the prompt is open; empty is any prompt.
	OpenAt core.PaneID
	// Except names sessions; prompts that went to no other session are excluded.
	Except []string
	// Since excludes older prompts.
	Since time.Time
	// Last limits the result to the newest ones; 0 is all.
	Last int
	// Limit and Offset paginate those; a Limit of 0 is all.
	Limit, Offset int
}

// PromptPage is one page of the results of a query.
type PromptPage struct {
	// Prompts are the newest first.
	Prompts []core.Prompt
	// Total counts all results of the query.
	Total int
}

// condition is the query as SQL over prompts.
func (q *PromptQuery) condition() (where string, args []any) {
	all := []string{"true"}
	add := func(clause string, values ...any) {
		all, args = append(all, clause), append(args, values...)
	}
	if q.ID != "" {
		add("id = ?", q.ID)
	}
	if q.Server != "" {
		add("server = ?", q.Server)
	}
	if !q.Since.IsZero() {
		add("at >= ?", millis(q.Since))
	}
	if q.OpenAt != "" {
		add("EXISTS (SELECT 1 FROM deliveries d WHERE d.prompt = seq AND d.pane = ? AND d.outcome = ?)",
			q.OpenAt, core.Open)
	}
	var values []any
	if at := q.at(&values); len(at) > 0 {
		add("EXISTS (SELECT 1 FROM deliveries d WHERE d.prompt = seq AND "+strings.Join(at, " AND ")+")", values...)
	}
	return strings.Join(all, " AND "), args
}

// selection is the numbers of the prompts that the query finds.
func (q *PromptQuery) selection() (query string, args []any) {
	where, args := q.condition()
	query = "SELECT seq FROM prompts WHERE " + where
	if q.Last > 0 {
		query, args = query+" ORDER BY seq DESC LIMIT ?", append(args, q.Last)
	}
	return query, args
}

// Find returns the prompts that a query finds, the newest first.
func (l Prompts) Find(ctx context.Context, q PromptQuery) (PromptPage, error) {
	page := PromptPage{Prompts: []core.Prompt{}}
	err := l.in.read(ctx, "read the history", func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // it only read
		chosen, args := q.selection()
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM ("+chosen+")", args...).Scan(&page.Total); err != nil {
			return err
		}
		chosen = "SELECT seq FROM (" + chosen + ") ORDER BY seq DESC LIMIT ? OFFSET ?"
		args = append(args, q.limit(), q.Offset)
		page.Prompts, err = readPrompts(ctx, tx, chosen, args)
		return err
	})
	return page, err
}

// limit is the most rows of a page; less than 0 is all.
func (q *PromptQuery) limit() int {
	if q.Limit == 0 {
		return -1
	}
	return q.Limit
}

// readPrompts reads the prompts whose numbers a query gives, and then their
// deliveries, in two questions.
func readPrompts(ctx context.Context, tx *sql.Tx, chosen string, args []any) ([]core.Prompt, error) {
	index := map[int64]int{}
	prompts, err := rowsOf(ctx, tx, func(row *sql.Rows) (p core.Prompt, err error) {
		var seq int64
		err = row.Scan(append([]any{&seq}, promptFields(&p)...)...)
		index[seq] = len(index)
		return p, err
	}, "SELECT seq, "+promptColumns+" FROM prompts WHERE seq IN ("+chosen+") ORDER BY seq DESC", args...)
	if err != nil || len(prompts) == 0 {
		return prompts, err
	}
	_, err = rowsOf(ctx, tx, func(row *sql.Rows) (d core.Delivery, err error) {
		var seq int64
		err = row.Scan(append([]any{&seq}, deliveryFields(&d)...)...)
		p := &prompts[index[seq]]
		p.Deliveries = append(p.Deliveries, d)
		return d, err
	}, "SELECT prompt, "+deliveryColumns+" FROM deliveries WHERE prompt IN ("+chosen+") ORDER BY prompt, place",
		args...)
	return prompts, err
}

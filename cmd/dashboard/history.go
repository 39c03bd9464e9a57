package dashboard

import (
	"context"

	"cupola/core/record/store"
	"cupola/tui/intent"
	"cupola/tui/screen/history"
)

// maxRecalled is the most prompts that the dashboard lists.
const maxRecalled = 500

// history returns for the dashboard what was sent to a pane or session of a server.
func (d *Dashboard) history(ctx context.Context, server string, about intent.Target) (history.Sent, error) {
	records, err := d.Env.Store(ctx)
	if err != nil {
		return history.Sent{}, err
	}
	query := store.PromptQuery{Server: server, Session: about.Session, Limit: maxRecalled}
	if about.Pane != "" {
		query.Panes = []string{about.Address}
	}
	found, err := store.PromptsIn(records).Find(ctx, query)
	return history.Sent{Prompts: found.Prompts, Total: found.Total}, err
}

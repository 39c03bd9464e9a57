package dashboard

import (
	"context"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/tui/intent"
)

// maxRecalled is the most prompts that the dashboard lists.
const maxRecalled = 500

// history returns for the dashboard what was sent to a pane or session of a server.
func (d *Dashboard) history(ctx context.Context, server string, about intent.Target) ([]core.Prompt, int, error) {
	records, err := d.Env.Store(ctx)
	if err != nil {
		return nil, 0, err
	}
	query := store.PromptQuery{Server: server, Session: about.Session, Limit: maxRecalled}
	if about.Pane != "" {
		query.Panes = []string{about.Address}
	}
	found, err := store.PromptsIn(records).Find(ctx, query)
	return found.Prompts, found.Total, err
}

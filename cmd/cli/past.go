package cli

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/store"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// maxRecalled is the most prompts that the dashboard lists.
const maxRecalled = 500

// past returns for the dashboard what was sent to a pane or session of a server.
func (p *program) past(ctx context.Context, server string, about intent.Target) ([]screen.Prompt, int, error) {
	records, err := p.deps.Store(ctx)
	if err != nil {
		return nil, 0, err
	}
	query := store.PromptQuery{Server: server, Session: about.Session, Limit: maxRecalled}
	if about.Pane != "" {
		query.Panes = []string{about.Address}
	}
	found, err := records.Prompts(ctx, query)
	if err != nil {
		return nil, 0, err
	}
	prompts := make([]screen.Prompt, 0, len(found.Prompts))
	for i := range found.Prompts {
		prompts = append(prompts, historyRow(&found.Prompts[i]))
	}
	return prompts, found.Total, nil
}

// historyRow returns a recorded prompt as the dashboard lists it, with its worst outcome.
func historyRow(p *store.Prompt) screen.Prompt {
	shown := screen.Prompt{At: p.At, Text: p.Text, Outcome: string(core.Delivered)}
	var to []string
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		address := core.Address(d.Session, d.Ordinal)
		to = append(to, address)
		outcome := core.Outcome(d.Outcome)
		switch {
		case outcome.Failed():
			shown.Failed, shown.Outcome = true, d.Outcome
		case d.Outcome == store.OutcomeOpen || d.Outcome == "":
			shown.Open = true
			if !shown.Failed {
				shown.Outcome = store.OutcomeOpen
			}
		case !shown.Failed && !shown.Open:
			shown.Outcome = d.Outcome
		}
		shown.Evidence = append(shown.Evidence, strings.TrimSpace(address+" "+d.Outcome+": "+d.Evidence))
	}
	shown.To = strings.Join(to, ", ")
	return shown
}

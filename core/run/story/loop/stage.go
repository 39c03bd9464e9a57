package loop

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
)

// ask lets a fresh agent work in a folder, as a crew of one, and returns what it said at its end. An agent that an
// earlier run asked is not asked again if it has answered since, or works in its pane.
func (r *execution) ask(ctx context.Context, p *story.Progress, dir, prompt string) (*orchestrator.Answer, error) {
	r.rec.mu.Lock()
	try := p.Last()
	c := &crew.Crew{
		ID: r.rec.ID, Prompt: prompt, Dir: dir, Stage: crew.Stage(r.rec.Stage), Session: r.rec.Session,
		Sandbox: r.rec.Sandbox,
		Limits:  crew.Limits{TurnTimeout: r.rec.Limits.TryTimeout, Timeout: r.rec.Limits.TryTimeout},
		Members: []crew.Member{{
			Name: fmt.Sprintf("%s-%d", r.space.label(p), try.N), Backend: r.rec.Backend, Model: r.rec.Model, Dir: dir,
		}},
	}
	asked := crew.Ask{Member: c.Members[0].Name, Prompt: prompt, State: crew.Open, Relay: try.Ask}
	r.rec.mu.Unlock()
	// Two that open a session at once would both make it.
	r.opening.Lock()
	stage, err := r.loop.Open(ctx, c)
	r.opening.Unlock()
	if err != nil {
		return nil, err
	}
	// What it keeps open matters to no answer.
	defer func() { _ = stage.Close() }()
	if crew.Stage(r.rec.Stage) == crew.Panes {
		err := r.rec.change(p, func(try *story.Try) []story.Event {
			try.Pane = c.Members[0].Session
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stage.Ask(ctx, c, orchestrator.Turn{Member: &c.Members[0], Ask: asked, Began: func(id string) error {
		return r.rec.change(p, func(try *story.Try) []story.Event {
			try.Ask = id
			return nil
		})
	}})
}

// endsRun are the failures that another try would meet too: the user has to act.
var endsRun = map[core.Code]bool{
	core.AuthFailed: true, core.CredentialMissing: true, core.RateLimited: true, core.BudgetExceeded: true,
	core.ToolNotFound: true, core.ConfigInvalid: true, core.InvalidInput: true, core.EngineUnavailable: true,
	core.Conflict: true, core.PermissionDenied: true,
}

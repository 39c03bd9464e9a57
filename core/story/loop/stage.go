package loop

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
	"cupola/core/story"
)

// ask lets a fresh agent work in a folder, as a crew of one, and returns what it said at its end. An agent that an
// earlier run asked is not asked again if it has answered since, or works in its pane.
func (r *run) ask(ctx context.Context, p *story.Progress, dir, prompt string) (*orchestrator.Answer, error) {
	r.mu.Lock()
	try := p.Last()
	c := &crew.Crew{
		ID: r.ID, Prompt: prompt, Dir: dir, Stage: crew.Stage(r.Stage), Session: r.Session, Sandbox: r.Sandbox,
		Limits: crew.Limits{TurnTimeout: r.Limits.TryTimeout, Timeout: r.Limits.TryTimeout},
		Members: []crew.Member{{
			Name: fmt.Sprintf("%s-%d", r.label(p), try.N), Backend: r.Backend, Model: r.Model, Dir: dir,
		}},
	}
	asked := crew.Ask{Member: c.Members[0].Name, Prompt: prompt, State: crew.Open, Relay: try.Ask}
	r.mu.Unlock()
	stage, err := r.loop.Open(ctx, r.Run, c)
	if err != nil {
		return nil, err
	}
	// What it keeps open matters to no answer.
	defer func() { _ = stage.Close() }()
	if crew.Stage(r.Stage) == crew.Panes {
		err := r.change(p, func(try *story.Try) []story.Event {
			try.Pane = c.Members[0].Session
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stage.Ask(ctx, c, orchestrator.Turn{Member: &c.Members[0], Ask: asked, Began: func(id string) error {
		return r.change(p, func(try *story.Try) []story.Event {
			try.Ask = id
			return nil
		})
	}})
}

// helpless are the failures that another try would meet too: somebody has to do something.
var helpless = map[core.Code]bool{
	core.AuthFailed: true, core.CredentialMissing: true, core.RateLimited: true, core.BudgetExceeded: true,
	core.ToolNotFound: true, core.ConfigInvalid: true, core.InvalidInput: true, core.EngineUnavailable: true,
	core.Conflict: true, core.PermissionDenied: true,
}

package loop

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
)

// ask lets a fresh agent work on the story, and returns its last message. After a usage limit it continues in the same
// try, perhaps on another backend.
func (w *work) ask(ctx context.Context, prompt string) (*orchestrator.Answer, error) {
	r, p := w.run, w.p
	for {
		answer, err := w.askOnce(ctx, prompt)
		if err == nil {
			return answer, nil
		}
		backend := r.backend()
		if core.AsError(err).HasCode(core.RateLimited) && !r.throttle.Stops() {
			noted := r.rec.change(p, func(try *story.Try) []story.Event {
				try.Ask = ""
				return []story.Event{{Type: story.Note, Code: core.RateLimited, Text: backend + ": " + err.Error()}}
			})
			if noted != nil {
				return nil, noted
			}
		}
		idle := r.resting()
		next, err := r.throttle.Next(ctx, backend, err)
		idle()
		if err != nil {
			return nil, err
		}
		if err := r.use(p, backend, next, "is at a usage limit"); err != nil {
			return nil, err
		}
	}
}

// backend is the one that works on the stories.
func (r *execution) backend() string {
	r.rec.mu.Lock()
	defer r.rec.mu.Unlock()
	return r.rec.Backend
}

// use lets another backend work on the stories from now on, unless another story has changed it already.
func (r *execution) use(p *story.Progress, was, next, why string) error {
	return r.rec.change(p, func(*story.Try) []story.Event {
		if next == was || r.rec.Backend != was {
			return nil
		}
		r.rec.Backend, r.rec.Model = next, ""
		return []story.Event{{Type: story.Note, Text: next + " works in place of " + was + ", which " + why}}
	})
}

// askOnce lets a fresh agent work on the story, as a crew of one, and returns what it said at its end. An agent that an
// earlier run asked is not asked again if it has answered since, or works in its pane.
func (w *work) askOnce(ctx context.Context, prompt string) (*orchestrator.Answer, error) {
	r, p, dir := w.run, w.p, w.dir()
	var environ []string
	if w.session != "" {
		environ = []string{
			agentsession.SessionVariable + "=" + w.session, agentsession.StoryVariable + "=" + p.ID,
		}
	}
	r.rec.mu.Lock()
	try := p.Last()
	c := &crew.Crew{
		ID: r.rec.ID, Prompt: prompt, Dir: dir, Stage: crew.Stage(r.rec.Stage), Session: r.rec.Session,
		Sandbox: r.rec.Sandbox,
		Limits:  crew.Limits{TurnTimeout: r.rec.Limits.TryTimeout, Timeout: r.rec.Limits.TryTimeout},
		Members: []crew.Member{{
			Name: fmt.Sprintf("%s-%d", r.space.label(p), try.N), Backend: r.rec.Backend, Model: r.rec.Model, Dir: dir,
			Env: environ,
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

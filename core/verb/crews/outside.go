package crews

import (
	"context"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// All returns the crews on record, the newest first. A machine without crews pays for a look at one
// directory.
func All(ctx context.Context, env *verb.Env) ([]crew.Crew, error) {
	book := Book(&env.Local)
	if _, err := os.Stat(book.Dir); err != nil {
		return nil, nil //nolint:nilerr // there was none
	}
	crews, err := read(ctx, env)
	if err != nil {
		return nil, err
	}
	all, err := crews.All(ctx, 0)
	for i := range all {
		book.MarkInterrupted(&all[i])
	}
	return all, err
}

// Since returns a crew with its events behind a number, and the relays that ask its agents now, by
// agent.
func Since(ctx context.Context, env *verb.Env, id string, after int64) (
	c *crew.Crew, events []crew.Event, asked map[string]string, err error,
) {
	if c, err = Load(ctx, env, id); err != nil {
		return nil, nil, nil, err
	}
	crews, err := read(ctx, env)
	if err != nil {
		return nil, nil, nil, err
	}
	if events, err = crews.Events(ctx, id, after); err != nil || c.State.Ended() || c.Stage != crew.Headless {
		return c, events, nil, err
	}
	asks, err := crews.OpenAsks(ctx, id)
	asked = map[string]string{}
	for i := range asks {
		if asks[i].Relay != "" {
			asked[asks[i].Member] = asks[i].Relay
		}
	}
	return c, events, asked, err
}

// Start starts a crew in the background: who is a recipe, or agents as role:backend separated by commas.
func Start(ctx context.Context, env *verb.Env, who, prompt string) (*crew.Crew, error) {
	in := crewRunIn{Prompt: prompt, Background: true}
	if strings.Contains(who, ":") {
		for word := range strings.SplitSeq(who, ",") {
			in.Agents = append(in.Agents, strings.TrimSpace(word))
		}
	} else {
		in.Recipe = registry.NamedScript(who)
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	out, err := in.run(ctx, env, nil)
	return out.Crew, err
}

// Say says something to a crew.
func Say(ctx context.Context, env *verb.Env, id, text string) error {
	o, err := OrchestratorOf(ctx, env)
	if err == nil {
		_, err = o.Say(ctx, id, text)
	}
	return err
}

// Stop stops a crew, and waits for that.
func Stop(ctx context.Context, env *verb.Env, id string) error {
	o, err := OrchestratorOf(ctx, env)
	if err == nil {
		_, err = o.Stop(ctx, id)
	}
	return err
}

// PauseOrGoOn pauses a crew that works, ends the pause of one that is paused, and lets any other go on in
// the background. It says which.
func PauseOrGoOn(ctx context.Context, env *verb.Env, id string) (string, error) {
	o, err := OrchestratorOf(ctx, env)
	if err != nil {
		return "", err
	}
	if !o.Book.Running(id) {
		_, err := crewResumeIn{ofCrew: ofCrew{Crew: id}, Background: true}.resume(ctx, env, nil)
		return "the crew " + id + " goes on", err
	}
	return toggle(ctx, o, id)
}

func toggle(ctx context.Context, o *orchestrator.Orchestrator, id string) (string, error) {
	asked, err := o.Crews.Control(ctx, id)
	switch {
	case err != nil:
		return "", err
	case asked == store.PauseCrew:
		return "the crew " + id + " goes on", o.Crews.Ask(ctx, id, store.GoOn)
	case asked == store.StopCrew:
		return "", core.Errorf(core.Conflict, "the crew %s is being stopped", id)
	}
	return "the crew " + id + " pauses at the end of its turn", o.Crews.Ask(ctx, id, store.PauseCrew)
}

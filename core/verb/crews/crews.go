// Package crews has the verbs of crews: agents that work on one task and talk to each other.
package crews

import (
	"context"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/verb"
)

// Directory is where the processes that run crews are on record.
func Directory(env *verb.Local) orchestrator.Directory {
	return orchestrator.Directory{Dir: env.Paths.Crews(), Index: env.Runs}
}

// orchestratorOf returns what runs crews.
func orchestratorOf(ctx context.Context, env *verb.Env) (*orchestrator.Orchestrator, error) {
	records, err := env.WriteStore(ctx)
	if err != nil {
		return nil, err
	}
	o := &orchestrator.Orchestrator{
		Crews: store.CrewsIn(records), Directory: Directory(&env.Local), Now: env.Now, Log: env.Log,
		Keep: env.Settings().Store.Age(),
	}
	o.OpenStage = func(ctx context.Context, c *crew.Crew) (orchestrator.Stage, error) {
		return Stage(ctx, env, o.Directory.Relays(c.ID), c)
	}
	return o, nil
}

// read returns the crews on record, to read from.
func read(ctx context.Context, env *verb.Env) (store.Crews, error) {
	records, err := env.Store(ctx)
	if err != nil {
		return store.Crews{}, err
	}
	return store.CrewsIn(records), nil
}

// crewsOf returns the crews that a filter chooses, the newest first.
func crewsOf(env *verb.Env, f run.Filter) ([]crew.Crew, error) {
	f.Kinds = []run.Kind{run.Crew}
	return run.Records[crew.Crew](env.Runs, f)
}

// newest is the id of the crew that began last.
func newest(env *verb.Env) (string, error) {
	all, err := crewsOf(env, run.Filter{Limit: 1})
	if err == nil && len(all) == 0 {
		err = &core.Error{
			Code: core.NotFound, Message: "no crew is on record", Actions: []string{"cupola crew-recipes"},
		}
	}
	if err != nil {
		return "", err
	}
	return all[0].ID, nil
}

// load returns a crew on record, in the state that it is in.
func load(ctx context.Context, env *verb.Env, id string) (*crew.Crew, error) {
	crews, err := read(ctx, env)
	if err != nil {
		return nil, err
	}
	c, err := crews.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	Directory(&env.Local).MarkInterrupted(c)
	return c, nil
}

// codes are the errors that all verbs of crews can have.
var codes = []core.Code{
	core.NotFound, core.StoreError, core.StoreLocked, core.MigrationFailed, core.IOError, core.PermissionDenied,
}

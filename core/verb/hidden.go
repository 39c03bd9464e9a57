package verb

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/fleet/worklog"
	"cupola/core/record/store"
)

// HiddenSessions are the names of sessions that an answer about all sessions leaves out.
type HiddenSessions []string

// HiddenNow returns the sessions of others, where the settings hide them; none where
// a session is named.
func HiddenNow(ctx context.Context, env *Env, named string) (HiddenSessions, error) {
	hidden, _, err := hiddenOf(ctx, env, named)
	return hidden, err
}

// HiddenEver is HiddenNow with the sessions that are gone, as far as events say
// whose they were.
func HiddenEver(ctx context.Context, env *Env, named string) (HiddenSessions, error) {
	hidden, there, err := hiddenOf(ctx, env, named)
	if there == nil || err != nil {
		return hidden, err
	}
	server, err := ServerOf(ctx, env)
	if err != nil {
		return nil, err
	}
	records, err := env.Store(ctx)
	if err != nil {
		return nil, err
	}
	known, err := store.SessionsIn(records).All(ctx, store.SessionQuery{Foreign: true, Server: server})
	for _, name := range known {
		if !slices.Contains(there, name) {
			hidden = append(hidden, name)
		}
	}
	return hidden, err
}

// hiddenOf returns also which sessions there are; nil where nothing is hidden. What is
// on record can be shown without a terminal server program.
func hiddenOf(ctx context.Context, env *Env, named string) (hidden HiddenSessions, there []string, err error) {
	if named != "" {
		return nil, nil, nil
	}
	f, err := env.Fleet()
	if core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		return nil, nil, nil
	}
	if err != nil || !f.Resolver.HidesForeign() {
		return nil, nil, err
	}
	sessions, err := f.Overview.Sessions(ctx)
	if core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		return nil, []string{}, nil
	}
	return sessions.Hidden, sessions.Names, err
}

// Hides reports whether a session is hidden.
func (v HiddenSessions) Hides(session string) bool { return slices.Contains(v, session) }

// Work takes out what was done there. A conflict with an agent that is shown stays.
func (v HiddenSessions) Work(w *worklog.Work) {
	if len(v) == 0 {
		return
	}
	theirs := map[string]bool{}
	for i := range w.Trees {
		t := &w.Trees[i]
		theirs[t.Root] = !slices.ContainsFunc(t.Sessions, func(name string) bool { return !v.Hides(name) })
	}
	w.Trees = slices.DeleteFunc(w.Trees, func(t worklog.WorkTree) bool { return theirs[t.Root] })
	w.Files = slices.DeleteFunc(w.Files,
		func(f worklog.FileChange) bool { return theirs[f.Tree] || v.Hides(f.Session) })
	w.Commits = slices.DeleteFunc(w.Commits,
		func(c worklog.CommitMade) bool { return theirs[c.Tree] || v.Hides(c.Session) })
	w.Conflicts = slices.DeleteFunc(w.Conflicts, func(c worklog.FileConflict) bool {
		return !slices.ContainsFunc(c.Agents, func(credit worklog.Credit) bool { return !v.Hides(credit.Session) })
	})
}

package checkpoints

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/core/verb"
	"cupola/core/verb/sessions"
)

// takeBack takes an act back, and names the session in which it started panes.
func takeBack(ctx context.Context, env *verb.Env, act *undo.Act) (started string, err error) {
	if act.Tree != nil {
		return "", conflictOf(changes.Revert(ctx, act.Tree, env.Environ))
	}
	deps, err := verb.OnFleet{}.Open(ctx, env)
	if err != nil {
		return "", err
	}
	server, _, err := deps.Fleet.Dir.Kept(ctx)
	switch {
	case err != nil:
	case server != act.Server:
		err = core.Errorf(core.Conflict, "that was on another terminal server: %s", act.Server)
	case act.Ended != nil:
		started, err = startAgain(ctx, deps, act)
	case act.Renamed != nil:
		_, err = deps.Fleet.Launcher.Rename(ctx, string(act.Renamed.ID), act.Renamed.From)
	case len(act.Queued) > 0:
		var dropped []core.QueuedPrompt
		for _, one := range act.Queued {
			one.Prompt.Owner = one.Owner
			dropped = append(dropped, one.Prompt)
		}
		err = deps.Fleet.Queue.Restore(ctx, dropped)
	case len(act.Alerts) > 0:
		err = openAgain(ctx, deps, act.Alerts)
	default:
		err = giveLabelsBack(ctx, deps, act.Labels)
	}
	return started, err
}

// conflictOf is the error of an act on a working tree, where it may be one of git.
func conflictOf(err error) error {
	if core.AsError(err).HasCode(core.InternalError) {
		return core.Errorf(core.Conflict, "it was not undone: %w", err)
	}
	return err
}

// openAgain opens dismissed alerts.
func openAgain(ctx context.Context, deps verb.OnFleet, ids []string) error {
	opened, err := deps.Fleet.Overview.ReopenAlerts(ctx, ids)
	if err == nil && len(opened) == 0 {
		return core.Errorf(core.Conflict, "its cause is gone, so there is no alert to open")
	}
	return err
}

// giveLabelsBack gives agents their former labels, pins and snoozes, where all still have those of the act.
func giveLabelsBack(ctx context.Context, deps verb.OnFleet, labels []undo.Label) error {
	for _, dry := range []bool{true, false} {
		for _, one := range labels {
			request := lifecycle.LabelRequest{Target: resolve.Target{Session: string(one.Pane)}, DryRun: dry}
			if one.Was != one.Now {
				request.Label = &one.Was
			}
			if one.WasPinned != one.NowPinned {
				request.Pin = &one.WasPinned
			}
			if !one.WasSnoozed.Equal(one.NowSnoozed) {
				request.Snooze = &one.WasSnoozed
			}
			seen, err := deps.Fleet.Labels.Set(ctx, request)
			if err != nil {
				return err
			}
			if len(seen) != 1 || seen[0].Agent != one.Agent || changedSince(&request, &one, seen[0].Before) {
				return core.Errorf(core.Conflict, "%s got another label since, or its snooze ended", one.Agent)
			}
		}
	}
	return nil
}

// changedSince reports whether what a request is to take back is no longer as its act left it.
func changedSince(request *lifecycle.LabelRequest, act *undo.Label, now lifecycle.Labelling) bool {
	return request.Label != nil && now.Label != act.Now || request.Pin != nil && now.Pinned != act.NowPinned ||
		request.Snooze != nil && !now.Snoozed.Equal(act.NowSnoozed)
}

// startAgain starts what was ended: a session, or panes of one.
func startAgain(ctx context.Context, deps verb.OnFleet, act *undo.Act) (string, error) {
	ended := act.Ended
	folders := lifecycle.Folders{Heads: ended.Heads, Trees: verb.Trees(&deps.Env.Local)}
	panes := ended.Panes
	for i := range panes {
		var err error
		if panes[i].Dir, err = folders.Find(ctx, cmp.Or(panes[i].Dir, ended.Dir)); err != nil {
			return "", err
		}
	}
	launch := lifecycle.LaunchRequest{
		Panes: panes, Resume: true, Recorded: act.At, Dir: ended.Dir, Progress: deps.Env.Progress,
	}
	if _, err := folders.Find(ctx, ended.Dir); err != nil {
		launch.Dir = panes[0].Dir
	}
	if err := sessions.Admit(deps.Env, "what was ended", ended.Session, panes, false); err != nil {
		return "", err
	}
	if err := deps.Fleet.Launcher.CheckSessions(ctx, panes); err != nil {
		return "", err
	}
	made, err := launchEnded(ctx, deps, ended, launch)
	if err != nil {
		return "", err
	}
	for i := range made.Panes {
		if lost := ended.Lost[made.Panes[i].Agent]; lost != "" {
			deps.Env.Warn(made.Panes[i].Address() + " began a new conversation: " + lost)
		}
	}
	if len(made.Unset) > 0 {
		deps.Env.Warn("the panes had variables that are not set here: " + verb.SomeOf(made.Unset))
	}
	return made.Session, nil
}

// launchEnded starts panes in the session that they were in, which is made again if it ended.
func launchEnded(ctx context.Context, deps verb.OnFleet, ended *undo.Ended, launch lifecycle.LaunchRequest,
) (*lifecycle.Launches, error) {
	if !ended.Whole {
		made, err := deps.Fleet.Launcher.Add(ctx, lifecycle.AddRequest{Session: ended.Session, Launch: launch})
		if !core.AsError(err).HasCode(core.SessionNotFound) {
			return made, err
		}
	}
	return deps.Fleet.Launcher.Spawn(ctx,
		lifecycle.SpawnRequest{Session: ended.Session, NoUserPane: true, Launch: launch})
}

package lifecycle

import (
	"context"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/engine"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/parallel"
	"cupola/core/fleet/rundir"
)

// inPanes starts the programs of a session again that were killed together with their server, each in its pane, which
// another server keeps.
func (v *revival) inPanes(ctx context.Context, ran *rundir.RanSession, places conversation.Places) Revived {
	revived := Revived{RanSession: *ran, Lost: map[string]string{}}
	made := &Launches{Session: ran.Name, ID: ran.ID, Dir: ran.Dir}
	leave := func(pane *core.Pane, err error) {
		why := core.AsError(fault.Wrap("restore", err)).Message
		revived.Left = append(revived.Left, LeftPane{pane.Ref(), pane.Process.Dir, why})
	}
	var panes []*core.Pane
	for i := range ran.Panes {
		pane := v.snapshot.Pane(ran.Panes[i].ID)
		if pane == nil {
			continue
		}
		planned, lost, err := v.planInPane(ctx, &revived, &ran.Panes[i], pane, places)
		if err != nil {
			leave(pane, err)
			continue
		}
		if lost != "" {
			revived.Lost[pane.Agent.Name] = lost
		}
		panes = append(panes, pane)
		made.Panes = append(made.Panes, planned)
	}
	if revived.Launches = made; len(panes) == 0 {
		revived.Launches = nil
		return revived
	}
	if v.request.DryRun {
		return revived
	}
	errs := make([]error, len(panes))
	parallel.Each(panes, v.request.Progress, "restore", func(i int, pane *core.Pane) {
		errs[i] = v.startInPane(ctx, pane, &made.Panes[i])
	})
	started := made.Panes[:0]
	for i := range panes {
		if errs[i] != nil {
			leave(panes[i], errs[i])
		} else {
			started = append(started, made.Panes[i])
		}
	}
	if made.Panes = started; len(started) == 0 {
		revived.Launches = nil
	}
	return revived
}

// planInPane plans to start the program of one pane again. lost is as in pane.
func (v *revival) planInPane(ctx context.Context, ran *Revived, was *rundir.RanPane, now *core.Pane,
	places conversation.Places,
) (planned Launched, lost string, err error) {
	planned = Launched{PaneRef: now.Ref(), Start: Start{Dir: now.Process.Dir}, Status: now.Status}
	as, lost, err := v.pane(ctx, ran, was, now, places)
	if err == nil && v.request.Admit != nil {
		err = v.request.Admit(ran.Name, []recipe.Pane{as})
	}
	planned.Dir, planned.Resumed = as.Dir, as.Resume
	if err != nil || now.IsUser() {
		return planned, "", err
	}
	request := v.requestOf(now, &planned)
	request.DryRun = true
	done, err := v.launcher.Restart(ctx, request)
	if err == nil && len(done) != 1 {
		err = engine.ErrNoPane
	}
	if err != nil {
		return planned, "", err
	}
	planned.Start = done[0].Start
	return planned, lost, nil
}

// requestOf returns the request that starts what was planned in its pane.
func (v *revival) requestOf(pane *core.Pane, planned *Launched) RestartRequest {
	return RestartRequest{
		Dir: planned.Dir, Fresh: planned.Resumed == "", Session: planned.Resumed, NoWait: !v.request.WaitReady,
		Timeout: v.request.Timeout, pane: pane.ID,
	}
}

// startInPane starts the program of a pane again as it was planned, and says what became of it.
func (v *revival) startInPane(ctx context.Context, pane *core.Pane, started *Launched) error {
	if pane.IsUser() {
		started.Status = observe.Undecided("it was just started")
		return v.startShell(ctx, pane, started.Dir)
	}
	done, err := v.launcher.Restart(ctx, v.requestOf(pane, started))
	if len(done) == 1 {
		started.Start, started.Status = done[0].Start, done[0].After
		if started.Status.State != core.Exited {
			return nil // it was started, if not ready in time
		}
	}
	return err
}

// startShell starts a shell again in its pane.
func (v *revival) startShell(ctx context.Context, pane *core.Pane, dir string) error {
	opts, environs := v.launcher.opts, v.launcher.environs
	held, err := opts.Dir.LockPane(ctx, pane, 0)
	if err != nil {
		return err
	}
	defer held.Release()
	u := unit{role: panetag.RoleUser, variables: environs.again(ctx, pane)}
	launch := engine.Launch{Dir: dir}
	launch.Environ, launch.Env = environs.of(pane.Session, &u)
	at, err := opts.Engine.Respawn(ctx, pane.ID, launch)
	if err == nil {
		environs.keep(ctx, at, &u.variables)
	}
	return err
}

package lifecycle

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Attach returns the command line that shows a session, or the pane with the address
// target, in the user's terminal. inside is true if it switches a terminal that already
// shows a session of the same server.
func (l *Launcher) Attach(ctx context.Context, target string) (argv []string, inside bool, err error) {
	defer func() { err = fault.Wrap("attach", err) }()
	seen, err := l.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, false, err
	}
	snapshot := seen.Snapshot
	session, single, err := resolve.Locate(snapshot, target)
	if err != nil {
		return nil, false, err
	}
	pane := core.PaneID("")
	if single != nil {
		pane = single.ID
	}
	argv = l.opts.Engine.Attach(session.ID, pane)
	return argv, slices.Contains(argv, "switch-client"), nil
}

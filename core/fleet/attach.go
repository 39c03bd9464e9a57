package fleet

import (
	"context"
	"slices"

	"cupola/core"
)

// Attach returns the command line that shows a session, or the pane that target
// is the address of, in a human's terminal. inside is true where it switches
// the terminal that already shows another session of the same server.
func (f *Fleet) Attach(ctx context.Context, target string) (argv []string, inside bool, err error) {
	defer func() { err = translate("attach", err) }()
	snapshot, err := f.outline(ctx)
	if err != nil {
		return nil, false, err
	}
	session, single, err := place(snapshot, target)
	if err != nil {
		return nil, false, err
	}
	pane := core.PaneID("")
	if single != nil {
		pane = single.ID
	}
	argv = f.engine.Attach(session.ID, pane)
	return argv, slices.Contains(argv, "switch-client"), nil
}

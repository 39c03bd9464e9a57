package fleet

import (
	"context"

	"cupola/core"
)

// Keys presses named keys in every pane that is meant, one pane after another,
// and returns the panes where they were pressed. An unknown key, a pane
// whose program has ended, or a session of several agents of which none is named is an
// error before any key is pressed.
func (f *Fleet) Keys(ctx context.Context, request KeysRequest) (pressed []SeenPane, err error) {
	defer func() { err = translate("keys", err) }()
	if len(request.Keys) == 0 {
		return nil, core.Errorf(core.MissingRequired, "no key is named")
	}
	snapshot, err := f.outline(ctx)
	if err != nil {
		return nil, err
	}
	panes, err := f.resolve(snapshot, request.Target.prompted())
	if err != nil {
		return nil, err
	}
	if target := request.Target; len(panes) > 1 && !target.narrowed() && !target.All {
		return nil, whichOf(target.Session, panes, "--all presses them in every pane, shells too")
	}
	for _, pane := range panes {
		if pane.Process.Dead {
			return nil, core.Errorf(core.NotReady, "the program of pane %s has ended, so it takes no keys", pane.Address())
		}
	}
	pressed = []SeenPane{}
	for _, pane := range panes {
		if !request.DryRun {
			if err := f.engine.Press(ctx, pane.ID, request.Keys...); err != nil {
				return pressed, err
			}
			if pane.IsAgent() {
				leaveState(ctx, &f.lookout, pane.ID, core.Status{})
			}
		}
		pressed = append(pressed, seenPane(pane))
	}
	return pressed, nil
}

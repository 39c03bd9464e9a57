package output

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Screen returns the pane at an address and its visible screen with attributes. PaneNotFound means that there is none,
// or that it closed meanwhile.
func (r *Reader) Screen(ctx context.Context, address string) (_ *core.Pane, _ *core.Screen, err error) {
	defer func() { err = fault.Wrap("capture", err) }()
	seen, err := r.opts.Observer.Select(ctx, observe.View{}, func(s *core.Snapshot) ([]*core.Pane, error) {
		_, pane, err := resolve.OnePane(s, address)
		return []*core.Pane{pane}, err
	})
	if err != nil {
		return nil, nil, err
	}
	pane := seen.Panes[0]
	captured, err := r.opts.Engine.Capture(ctx, engine.Ask{Pane: pane.ID, Escapes: true})
	if err != nil {
		return nil, nil, err
	}
	screen := core.ScreensByPane(captured)[pane.ID]
	if screen == nil {
		return nil, nil, core.Errorf(core.PaneNotFound, "pane %s went away", pane.Address())
	}
	return pane, screen, nil
}

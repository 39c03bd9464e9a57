package deliver

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Keys presses named keys in the panes of the target, one pane after another, and returns those panes. An
// unknown key, a pane whose program has ended, or a session of several agents without a named one is an error
// before any key is pressed.
func (s *Sender) Keys(ctx context.Context, request KeysRequest) (pressed []core.SeenPane, err error) {
	defer func() { err = fault.Wrap("keys", err) }()
	if len(request.Keys) == 0 {
		return nil, core.Errorf(core.MissingRequired, "no key is named")
	}
	seen, err := s.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	panes, err := s.opts.Resolver.Resolve(seen.Snapshot, request.Target.ForPrompts())
	if err != nil {
		return nil, err
	}
	if target := request.Target; len(panes) > 1 && !target.Narrowed() && !target.All {
		return nil, resolve.SeveralAgentsError(target.Session, panes, core.RemedyPressWhere)
	}
	for _, pane := range panes {
		if pane.Process.Dead {
			return nil, core.Errorf(core.NotReady, "the program of pane %s has ended, so it takes no keys",
				pane.Address())
		}
	}
	pressed = []core.SeenPane{}
	for _, pane := range panes {
		if !request.DryRun {
			if err := s.opts.Engine.Press(ctx, pane.ID, request.Keys...); err != nil {
				return pressed, err
			}
			if !pane.IsUser() {
				s.opts.Announcer.StoreState(ctx, pane.ID, core.Status{})
			}
		}
		pressed = append(pressed, pane.Seen())
	}
	return pressed, nil
}

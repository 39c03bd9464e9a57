package frames

import (
	"context"

	"cupola/core"
	"cupola/core/host"
)

// watch sends what changes until the call is cancelled. Frames that a slow link has not taken are merged.
func (c *serving) watch(ctx context.Context, call *open, request *host.Request) error {
	if c.server.Watch == nil {
		return core.Errorf(core.PermissionDenied, "nothing can be watched here")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := c.server.Watch(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		for range live.Frames {
		}
	}()
	greeted := false
	for {
		select {
		case frame, more := <-live.Frames:
			if !more {
				return live.Err()
			}
			picture := &host.Picture{Snapshot: frame.Snapshot, Screens: map[core.PaneID]*core.Screen{}}
			if request.ScreensOnly {
				picture.Snapshot = nil
				if greeted && len(frame.Screens) == 0 {
					continue
				}
			}
			greeted = true // the first one, which names the call, comes in any case
			for pane, screen := range frame.Screens {
				picture.Screens[pane] = &screen
			}
			if err := c.write(host.Response{ID: request.ID, Picture: picture}); err != nil {
				return core.Errorf(core.IOError, "send a picture: %w", err)
			}
		case panes := <-call.looks:
			live.Display(panes)
		case <-ctx.Done():
			return nil
		}
	}
}

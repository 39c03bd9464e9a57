package announce

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/wire"
)

// notifyKeeper sends a hook report to the keeper.
func (a *Announcer) notifyKeeper(ctx context.Context, pane core.PaneID, hook detect.Hook) error {
	files, err := a.opts.Dir.Files(ctx)
	if err != nil || files.None() {
		return err
	}
	g := wire.Hello{Protocol: wire.Protocol, PID: 0, Pane: pane, Hook: panetag.EncodeHook(hook)}
	keeper, err := wire.Dial(ctx, files.Socket, g, hookPace)
	if err != nil {
		return fmt.Errorf("report to the keeper: %w", err)
	}
	return keeper.Close()
}

// Kept reports whether a keeper runs, which notifies the user.
func (a *Announcer) Kept(ctx context.Context) bool {
	_, kept, err := a.opts.Dir.Kept(ctx)
	return err == nil && kept
}

// hookPace limits how long a hook waits for the keeper: the agent waits for the hook.
var hookPace = wire.Timeouts{Welcome: 200 * time.Millisecond}

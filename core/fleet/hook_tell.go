package fleet

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/detect"
)

// tellKeeper brings a hook's report to the keeper.
func (l *launcher) tellKeeper(ctx context.Context, pane core.PaneID, hook detect.Hook) error {
	if l.runtime == "" {
		return nil
	}
	info, err := l.server(ctx)
	if err != nil {
		return err
	}
	g := greeting{Protocol: protocol, PID: 0, Pane: pane, Hook: encodeHook(hook)}
	keeper, err := dial(ctx, seatOf(l.runtime, info).socket, g, hookPace)
	if err != nil {
		return fmt.Errorf("tell the keeper: %w", err)
	}
	return keeper.close()
}

// hookPace is how patient a hook is with a keeper: the agent waits for it.
var hookPace = pace{welcome: 200 * time.Millisecond}

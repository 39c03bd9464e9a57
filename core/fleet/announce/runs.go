package announce

import (
	"context"
	"path/filepath"

	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// RunsChanged reports to the keepers of a runtime directory, one a terminal server, that runs have changed. It waits
// for none, and does nothing where none runs.
func RunsChanged(ctx context.Context, runtime string) {
	if runtime == "" || rundir.CheckRuntime(runtime) != nil {
		return
	}
	sockets, _ := filepath.Glob(filepath.Join(runtime, rundir.Sockets)) // the pattern is well formed
	for _, socket := range sockets {
		keeper, err := wire.Dial(ctx, socket, wire.Hello{Protocol: wire.Protocol, Runs: true}, hookPace)
		if err == nil {
			_ = keeper.Close()
		}
	}
}

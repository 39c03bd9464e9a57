package fleettest

import (
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
)

// Hook is an edge into a state, one minute after noon.
func Hook(state core.State) detect.Hook {
	return detect.Hook{Event: "Event", State: state, At: Noon.Add(time.Minute), Session: "s"}
}

package keeper

import (
	"context"
	"testing"
	"time"

	"cupola/core/fleet/announce"
)

// One report reaches the readers of every member: of the keeper, and of those that follow it.
func TestAChangeOfRunsReachesEveryMember(t *testing.T) {
	h := houseWith(t, "api")
	ctx, stop := context.WithCancel(t.Context())
	var members []Stream
	for range 2 {
		live, err := h.open(t).Live(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, live.Stream())
	}
	defer func() {
		stop()
		for _, m := range members {
			for range m.Frames {
			}
		}
	}()
	for _, m := range members {
		<-m.Frames
	}
	for i, m := range members {
		before, more := m.Runs()
		announce.RunsChanged(t.Context(), h.dir)
		for deadline := time.After(10 * time.Second); ; _, more = m.Runs() {
			if now, _ := m.Runs(); now > before {
				break
			}
			select {
			case <-more:
			case <-deadline:
				t.Fatalf("member %d hears nothing", i)
			}
		}
	}
}

package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/fleettest"
)

// BenchmarkRecording records twelve agents in three sessions: while nothing changes, and while each has another state
// and another session of its own. It reports the bytes of one record.
func BenchmarkRecording(b *testing.B) {
	for _, busy := range []bool{false, true} {
		b.Run(map[bool]string{false: "idle", true: "busy"}[busy], func(b *testing.B) {
			dir := newDir(&fleettest.FeedEngine{Socket: "/stage"}, filepath.Join(b.TempDir(), "run"))
			at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
			snapshot := &core.Snapshot{Taken: at, EngineUp: true}
			for i := range 3 {
				session := core.Session{
					ID: core.SessionID(fmt.Sprintf("$%d", i)), Engine: core.OwnEngine, Name: fmt.Sprintf("s%d", i),
					Created: at, Dir: "/src/project",
				}
				for j := range 4 {
					session.Panes = append(session.Panes, core.Pane{
						ID: core.PaneID(fmt.Sprintf("%%o%d%d", i, j)), Session: session.Name, Ordinal: j + 1,
						Agent: core.Agent{
							Kind: "claude", Name: fmt.Sprintf("cc_%d", j+1), Recognised: "tag", Launch: "claude",
						},
						Process: core.Process{PID: 1000 + 10*i + j, Dir: "/src/project"},
					})
				}
				snapshot.Sessions = append(snapshot.Sessions, session)
			}
			round := 0
			describe := func(pane *core.Pane, _ *RanPane) RanPane {
				ran := RanPane{Dir: pane.Process.Dir, Launched: "11111111-aaaa-4000-8000-000000000001", Settled: true}
				if busy {
					ran.Named = fmt.Sprintf("22222222-aaaa-4000-8000-%012d", round)
				}
				return ran
			}
			for b.Loop() {
				round++
				snapshot.Taken = snapshot.Taken.Add(time.Millisecond)
				dir.Note(b.Context(), snapshot, nil, describe)
			}
			if info, err := os.Stat(dir.Found(b.Context()).Running); err == nil {
				b.ReportMetric(float64(info.Size()), "bytes/record")
			}
		})
	}
}

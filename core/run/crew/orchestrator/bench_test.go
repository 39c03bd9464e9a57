package orchestrator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
)

// BenchmarkCrewTurn reports what a turn costs without its backends: members answer at once, and all
// write to all. Budget: 20 ms between two turns.
func BenchmarkCrewTurn(b *testing.B) {
	for _, n := range []int{2, 10} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			dir := b.TempDir()
			s, err := store.Open(b.Context(), filepath.Join(dir, "cupola.db"), store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			stage := &script{says: func(_ context.Context, turn orchestrator.Turn) (string, error) {
				return fmt.Sprintf("a note\n@all: number %d of %s", turn.Ask.Turn, turn.Member.Name), nil
			}}
			o := &orchestrator.Orchestrator{
				Crews: store.CrewsIn(s), Now: time.Now,
				Directory: orchestrator.Directory{Dir: filepath.Join(dir, "crews")},
				OpenStage: func(context.Context, *crew.Crew) (orchestrator.Stage, error) { return stage, nil },
			}
			const turns = 50
			limits := crew.Limits{MaxTurns: turns, Timeout: time.Hour}
			wanted := make([]crew.MemberSpec, n)
			for i := range wanted {
				wanted[i] = crew.MemberSpec{Role: fmt.Sprintf("a%d.one", i), Backend: "scripted"}
			}
			for b.Loop() {
				c := &crew.Crew{
					Prompt: "the task", Dir: "/", Sandbox: "read-only", Stage: crew.Headless,
					Limits: limits,
				}
				if c.Members, err = crew.NewMembers(wanted, nil); err != nil {
					b.Fatal(err)
				}
				if err := o.New(b.Context(), c); err != nil {
					b.Fatal(err)
				}
				if c, err = o.Run(b.Context(), c.ID, orchestrator.More{}, func(crew.Event) {}); err != nil ||
					c.Turn != turns {
					b.Fatal(c, err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*turns), "ms/turn")
			b.ReportMetric(0, "ns/op")
		})
	}
}

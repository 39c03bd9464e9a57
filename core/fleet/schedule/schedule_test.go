package schedule

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
)

// stage is a schedule that runs, with the times of its acts since the beginning.
type stage struct {
	*Schedule
	acts []time.Duration
	// lasts is how long an act lasts, again when it wants the next one; 0 for never.
	lasts, again time.Duration
}

func begin(t *testing.T) *stage {
	s, started := &stage{}, time.Now()
	s.Schedule = New(time.Now, func(ctx context.Context, _ core.PaneID) (again time.Time) {
		s.acts = append(s.acts, time.Since(started))
		_ = core.Sleep(ctx, s.lasts)
		if s.again > 0 {
			again = time.Now().Add(s.again)
		}
		return again
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return s
}

// later sets the occasions and waits.
func (s *stage) later(wait time.Duration, occasions map[core.PaneID]Occasion) {
	s.Set(occasions)
	_ = core.Sleep(context.Background(), wait)
	synctest.Wait()
}

func one(at time.Time, of any) map[core.PaneID]Occasion {
	return map[core.PaneID]Occasion{"%1": {At: at, Of: of}}
}

func TestThereIsOneActForAnOccasion(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name         string
		lasts, again time.Duration
		does         func(*stage)
		want         []time.Duration
	}{
		{"one that stays the same", 0, 0, func(st *stage) {
			st.later(s, one(time.Time{}, 1))
			st.later(s, one(time.Time{}, 1))
		}, []time.Duration{0}},
		{"another one", 0, 0, func(st *stage) {
			st.later(s, one(time.Time{}, 1))
			st.later(s, one(time.Time{}, 2))
		}, []time.Duration{0, s}},
		{"each is a new one", 0, 0, func(st *stage) {
			st.later(s, one(time.Time{}, nil))
			st.later(s, one(time.Time{}, nil))
		}, []time.Duration{0, s}},
		{"the same after none", 0, 0, func(st *stage) {
			st.later(s, one(time.Time{}, 1))
			st.later(s, nil)
			st.later(s, one(time.Time{}, 1))
		}, []time.Duration{0, 2 * s}},
		{"one that is due later", 0, 0, func(st *stage) {
			st.later(5*s, one(time.Now().Add(3*s), 1))
		}, []time.Duration{3 * s}},
		{"one that ends before it is due", 0, 0, func(st *stage) {
			st.later(s, one(time.Now().Add(3*s), 1))
			st.later(5*s, nil)
		}, nil},
		{"an act that wants another", 0, 2 * s, func(st *stage) {
			st.later(5*s, one(time.Time{}, 1))
			st.later(5*s, nil)
		}, []time.Duration{0, 2 * s, 4 * s}},
		{"another one while the act runs", 3 * s, 0, func(st *stage) {
			st.later(s, one(time.Time{}, 1))
			st.later(5*s, one(time.Time{}, 2))
		}, []time.Duration{0, 3 * s}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := begin(t)
				st.lasts, st.again = c.lasts, c.again
				c.does(st)
				if !slices.Equal(st.acts, c.want) {
					t.Errorf("it acted at %v, not at %v", st.acts, c.want)
				}
			})
		})
	}
}

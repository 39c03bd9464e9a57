package health

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/verb"
)

// rateSpan is the time over which tokens a minute are counted.
const rateSpan = 5 * time.Minute

// rates are how fast agents work.
type rates struct {
	activity map[core.PaneID]float64
	output   map[core.PaneID]float64
}

// ratesOf finds out how fast agents work: what the keeper sees,
// and what the ends of their transcripts say.
func ratesOf(ctx context.Context, deps verb.OnFleet, panes []*core.Pane) (rates, error) {
	r := rates{output: map[core.PaneID]float64{}}
	if len(panes) == 0 {
		return r, nil
	}
	r.activity, _ = deps.Fleet.Overview.Activity(ctx)
	writers, err := deps.Fleet.Conversations.Writers(ctx)
	if err != nil {
		return r, err
	}
	wanted := make(map[core.PaneID]bool, len(panes))
	for _, pane := range panes {
		wanted[pane.ID] = true
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range writers {
		w := &writers[i]
		if !wanted[w.Pane] || !w.Certain || w.Record == "" {
			continue
		}
		all.Go(func() {
			if written, known := wrote(ctx, w.Kind, w.Record, deps.Env.Now()); known {
				mu.Lock()
				defer mu.Unlock()
				r.output[w.Pane] = written
			}
		})
	}
	all.Wait()
	return r, ctx.Err()
}

// wrote is how many tokens a minute an agent wrote lately.
func wrote(ctx context.Context, kind core.Kind, path string, now time.Time) (perMinute float64, known bool) {
	requests, err := usage.Recent(ctx, kind, path)
	if err != nil || len(requests) == 0 {
		return 0, false
	}
	for i := range requests {
		if at := requests[i].At; at.After(now.Add(-rateSpan)) && !at.After(now) {
			perMinute += float64(requests[i].Output) / rateSpan.Minutes()
		}
	}
	return verb.Rounded(perMinute, 1), true
}

// of is how fast one agent writes.
func (r *rates) of(pane core.PaneID) outputRate {
	return outputRate{known(r.activity, pane), known(r.output, pane)}
}

// known is a pane's rate; -1 where there is none.
func known(of map[core.PaneID]float64, pane core.PaneID) verb.MaybeNumber {
	if rate, is := of[pane]; is {
		return verb.MaybeNumber(verb.Rounded(rate, 1))
	}
	return -1
}

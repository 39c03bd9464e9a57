package measure

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

const (
	// activitySpan is the time over which new lines are counted.
	activitySpan = time.Minute
	// activityEvery is how often a keeper writes the rates while something moves.
	activityEvery = 5 * time.Second
	// activityHolds is how long written rates are valid.
	activityHolds = 3 * activityEvery
)

// ActivityMonitor counts how many lines of each agent's screen are new in a minute. Its zero value
// is ready.
type ActivityMonitor struct {
	mu      sync.Mutex
	samples map[core.PaneID][]activitySample
	still   bool
}

// activitySample is how many lines were new by a time.
type activitySample struct {
	at    time.Time
	lines int
}

// activityFile is the file that a keeper leaves for single calls.
type activityFile struct {
	At    time.Time               `json:"at"`
	Panes map[core.PaneID]float64 `json:"panes"`
}

// Note updates the monitor from a tracker.
func (p *ActivityMonitor) Note(tracker *observe.Tracker, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.samples
	counts := tracker.LineCounts()
	p.samples = make(map[core.PaneID][]activitySample, len(counts))
	for id, lines := range counts {
		samples := before[id]
		if n := len(samples); n == 0 || samples[n-1].lines > lines {
			samples = nil
		}
		if n := len(samples); n == 0 || samples[n-1].lines != lines {
			samples = append(samples, activitySample{now, lines})
		}
		p.samples[id] = samples
	}
}

// rates are the new lines a minute of each pane, and whether any moves.
func (p *ActivityMonitor) rates(now time.Time) (rates map[core.PaneID]float64, moves bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rates = make(map[core.PaneID]float64, len(p.samples))
	for id, samples := range p.samples {
		for len(samples) > 1 && !samples[1].at.After(now.Add(-activitySpan)) {
			samples = samples[1:]
		}
		p.samples[id] = samples
		rates[id] = 0
		if n := len(samples); n > 1 {
			rates[id] = float64(samples[n-1].lines-samples[0].lines) / activitySpan.Minutes()
			moves = true
		}
	}
	return rates, moves
}

// Run writes the rates to a file until ctx ends. It does not write while no screen changes.
func (p *ActivityMonitor) Run(ctx context.Context, path string, now func() time.Time) error {
	var err error
	for ; ctx.Err() == nil; _ = core.Sleep(ctx, activityEvery) {
		rates, moves := p.rates(now())
		if moves || !p.still {
			err = textfile.WriteJSON(path, activityFile{now(), rates})
		}
		p.still = !moves
	}
	return err
}

// ReadActivity returns the rates that a keeper wrote to a file, as of now: new lines a minute of
// each pane.
func ReadActivity(path string, now time.Time) (map[core.PaneID]float64, error) {
	body, err := plainfile.Read(path, plainfile.Record)
	if err != nil {
		return nil, err
	}
	var file activityFile
	if err := json.Unmarshal(body, &file); err != nil {
		return nil, err
	}
	if now.Sub(file.At) > activityHolds {
		// Nothing has moved since.
		for id := range file.Panes {
			file.Panes[id] = 0
		}
	}
	return file.Panes, nil
}

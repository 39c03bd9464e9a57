package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/plainfile"
	"cupola/core/textfile"
)

const (
	// pulseSpan is the time over which a pulse is taken.
	pulseSpan = time.Minute
	// pulseEvery is how often a keeper writes it down while something moves.
	pulseEvery = 5 * time.Second
	// pulseHolds is how long what was written down is true.
	pulseHolds = 3 * pulseEvery
)

// pulse is how many lines of each agent's screen are new in a minute, as a keeper
// sees them. Its zero value is ready.
type pulse struct {
	mu      sync.Mutex
	samples map[core.PaneID][]pulseSample
	still   bool
}

// pulseSample is how many lines were new by a moment.
type pulseSample struct {
	at    time.Time
	lines int
}

// pulseFile is what a keeper leaves for those who look once.
type pulseFile struct {
	At    time.Time               `json:"at"`
	Panes map[core.PaneID]float64 `json:"panes"`
}

// note takes in what is known of the panes.
func (p *pulse) note(m *memory, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.samples
	p.samples = make(map[core.PaneID][]pulseSample, len(m.panes))
	for id, k := range m.panes {
		samples := before[id]
		if n := len(samples); n == 0 || samples[n-1].lines > k.lines {
			samples = nil
		}
		if n := len(samples); n == 0 || samples[n-1].lines != k.lines {
			samples = append(samples, pulseSample{now, k.lines})
		}
		p.samples[id] = samples
	}
}

// rates are the new lines a minute of each pane, and whether any moves.
func (p *pulse) rates(now time.Time) (rates map[core.PaneID]float64, moves bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rates = make(map[core.PaneID]float64, len(p.samples))
	for id, samples := range p.samples {
		for len(samples) > 1 && !samples[1].at.After(now.Add(-pulseSpan)) {
			samples = samples[1:]
		}
		p.samples[id] = samples
		rates[id] = 0
		if n := len(samples); n > 1 {
			rates[id] = float64(samples[n-1].lines-samples[0].lines) / pulseSpan.Minutes()
			moves = true
		}
	}
	return rates, moves
}

// run writes the pulse down until ctx ends. While nothing moves it writes nothing.
func (p *pulse) run(ctx context.Context, path string, now func() time.Time) error {
	var err error
	for ; ctx.Err() == nil; pause(ctx, pulseEvery) {
		rates, moves := p.rates(now())
		if moves || !p.still {
			err = textfile.WriteJSON(path, pulseFile{now(), rates})
		}
		p.still = !moves
	}
	return err
}

// Pulse returns how many lines of agents' screens are new in a minute, as somebody
// who keeps the picture sees it; ok is false where nobody does.
func (f *lookout) Pulse(ctx context.Context) (rates map[core.PaneID]float64, ok bool) {
	_, kept, err := f.Kept(ctx)
	if err != nil || !kept {
		return nil, false
	}
	info, err := f.server(ctx)
	if err != nil {
		return nil, false
	}
	var file pulseFile
	body, err := plainfile.Read(seatOf(f.runtime, info).pulse, plainfile.Record)
	if err != nil || json.Unmarshal(body, &file) != nil {
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			f.log.Debug("the pulse cannot be read", "error", err)
		}
		return nil, false
	}
	if f.now().Sub(file.At) > pulseHolds {
		// Nothing has moved since.
		for id := range file.Panes {
			file.Panes[id] = 0
		}
	}
	return file.Panes, true
}

// freshLines counts the lines of a screen that the one before did not show. Where it
// scrolled, those that moved are not new.
func freshLines(before, now []string) int {
	there := make(map[string]int, len(before))
	for _, line := range before {
		there[line]++
	}
	fresh := 0
	for _, line := range now {
		switch {
		case there[line] > 0:
			there[line]--
		case line != "":
			fresh++
		}
	}
	return fresh
}

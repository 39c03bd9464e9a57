package bead

import (
	"slices"
	"time"
)

// The bases of a forecast: the time from the start of the work or, if too few items record
// that, from the item's creation.
const (
	FromStart  = "started_to_closed"
	FromMaking = "created_to_closed"
)

// fewest is how many closed items a forecast needs to be about items of one sort.
const fewest = 5

// Forecast is an estimate of how long an item will take, from how long closed
// ones took. It is no promise.
type Forecast struct {
	// Basis says which time is counted, Like which closed items are compared: those of the
	// same type and priority, those of the same type, or all.
	Basis, Like string
	// Samples is how many closed items there were; without one, nothing else is
	// known.
	Samples int
	// Median and P80 are how long half and four fifths of them took.
	Median, P80 time.Duration
	// Age is how long the item has taken so far.
	Age time.Duration
	// Left and LeftP80 estimate in the same way the time that remains, from the items that
	// took longer than Age; Longer counts these. All are 0 if there are none.
	Left, LeftP80 time.Duration
	Longer        int
}

// History is how long closed items took.
type History struct {
	basis   string
	samples []sample
}

type sample struct {
	like likeness
	took time.Duration
}

type likeness struct {
	kind     string
	priority int
}

// Learn collects how long closed items took.
func Learn(items []Item) *History {
	started, made := &History{basis: FromStart}, &History{basis: FromMaking}
	for i := range items {
		item := &items[i]
		if item.Status != Closed || !item.Work() || item.Closed.IsZero() {
			continue
		}
		like := likeness{kind: item.Type, priority: item.Priority}
		if !item.Started.IsZero() && item.Closed.After(item.Started) {
			started.samples = append(started.samples, sample{like: like, took: item.Closed.Sub(item.Started)})
		}
		if !item.Created.IsZero() && item.Closed.After(item.Created) {
			made.samples = append(made.samples, sample{like: like, took: item.Closed.Sub(item.Created)})
		}
	}
	if len(started.samples) >= fewest && 2*len(started.samples) >= len(made.samples) {
		return started
	}
	return made
}

// Of forecasts an item that is not done.
func (h *History) Of(item *Item, now time.Time) Forecast {
	took, like := h.alike(item)
	f := Forecast{Basis: h.basis, Like: like, Samples: len(took)}
	if len(took) == 0 {
		return f
	}
	f.Median, f.P80 = quantile(took, 50), quantile(took, 80)
	started := item.Started
	if h.basis == FromMaking {
		started = item.Created
	}
	if !started.IsZero() && now.After(started) {
		f.Age = now.Sub(started)
	}
	at, _ := slices.BinarySearch(took, f.Age+1)
	if longer := took[at:]; len(longer) > 0 {
		f.Longer = len(longer)
		f.Left, f.LeftP80 = quantile(longer, 50)-f.Age, quantile(longer, 80)-f.Age
	}
	return f
}

// alike returns how long items of the same sort took, the shortest first.
func (h *History) alike(item *Item) ([]time.Duration, string) {
	for _, like := range []struct {
		word string
		same func(likeness) bool
	}{
		{"type_and_priority", func(l likeness) bool { return l.kind == item.Type && l.priority == item.Priority }},
		{"type", func(l likeness) bool { return l.kind == item.Type }},
	} {
		if took := h.took(like.same); len(took) >= fewest {
			return took, like.word
		}
	}
	return h.took(func(likeness) bool { return true }), "all"
}

func (h *History) took(same func(likeness) bool) []time.Duration {
	var took []time.Duration
	for _, s := range h.samples {
		if same(s.like) {
			took = append(took, s.took)
		}
	}
	slices.Sort(took)
	return took
}

// quantile returns the value that percent of sorted ones do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	at := (len(sorted)*percent + 99) / 100
	return sorted[max(at, 1)-1]
}

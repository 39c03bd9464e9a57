package bead_test

import (
	"fmt"
	"testing"
	"time"

	"cupola/core/bridge/bead"
)

// closed are items of a type and priority that took so many hours from their
// making, the last half of it from their start.
func closed(kind string, priority int, hours ...int) []bead.Item {
	var items []bead.Item
	for i, h := range hours {
		end := now.Add(-time.Hour)
		items = append(items, bead.Item{
			Brief: bead.Brief{
				ID: fmt.Sprintf("%s-%d-%d", kind, priority, i), Status: bead.Closed, Type: kind, Priority: priority,
			},
			Created: end.Add(-time.Duration(h) * time.Hour), Closed: end,
		})
	}
	return items
}

func TestAForecastIsMadeOfTheMostAlikeItems(t *testing.T) {
	items := append(closed("bug", 0, 1, 2, 3, 4, 10), closed("bug", 3, 100, 100)...)
	items = append(items, closed("epic", 2, 1000)...)
	items = append(items, closed("message", 2, 5000)...)
	items = append(items, bead.Item{Brief: bead.Brief{ID: "open", Type: "bug"}},
		bead.Item{Brief: bead.Brief{ID: "timeless", Status: bead.Closed, Type: "bug"}})
	learnt := bead.Learn(items)
	fresh := func(kind string, priority int) *bead.Item {
		return &bead.Item{Brief: bead.Brief{Type: kind, Priority: priority, Status: bead.Open}, Created: now}
	}
	for _, test := range []struct {
		item        *bead.Item
		like        string
		samples     int
		median, p80 time.Duration
	}{
		{fresh("bug", 0), "type_and_priority", 5, 3 * time.Hour, 4 * time.Hour},
		{fresh("bug", 3), "type", 7, 4 * time.Hour, 100 * time.Hour},
		{fresh("epic", 2), "all", 8, 4 * time.Hour, 100 * time.Hour},
	} {
		got := learnt.Of(test.item, now)
		if got.Like != test.like || got.Samples != test.samples || got.Median != test.median || got.P80 != test.p80 ||
			got.Basis != bead.FromMaking {
			t.Errorf("%+v: got %+v", test, got)
		}
		if got.Left != got.Median || got.LeftP80 != got.P80 || got.Longer != got.Samples || got.Age != 0 {
			t.Errorf("of a fresh item: %+v", got)
		}
	}
}

func TestWhatHasTakenLongIsComparedWithWhatTookLonger(t *testing.T) {
	learnt := bead.Learn(closed("bug", 0, 1, 2, 3, 4, 10))
	got := learnt.Of(&bead.Item{Brief: bead.Brief{Type: "bug"}, Created: now.Add(-3 * time.Hour)}, now)
	if got.Age != 3*time.Hour || got.Longer != 2 || got.Left != time.Hour || got.LeftP80 != 7*time.Hour {
		t.Errorf("got %+v", got)
	}
	got = learnt.Of(&bead.Item{Brief: bead.Brief{Type: "bug"}, Created: now.Add(-300 * time.Hour)}, now)
	if got.Longer != 0 || got.Left != 0 || got.Samples != 5 {
		t.Errorf("got %+v", got)
	}
}

func TestTheStartCountsWhereMostItemsHaveOne(t *testing.T) {
	items := closed("bug", 0, 2, 4, 6, 8, 10, 12)
	for i := range items[:4] {
		items[i].Started = items[i].Closed.Add(-time.Hour)
	}
	if got := bead.Learn(items).Of(&items[0], now); got.Basis != bead.FromMaking {
		t.Errorf("four starts are enough: %+v", got)
	}
	items[4].Started = items[4].Closed.Add(-time.Hour)
	got := bead.Learn(items).Of(&bead.Item{Brief: bead.Brief{Type: "bug"}, Created: now.Add(-time.Hour)}, now)
	if got.Basis != bead.FromStart || got.Samples != 5 || got.Median != time.Hour || got.Age != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestWithoutClosedItemsNothingIsKnown(t *testing.T) {
	if got := bead.Learn(nil).Of(&bead.Item{}, now); got.Samples != 0 || got.Median != 0 || got.Longer != 0 {
		t.Errorf("got %+v", got)
	}
}

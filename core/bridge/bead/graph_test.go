package bead_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/bridge/bead"
)

var now = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// drawn is the graph of items written as "id status type links", each link as
// kind:id; - is the usual word. Earlier items are older.
func drawn(t *testing.T, lines ...string) *bead.Graph {
	t.Helper()
	var items []bead.Item
	for i, line := range lines {
		words := strings.Fields(line)
		item := bead.Item{
			Brief:   bead.Brief{ID: words[0], Status: bead.Status(words[1]), Type: words[2], Priority: 2},
			Created: now.Add(time.Duration(i-100) * time.Hour),
		}
		if item.Status == "-" {
			item.Status = bead.Open
		}
		if item.Type == "-" {
			item.Type = "task"
		}
		for _, word := range words[3:] {
			kind, to, is := strings.Cut(word, ":")
			if !is {
				t.Fatalf("%q is no link", word)
			}
			kind = map[string]string{
				"b": "blocks", "p": "parent-child",
				"w": "waits-for",
			}[kind] + map[string]string{
				"r": "related", "d": "discovered-from",
				"c": "conditional-blocks",
			}[kind]
			item.Links = append(item.Links, bead.Link{To: to, Kind: bead.Kind(kind)})
		}
		items = append(items, item)
	}
	return bead.NewGraph(items, now)
}

func named(items []*bead.Item) string {
	var words []string
	for _, item := range items {
		words = append(words, item.ID)
	}
	return strings.Join(words, " ")
}

func TestOnlyBlockingLinksBlock(t *testing.T) {
	for _, test := range []struct{ why, item, want string }{
		{"blocks", "a - - b:x", "x y"},
		{"conditionally blocks", "a - - c:x", "x y"},
		{"waits for children", "a - - w:x", "x y"},
		{"related", "a - - r:x", "a x y"},
		{"discovered from", "a - - d:x", "a x y"},
		{"part of", "a - - p:x", "a x y"},
		{"what is missing", "a - - b:nobody", "a x y"},
		{"what is done", "a - - b:z", "a x y"},
		{"another project", "a - - b:external:other:1", "x y"},
		{"closed", "a closed -", "x y"},
		{"in progress", "a in_progress -", "x y"},
		{"blocked by word", "a blocked -", "x y"},
		{"deferred", "a deferred -", "x y"},
		{"a record of a tool", "a - message", "x y"},
	} {
		g := drawn(t, test.item, "x - -", "y - - p:x", "z closed -")
		if got := named(g.Ready()); got != test.want {
			t.Errorf("%s: %s are ready, want %s", test.why, got, test.want)
		}
	}
}

func TestWhatIsBlockedSaysByWhat(t *testing.T) {
	g := drawn(t, "a - - b:b b:c b:external:o:1 b:done", "b - -", "c in_progress -", "done closed -", "e closed - b:b")
	if got := g.Blockers("a"); !slices.Equal(got, []string{"b", "c", "external:o:1"}) {
		t.Errorf("got %q", got)
	}
	if got := g.Blockers("e"); len(got) != 0 || got == nil {
		t.Errorf("a closed item waits for %q", got)
	}
	if got := g.Missing(); len(got) != 0 {
		t.Errorf("missing are %q", got)
	}
	if got := g.Frees("b"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("b frees %q", got)
	}
	if got := drawn(t, "a - - b:x r:y b:x").Missing(); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("missing are %q", got)
	}
}

func TestAPartWaitsForWhatTheWholeWaitsFor(t *testing.T) {
	g := drawn(t, "whole - epic b:before b:part", "part - - p:whole", "other - - p:whole", "deep - - p:part",
		"before - -")
	if got := named(g.Ready()); got != "before" {
		t.Errorf("%s are ready", got)
	}
	// What is a part of the whole does not keep the other parts from beginning.
	for _, id := range []string{"part", "other", "deep"} {
		if got := g.Blockers(id); !slices.Equal(got, []string{"before"}) {
			t.Errorf("%s waits for %q", id, got)
		}
	}
	if got := drawn(t, "a - - p:b", "b - - p:a", "c - - p:c"); named(got.Ready()) != "a b c" {
		t.Errorf("%s are ready", named(got.Ready()))
	}
}

func TestWhatHasOpenPartsIsNoWorkOfItsOwn(t *testing.T) {
	g := drawn(t, "whole - epic", "part - - p:whole", "done closed - p:other", "other - epic")
	for id, want := range map[string]bool{"whole": true, "part": false, "other": false, "none": false} {
		if got := g.HasOpenParts(id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}

func TestWhatNobodyElseHasToDoIsWorkable(t *testing.T) {
	g := drawn(t,
		"last - - b:first", "first - -", "claimed in_progress -", "behind - - b:claimed", "whole - epic",
		"part - - p:whole", "whole-next - - b:whole", "elsewhere - - b:external:other:1", "done closed -",
		"round - - b:trip", "trip - - b:round",
	)
	items, left := g.Workable()
	if got := named(items); got != "first part last" || left != 7 {
		t.Errorf("%q can be done, %d are left", got, left)
	}
}

func TestDeferredItemsComeBack(t *testing.T) {
	items := []bead.Item{
		{Brief: bead.Brief{ID: "later", Status: bead.Open}, Until: now.Add(time.Hour)},
		{Brief: bead.Brief{ID: "past", Status: bead.Open}, Until: now.Add(-time.Hour)},
	}
	if got := named(bead.NewGraph(items, now).Ready()); got != "past" {
		t.Errorf("%s are ready", got)
	}
}

func TestTheMostUrgentThenTheOldestIsFirst(t *testing.T) {
	items := []bead.Item{
		{Brief: bead.Brief{ID: "a", Status: bead.Open, Priority: 2}, Created: now},
		{Brief: bead.Brief{ID: "b", Status: bead.Open, Priority: 0}, Created: now},
		{Brief: bead.Brief{ID: "c", Status: bead.Open, Priority: 2}, Created: now.Add(-time.Hour)},
		{Brief: bead.Brief{ID: "d", Status: bead.Open, Priority: 2}, Created: now},
	}
	if got := named(bead.NewGraph(items, now).Ready()); got != "b c a d" {
		t.Errorf("got %s", got)
	}
}

func TestEachCircleIsListedOnce(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"a - - b:b", "b - -"}, "[]"},
		{[]string{"a - - b:a"}, "[[a]]"},
		{[]string{"c - - b:a", "a - - b:b", "b - - b:c"}, "[[a b c]]"},
		{[]string{"a - - b:b", "b - - b:a", "x - - b:y", "y - - b:x b:a"}, "[[a b] [x y]]"},
		{[]string{"a - - b:b b:c", "b - - b:a", "c - - b:a"}, "[[a b] [a c]]"},
		{[]string{"a closed - b:b", "b - - b:a"}, "[]"},
		{[]string{"a - - r:b", "b - - r:a"}, "[]"},
	} {
		for range 5 {
			rand.Shuffle(len(test.lines),
				func(i, j int) { test.lines[i], test.lines[j] = test.lines[j], test.lines[i] })
			if got := fmt.Sprint(drawn(t, test.lines...).Cycles()); got != test.want {
				t.Errorf("%q: got %s, want %s", test.lines, got, test.want)
			}
		}
	}
}

func TestTheCriticalPathIsTheLongestChain(t *testing.T) {
	g := drawn(t, "d - - b:c b:a", "c - - b:b", "b - - b:a", "a - -", "e - - b:a", "done closed -", "x - - b:y",
		"y - - b:x", "z - - b:x")
	if got := named(g.CriticalPath()); got != "a b c d" {
		t.Errorf("got %s", got)
	}
	for id, want := range map[string]int{"a": 1, "d": 4, "e": 2, "done": 0, "x": 0, "z": 1, "none": 0} {
		if got := g.Depth(id); got != want {
			t.Errorf("the depth of %s is %d, want %d", id, got, want)
		}
	}
	if got := named(g.Chain("e")); got != "a e" {
		t.Errorf("the chain of e is %s", got)
	}
	if got := named(drawn(t).CriticalPath()); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}

func TestWhatClosingAnItemWouldDo(t *testing.T) {
	g := drawn(t, "a - -", "b - - b:a", "c - - b:a b:b", "d - - b:c", "e in_progress - b:a", "x - - b:y", "y - - b:x",
		"z - - b:x")
	for id, want := range map[string]bead.Gain{
		"a": {Now: 1, All: 4}, "b": {Now: 0, All: 2}, "c": {Now: 1, All: 1}, "d": {}, "x": {Now: 2, All: 2}, "none": {},
	} {
		if got := g.Gain(id); got != want {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if got := g.FreedBy("a"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("a frees %q", got)
	}
}

// A slow way to count what waits for an item.
func waiting(g *bead.Graph, id string) int {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(at string) {
		for _, next := range g.Frees(at) {
			if !seen[next] {
				seen[next] = true
				walk(next)
			}
		}
	}
	walk(id)
	delete(seen, id)
	return len(seen)
}

func TestWhatWaitsIsCountedRightInLargeGraphs(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	items := random(source, 3000, 2, 40)
	g := bead.NewGraph(items, now)
	for i := range items {
		if got, want := g.Gain(items[i].ID).All, waiting(g, items[i].ID); got != want {
			t.Fatalf("%s: got %d, want %d", items[i].ID, got, want)
		}
	}
}

// random makes items that link to some near them; a few lead back.
func random(source *rand.Rand, n, links, back int) []bead.Item {
	items := make([]bead.Item, n)
	for i := range items {
		items[i] = bead.Item{
			Brief: bead.Brief{
				ID: fmt.Sprintf("bd-%05d", i), Title: "Item", Status: bead.Open, Type: "task", Priority: source.IntN(5),
			},
			Created: now.Add(-time.Duration(n-i) * time.Minute),
		}
		if source.IntN(4) == 0 {
			items[i].Status, items[i].Closed = bead.Closed, now
		}
		for range source.IntN(links + 1) {
			to := i - 1 - source.IntN(min(i, 200)+1)
			if source.IntN(n) < back {
				to = i + source.IntN(20)
			}
			if to >= 0 && to < n {
				items[i].Links = append(items[i].Links, bead.Link{To: fmt.Sprintf("bd-%05d", to), Kind: bead.Blocks})
			}
		}
		if i > 100 && source.IntN(3) == 0 {
			items[i].Links = append(items[i].Links,
				bead.Link{To: fmt.Sprintf("bd-%05d", source.IntN(100)), Kind: bead.ParentChild})
		}
	}
	return items
}

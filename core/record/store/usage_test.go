package store_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// part returns the part of a transcript that was read: requests of so many input tokens each.
func part(name string, tokens ...int64) store.UsagePart {
	p := store.UsagePart{File: store.UsageFile{
		Kind: "claude", Path: "/t/" + name, Size: 10, Modified: 7, Position: 10,
		Mark: 3, State: "{}", Session: "s-" + name, Folder: "/src",
	}}
	for i, n := range tokens {
		key := int64(len(name)*1000 + i)
		p.Requests = append(p.Requests,
			store.UsageRequest{
				Key: key, At: noon.Add(time.Duration(i) * time.Hour), Model: "m",
				UsageTokens: store.UsageTokens{Input: n},
			})
	}
	return p
}

// keep records parts.
func keep(t *testing.T, u store.Usage, parts ...store.UsagePart) {
	t.Helper()
	if err := u.Save(t.Context(), parts); err != nil {
		t.Fatal(err)
	}
}

// sum is the only sum of what a query finds, and its cost, -1 where none is known.
func sum(t *testing.T, u store.Usage, q store.UsageQuery) (store.UsageSum, float64) {
	t.Helper()
	sums, err := u.Sums(t.Context(), q)
	if err != nil || len(sums) != 1 {
		t.Fatalf("got %+v, %v", sums, err)
	}
	if !sums[0].Costed {
		return sums[0], -1
	}
	return sums[0], sums[0].Cost
}

func TestATranscriptIsOnRecordAsItWasReadLast(t *testing.T) {
	u := store.UsageIn(open(t, storePath(t), store.Options{}))
	keep(t, u, part("a", 5))
	longer := part("a", 5, 6)
	longer.File.Size, longer.File.State = 20, "more"
	longer.Requests[0].Input = 4
	keep(t, u, longer)
	if err := u.Own(t.Context(),
		[]store.UsageFile{{Path: "/t/a", Owner: "api", Agent: "cc_1"}, {Path: "/t/none", Owner: "web"}}); err != nil {
		t.Fatal(err)
	}
	files, err := u.Files(t.Context())
	want := longer.File
	want.Owner, want.Agent = "api", "cc_1"
	if err == nil && len(files) == 1 {
		want.ID = files[0].ID
	}
	if err != nil || !slices.Equal(files, []store.UsageFile{want}) {
		t.Errorf("got %+v, %v", files, err)
	}
	if got, _ := sum(t, u, store.UsageQuery{}); got.Input != 10 || got.Requests != 2 || got.Owner != "api" ||
		!got.First.Equal(noon) || !got.Last.Equal(noon.Add(time.Hour)) {
		t.Errorf("got %+v", got)
	}
	if got, _ := sum(t, u, store.UsageQuery{Since: noon.Add(time.Minute)}); got.Input != 6 {
		t.Errorf("lately %+v", got)
	}
	if got, _ := sum(t, u, store.UsageQuery{Until: noon.Add(time.Minute)}); got.Input != 4 {
		t.Errorf("before %+v", got)
	}
	if others, err := u.Sums(t.Context(), store.UsageQuery{Owner: "web"}); err != nil || len(others) != 0 {
		t.Errorf("of others %+v, %v", others, err)
	}
	afresh := part("a", 1)
	afresh.Afresh = true
	keep(t, u, afresh)
	if got, _ := sum(t, u, store.UsageQuery{}); got.Input != 1 || got.Requests != 1 {
		t.Errorf("read from its beginning: %+v", got)
	}
}

func TestARequestCountsWhereItWasReadFirst(t *testing.T) {
	u := store.UsageIn(open(t, storePath(t), store.Options{}))
	first, copied := part("a", 5), part("b", 7)
	copied.Requests[0].Key = first.Requests[0].Key
	keep(t, u, first, copied)
	if got, _ := sum(t, u, store.UsageQuery{}); got.Input != 5 || got.Session != "s-a" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatASessionHasCostIsSharedAmongItsRequests(t *testing.T) {
	u := store.UsageIn(open(t, storePath(t), store.Options{}))
	p := part("a", 1, 3)
	p.Costs = []store.UsageCost{{Model: "m", Until: noon.Add(time.Hour), Cost: 8}}
	keep(t, u, p)
	for q, want := range map[*store.UsageQuery]float64{{}: 8, {Until: noon.Add(time.Minute)}: 2} {
		if _, cost := sum(t, u, *q); math.Abs(cost-want) > 1e-9 {
			t.Errorf("%+v has cost %g, not %g", *q, cost, want)
		}
	}
	unwritten := part("bb")
	unwritten.Costs = []store.UsageCost{{Model: "n", Until: noon, UsageTokens: store.UsageTokens{Output: 9}, Cost: 2}}
	for range 2 {
		keep(t, u, unwritten)
	}
	sums, err := u.Sums(t.Context(), store.UsageQuery{})
	if err != nil || len(sums) != 2 || sums[1].Model != "n" || sums[1].Cost != 2 || sums[1].Output != 9 ||
		sums[1].Requests != 1 {
		t.Errorf("got %+v, %v", sums, err)
	}
}

func TestTheNewestWordAboutALimitCounts(t *testing.T) {
	u := store.UsageIn(open(t, storePath(t), store.Options{}))
	limit := func(used float64, seen time.Duration) store.UsageLimit {
		return store.UsageLimit{
			Kind: "claude", Name: "week", Used: used, Window: time.Hour,
			ResetsAt: noon.Add(time.Hour), SeenAt: noon.Add(seen), Message: "soon",
		}
	}
	for _, l := range []store.UsageLimit{limit(10, 0), limit(30, time.Minute), limit(20, time.Second)} {
		p := part("a")
		p.Limits = []store.UsageLimit{l}
		keep(t, u, p)
	}
	if got, err := u.Limits(t.Context()); err != nil || !slices.Equal(got, []store.UsageLimit{limit(30, time.Minute)}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestUsageIsReadOfNothingAndWrittenToNoReader(t *testing.T) {
	u := store.UsageIn(reader(t, filepath.Join(t.TempDir(), "none.db")))
	files, err := u.Files(t.Context())
	limits, err2 := u.Limits(t.Context())
	sums, err3 := u.Sums(t.Context(), store.UsageQuery{})
	if err != nil || err2 != nil || err3 != nil || files == nil || limits == nil || sums == nil ||
		len(files)+len(limits)+len(sums) > 0 {
		t.Errorf("%v, %v, %v; %v, %v, %v", files, limits, sums, err, err2, err3)
	}
	failsWith(t, u.Save(t.Context(), []store.UsagePart{part("a")}), core.StoreError)
	failsWith(t, u.Own(t.Context(), []store.UsageFile{{Path: "/t/a"}}), core.StoreError)
}

package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/record/store"
)

func BenchmarkOpenToWrite(b *testing.B) {
	path := storePath(b)
	open(b, path, store.Options{}).Close()
	for b.Loop() {
		s, err := store.Open(b.Context(), path, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkOpenToReadAndLook(b *testing.B) {
	path := storePath(b)
	s := open(b, path, store.Options{})
	save(b, s, aPrompt("a", "x"))
	s.Close()
	for b.Loop() {
		s, err := store.OpenReadOnly(b.Context(), path, store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		found(b, s, store.PromptQuery{})
		s.Close()
	}
}

func BenchmarkMakeAndSaveOne(b *testing.B) {
	dir, n := b.TempDir(), 0
	for b.Loop() {
		n++
		s, err := store.Open(b.Context(), filepath.Join(dir, fmt.Sprint(n), "cupola.db"), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		save(b, s, aPrompt("a", "x"))
		s.Close()
	}
}

func BenchmarkSavePrompt(b *testing.B) {
	s, n := open(b, storePath(b), store.Options{}), 0
	text := strings.Repeat("run the tests ", 50)
	for b.Loop() {
		n++
		id := fmt.Sprint(n)
		p := aPrompt(id, text)
		save(b, s, p)
		if err := store.PromptsIn(s).SaveDeliveries(b.Context(), id, p.Deliveries); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSaveEvents(b *testing.B) {
	for _, size := range []int{1, 100} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, n := open(b, storePath(b), store.Options{}), core.Revision(0)
			for b.Loop() {
				events := make([]core.Event, size)
				for i := range events {
					n++
					events[i] = core.Event{
						Type: core.StateChanged, Revision: n, At: noon, Session: "api",
						Pane: "api.1", PaneID: "%1", From: "idle", To: "working",
					}
				}
				if err := store.EventsIn(s).Save(b.Context(), "/s", events); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
		})
	}
}

func BenchmarkHistoryOf10000(b *testing.B) {
	path := storePath(b)
	s := open(b, path, store.Options{})
	text := strings.Repeat("run the tests ", 50)
	for i := range 10_000 {
		p := aPrompt(fmt.Sprint(i), text)
		p.Session = fmt.Sprintf("s%d", i%10)
		p.Deliveries[0].Session = p.Session
		save(b, s, p)
	}
	for name, query := range map[string]store.PromptQuery{
		"page": {Limit: 100}, "session": {Session: "s3", Limit: 100},
		"kind": {Kinds: []core.Kind{"claude"}, Limit: 100}, "all": {},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				found(b, s, query)
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			if _, err := store.PromptsIn(s).Stats(b.Context(), store.PromptQuery{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	events := make([]core.Event, 100_000)
	for i := range events {
		events[i] = core.Event{
			Type: core.StateChanged, Revision: core.Revision(i + 1), At: noon, Session: "api",
			PaneID: "%1",
		}
	}
	if err := store.EventsIn(s).Save(b.Context(), "/s", events); err != nil {
		b.Fatal(err)
	}
	b.Run("the last 50 of 100000 events", func(b *testing.B) {
		for b.Loop() {
			if got, err := store.EventsIn(s).Find(b.Context(),
				store.EventQuery{Server: "/s", After: 99_950}); err != nil ||
				len(got) != 50 {
				b.Fatal(len(got), err)
			}
		}
	})
}

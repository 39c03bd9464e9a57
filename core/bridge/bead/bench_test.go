package bead_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cupola/core/bridge/bead"
)

// many is the file of ten thousand items, of about a kilobyte each.
func many(b *testing.B) []byte {
	b.Helper()
	type link struct {
		To   string `json:"depends_on_id"`
		Kind string `json:"type"`
	}
	var file []byte
	for _, item := range random(rand.New(rand.NewPCG(1, 2)), 10_000, 3, 20) {
		links := []link{}
		for _, l := range item.Links {
			links = append(links, link{l.To, string(l.Kind)})
		}
		line, err := json.Marshal(map[string]any{
			"id": item.ID, "title": "An item of some words", "description": strings.Repeat("What is to be done. ", 35),
			"status": item.Status, "priority": item.Priority, "issue_type": item.Type,
			"created_at": item.Created.Format(time.RFC3339Nano), "updated_at": item.Created.Format(time.RFC3339Nano),
			"dependencies": links,
		})
		if err != nil {
			b.Fatal(err)
		}
		file = append(append(file, line...), '\n')
	}
	return file
}

func BenchmarkRead(b *testing.B) {
	file := many(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if set := bead.Decode(file, "bd"); len(set.Items) != 10_000 {
			b.Fatalf("%d items", len(set.Items))
		}
	}
}

// BenchmarkGraph computes all of an answer about all items: the ready ones, edges, circles, the critical path, and the
// effect of closing each.
func BenchmarkGraph(b *testing.B) {
	items := bead.Decode(many(b), "bd").Items
	for b.Loop() {
		g := bead.NewGraph(items, now)
		ready, path := g.Ready(), g.CriticalPath()
		g.Cycles()
		gains := 0
		for i := range items {
			gains += g.Gain(items[i].ID).All
		}
		if len(ready) == 0 || len(path) < 2 || gains == 0 {
			b.Fatalf("%d ready, a path of %d, %d gains", len(ready), len(path), gains)
		}
	}
}

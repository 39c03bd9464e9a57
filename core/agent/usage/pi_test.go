package usage_test

import (
	"testing"
	"time"

	"cupola/core/agent/usage"
)

func TestPiCountsEachAnswerOnceWithItsCost(t *testing.T) {
	b := newFixture(t)
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	const answer = `{"type":"message","id":"c1","timestamp":"2026-01-31T12:00:02.000Z","message":{"role":"assistant",` +
		`"model":"m","usage":{"input":100,"output":20,"cacheRead":30,"cacheWrite":4,"reasoning":5,"cost":{"total":0.5}}}}`
	head := func(id string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-31T12:00:00.000Z","cwd":"/src/api"}`
	}
	b.put(t, ".pi/agent/sessions/--src-api--/2026_one.jsonl", at, head("one"), answer,
		`{"type":"compaction","id":"c2","timestamp":"2026-01-31T12:00:03.000Z","usage":{"input":7,"cost":{"total":0.25}}}`)
	// A session that was forked repeats the lines of its parent.
	b.put(t, ".pi/agent/sessions/--src-api--/2026_two.jsonl", at, head("two"), answer)
	b.refresh(t)
	b.expect(t, "2: 107 30 4+0 20(5)")
	if total := b.sum(t, usage.Query{}).Total; total.Cost != 0.75 || total.Source != usage.FromAgent {
		t.Errorf("it cost %+v", total)
	}
}

package money

import (
	"testing"
	"time"

	"cupola/core/agent/account"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/verbtest"
)

func TestALimitIsOverOnceItWasReset(t *testing.T) {
	for name, test := range map[string]struct {
		limit store.UsageLimit
		want  string
	}{
		"little used":      {store.UsageLimit{Used: 10, ResetsAt: verbtest.Noon.Add(time.Hour)}, limitOK},
		"nearly used":      {store.UsageLimit{Used: 80, ResetsAt: verbtest.Noon.Add(time.Hour)}, limitNear},
		"used":             {store.UsageLimit{Used: 100, ResetsAt: verbtest.Noon.Add(time.Hour)}, limitReached},
		"reset":            {store.UsageLimit{Used: 100, ResetsAt: verbtest.Noon}, limitOver},
		"said so lately":   {store.UsageLimit{Used: -1, SeenAt: verbtest.Noon.Add(-time.Minute)}, limitReached},
		"said so long ago": {store.UsageLimit{Used: -1, SeenAt: verbtest.Noon.Add(-2 * time.Hour)}, limitOver},
		"a long window": {
			store.UsageLimit{Used: 90, SeenAt: verbtest.Noon.Add(-2 * time.Hour), Window: 5 * time.Hour},
			limitNear,
		},
	} {
		if got := transcriptLimit("openai", &test.limit, verbtest.Noon); got.State != test.want {
			t.Errorf("%s: %s, want %s", name, got.State, test.want)
		}
	}
}

func TestWorstCurrentLimitCounts(t *testing.T) {
	p := &account.Provider{Name: "openai", Kind: "codex"}
	limit := func(state string, used float64, after time.Duration) limitRow {
		return limitRow{State: state, UsedPercent: verb.MaybeNumber(used), ResetsAt: verbtest.Noon.Add(after)}
	}
	for name, test := range map[string]struct {
		limits []limitRow
		state  string
		used   float64
		resets time.Duration
	}{
		"none":          {nil, limitUnseen, -1, 0},
		"only old ones": {[]limitRow{limit(limitOver, 100, time.Hour)}, limitUnseen, -1, 0},
		"the most used": {
			[]limitRow{limit(limitOK, 10, time.Hour), limit(limitOK, 20, 2*time.Hour)},
			limitOK, 20,
			2 * time.Hour,
		},
		"one is reached": {
			[]limitRow{limit(limitReached, 100, time.Hour), limit(limitNear, 90, 5*time.Hour)},
			limitReached, 100, time.Hour,
		},
		"the last ends": {
			[]limitRow{limit(limitReached, 100, time.Hour), limit(limitReached, -1, 9*time.Hour)},
			limitReached, 100, 9 * time.Hour,
		},
	} {
		var want time.Time
		if test.resets > 0 {
			want = verbtest.Noon.Add(test.resets)
		}
		if got := quotaOf(p, test.limits); got.State != test.state || float64(got.UsedPercent) != test.used ||
			got.ResetsAt != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

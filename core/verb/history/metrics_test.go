package history

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestPeriodsBeginAtWholeMultiplesOfTheirLength(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 34, 0, 0, time.UTC) // a Saturday
	for period, want := range map[string]struct {
		first string
		count int
	}{
		"day": {"2026-01-25T00:00:00Z", 7}, "24h": {"2026-01-25T00:00:00Z", 7}, "hour": {"2026-01-31T06:00:00Z", 7},
		"week": {"2025-12-15T00:00:00Z", 7}, "30m": {"2026-01-31T09:30:00Z", 7},
	} {
		spans, err := (&metricsFilters{Period: period}).spans(now)
		if err != nil || len(spans) != want.count || core.Stamp(spans[0].from) != want.first ||
			!now.Before(spans[len(spans)-1].to) {
			t.Errorf("%s: %v, %v", period, spans, err)
		}
	}
	for name, in := range map[string]metricsFilters{
		"no period": {Period: "zzz"}, "too short": {Period: "1s"}, "a revision": {Period: "rev:4"},
		"too many": {Period: "1m", Since: registry.Since{Ago: 24 * time.Hour}},
		"to come":  {Period: "day", Since: registry.Since{At: now.AddDate(0, 0, 2)}},
	} {
		if _, err := in.spans(now); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEventsCountInPeriodAndForAgent(t *testing.T) {
	spans := []stretch{
		{verbtest.Noon, verbtest.Noon.Add(time.Hour)},
		{verbtest.Noon.Add(time.Hour), verbtest.Noon.Add(2 * time.Hour)},
	}
	m := newMeasured(spans, "api", nil)
	to := func(session string, ordinal int, agent string, outcome core.Outcome) core.Delivery {
		pane := core.PaneRef{Session: session, Ordinal: ordinal, Agent: agent, Kind: "claude"}
		return core.Delivery{PaneRef: pane, Result: core.Result{Outcome: outcome}}
	}
	m.prompt(&core.Prompt{
		At: verbtest.Noon,
		Deliveries: []core.Delivery{
			to("api", 1, "cc_1", "delivered"), to("api", 0, "", "refused"),
			to("web", 1, "cc_1", "delivered"),
		},
	})
	m.prompt(
		&core.Prompt{
			At:         verbtest.Noon.Add(-time.Second),
			Deliveries: []core.Delivery{to("api", 1, "cc_1", "delivered")},
		},
	)
	m.add(timesheet.Span{
		Session: "api", Address: "api.1", Agent: "cc_1", State: core.Waiting,
		From: verbtest.Noon.Add(30 * time.Minute), To: verbtest.Noon.Add(90 * time.Minute), Begins: true,
	})
	m.add(timesheet.Span{
		Session: "web", Address: "web.1", Agent: "cc_1", State: core.Working, From: verbtest.Noon,
		To: verbtest.Noon.Add(time.Hour), Begins: true,
	})
	rows, agents := m.rows(), m.agentRows()
	if r := rows[0]; r.Prompts != 1 || r.Deliveries != 2 || r.Delivered != 1 || r.Refused != 1 || r.Waits != 1 ||
		r.Waiting != 1800 || r.Working != 0 {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Prompts != 0 || r.Waits != 0 || r.Waiting != 1800 {
		t.Errorf("%+v", r)
	}
	if len(agents) != 1 || agents[0].Address != "api.1" || agents[0].Prompts != 1 || agents[0].Waiting != 3600 ||
		agents[0].Waits != 1 {
		t.Errorf("%+v", agents)
	}
	if m.total.Waiting != 3600 || m.total.Prompts != 1 {
		t.Errorf("%+v", m.total)
	}
}

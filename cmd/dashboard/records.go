package dashboard

import (
	"context"
	"time"

	"cupola/core/agent/usage"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/host"
	"cupola/core/record/store"
	"cupola/core/record/timesheet"
	"cupola/core/verb/agents"
	verbs "cupola/core/verb/hosts"
	"cupola/core/verb/money"
	"cupola/core/verb/registry"
	"cupola/tui/effect"
	"cupola/tui/screen/activity"
	"cupola/tui/screen/hosts"
	"cupola/tui/screen/queue"
	"cupola/tui/screen/settings"
	"cupola/tui/screen/spending"
)

// readers answer what the screens of the records ask about a fleet, whose server has a socket.
func (d *Dashboard) readers(f *fleet.Fleet, server string) []effect.Reader {
	// Reading a week takes longer than reading an hour.
	const perReading = 1800
	return append([]effect.Reader{
		effect.Paced(func(w activity.Question) time.Duration { return w.Span / perReading },
			func(ctx context.Context, w activity.Question) (activity.Activity, error) {
				return d.activity(ctx, server, time.Now().Add(-w.Span))
			}),
		effect.Paced(func(spending.Question) time.Duration { return 10 * time.Second },
			func(ctx context.Context, w spending.Question) (spending.Usage, error) {
				return d.usage(ctx, f, w.Days, w.By)
			}),
		effect.Paced(func(hosts.Question) time.Duration { return 5 * time.Second },
			func(ctx context.Context, _ hosts.Question) (hosts.Hosts, error) { return d.listHosts(ctx) }),
		effect.Read(func(context.Context, settings.Question) (settings.Settings, error) { return d.listSettings() }),
		effect.Read(func(ctx context.Context, w queue.Question) (agents.QueueOut, error) {
			answer, err := d.Call(ctx, registry.Target{Session: w.About.Address}, agents.QueueIn{})
			out, _ := answer.Value.(agents.QueueOut)
			return out, err
		}),
		d.pipelineReader(),
		effect.ByInput(d.byInput),
	}, (&searcher{env: d.Env}).readers()...)
}

// lead is how long before a time events are read, for the states that agents were in when it began.
const lead = 24 * time.Hour

// activity returns for the dashboard what the agents of a server did since a time. A dashboard keeps the fleet, so that
// open spans last until now.
func (d *Dashboard) activity(ctx context.Context, server string, since time.Time) (activity.Activity, error) {
	records, err := d.Env.Store(ctx)
	if err != nil {
		return activity.Activity{}, err
	}
	events, err := store.EventsIn(records).Find(ctx, store.EventQuery{Server: server, Since: since.Add(-lead)})
	if err != nil {
		return activity.Activity{}, err
	}
	prompts, err := store.PromptsIn(records).Find(ctx,
		store.PromptQuery{Server: server, Since: since, Limit: maxRecalled})
	if err != nil {
		return activity.Activity{}, err
	}
	now := time.Now()
	found := activity.Activity{
		From: since, To: now, Spans: timesheet.Of(events, now, true), Prompts: prompts.Prompts,
	}
	for i := range events {
		if !events[i].At.Before(since) {
			found.Events = append(found.Events, events[i])
		}
	}
	return found, nil
}

// fewestDays is how many days are charted at least.
const fewestDays = 7

// usage returns for the dashboard what agents used in the last days, today included.
func (d *Dashboard) usage(ctx context.Context, f *fleet.Fleet, days int, by usage.Group) (spending.Usage, error) {
	directory, err := d.Env.Budget()
	if err != nil {
		return spending.Usage{}, err
	}
	if err := money.Count(ctx, f, directory.Ledger(), nil); err != nil {
		return spending.Usage{}, err
	}
	since := money.DayOf(time.Now()).AddDate(0, 0, 1-days)
	charted := money.DayOf(time.Now()).AddDate(0, 0, 1-max(days, fewestDays))
	byDay, err := directory.Ledger().Sum(ctx, usage.Query{Since: charted, Group: usage.ByDay})
	if err != nil {
		return spending.Usage{}, err
	}
	sum, err := directory.Ledger().Sum(ctx, usage.Query{Since: since, Group: by})
	if err != nil {
		return spending.Usage{}, err
	}
	found := spending.Usage{Days: byDay.Rows, Rows: sum.Rows, Total: sum.Total}
	if found.Spends, err = directory.Spends(ctx); err != nil {
		return spending.Usage{}, err
	}
	found.Limits, err = directory.Ledger().Limits(ctx)
	return found, err
}

// listSettings returns the settings for the dashboard.
func (d *Dashboard) listSettings() (settings.Settings, error) {
	found := settings.Settings{File: d.Env.Paths.File(), Keys: d.Env.Paths.Keys()}
	c := d.Env.Settings()
	for _, key := range config.Keys() {
		found.List = append(found.List, settings.Setting{Key: key, Value: c.Value(key), Origin: c.Origin(key.Name)})
	}
	return found, nil
}

// byInput calls the verb that takes an input, as the command line does.
func (d *Dashboard) byInput(ctx context.Context, input any) (answer any, mine bool, err error) {
	if d.Env.Catalog.Taking(input) == nil {
		return nil, false, nil
	}
	called, err := d.Call(ctx, registry.Target{}, input)
	return called.Value, true, err
}

// listHosts asks all hosts how they are, as the verb does that lists them.
func (d *Dashboard) listHosts(ctx context.Context) (hosts.Hosts, error) {
	answer, _, err := d.byInput(ctx, verbs.ListIn{})
	if err != nil {
		return hosts.Hosts{}, err
	}
	own := hosts.Host{State: host.Up, RoundTrip: -1, Version: d.Env.Version, Machine: *host.ThisMachine()}
	if snapshot := d.Env.Brief(ctx); snapshot != nil {
		own.Agents, own.Needs = snapshot.Counts().Agents, len(snapshot.PanesNeedingUser())
	}
	found := hosts.Hosts{List: []hosts.Host{own}}
	listed, _ := answer.(verbs.ListOut)
	for i := range listed.Hosts {
		h := &listed.Hosts[i]
		found.List = append(found.List, hosts.Host{
			Name: h.Host, State: h.State, Reason: h.Reason, By: h.By, RoundTrip: float64(h.RoundTrip),
			Version: h.Version, Hostname: h.Hostname, Agents: h.Agents, Needs: h.Needs, Machine: host.Machine{
				Cores: int(max(0, h.Cores)), Load: float64(h.Load),
				MemoryFree: uint64(max(0, h.MemoryFree)) << 20, DiskFree: uint64(max(0, h.DiskFree)) << 20,
			},
		})
	}
	return found, nil
}

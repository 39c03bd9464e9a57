package effect

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Records read what is on record, for screens that show it.
type Records struct {
	// Activity returns what agents did since a time; nil reads nothing.
	Activity func(ctx context.Context, since time.Time) (screen.Activity, error)
	// Usage returns what agents used in the last days, today included; nil reads nothing.
	Usage func(ctx context.Context, days int, by usage.Group) (screen.Usage, error)
	// Settings returns the settings; nil reads none.
	Settings func() (screen.Settings, error)
	// Hosts asks the hosts how they are; nil asks none.
	Hosts func(ctx context.Context) (screen.Hosts, error)
}

// HostsRead are the hosts; Err says why they cannot be read.
type HostsRead struct {
	Intent intent.ReadHosts
	Hosts  screen.Hosts
	Err    error
}

// SettingsRead are the settings; Err says why they cannot be read.
type SettingsRead struct {
	Intent   intent.ReadSettings
	Settings screen.Settings
	Err      error
}

// UsageRead is what agents used; Err says why that is unknown.
type UsageRead struct {
	Intent intent.ReadUsage
	Usage  screen.Usage
	Err    error
}

// ActivityRead is what agents did; Err says why that is unknown.
type ActivityRead struct {
	Intent   intent.ReadActivity
	Activity screen.Activity
	Err      error
}

// recordsEvery is the least time between two readings of records for the same question, and perReading how many
// times as long the time that they are about may be: reading a week takes longer than reading an hour.
const recordsEvery, perReading = 2 * time.Second, 1800

// records reads what is on record, the same not too often.
type records struct {
	of   Records
	mu   sync.Mutex
	last map[intent.Intent]time.Time
}

func newRecords(of Records) *records { return &records{of: of, last: map[intent.Intent]time.Time{}} }

// pace waits until the last reading for a question is some time ago; false if ctx ended first.
func (r *records) pace(ctx context.Context, question intent.Intent, every time.Duration) bool {
	r.mu.Lock()
	wait := max(every, recordsEvery) - time.Since(r.last[question])
	r.mu.Unlock()
	if core.Sleep(ctx, wait) != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[question] = time.Now()
	return true
}

func (r *records) activity(ctx context.Context, w intent.ReadActivity) tea.Msg {
	if r.of.Activity == nil || !r.pace(ctx, w, w.Span/perReading) {
		return nil
	}
	found, err := r.of.Activity(ctx, time.Now().Add(-w.Span))
	return ActivityRead{Intent: w, Activity: found, Err: err}
}

func (r *records) usage(ctx context.Context, w intent.ReadUsage) tea.Msg {
	if r.of.Usage == nil || !r.pace(ctx, w, 5*recordsEvery) {
		return nil
	}
	found, err := r.of.Usage(ctx, w.Days, w.By)
	return UsageRead{Intent: w, Usage: found, Err: err}
}

// hostsEvery is the least time between two questions to all hosts.
const hostsEvery = 5 * time.Second

func (r *records) hosts(ctx context.Context, w intent.ReadHosts) tea.Msg {
	if r.of.Hosts == nil || !r.pace(ctx, w, hostsEvery) {
		return nil
	}
	found, err := r.of.Hosts(ctx)
	return HostsRead{Intent: w, Hosts: found, Err: err}
}

func (r *records) settings(w intent.ReadSettings) tea.Msg {
	if r.of.Settings == nil {
		return nil
	}
	found, err := r.of.Settings()
	return SettingsRead{Intent: w, Settings: found, Err: err}
}

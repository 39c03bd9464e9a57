package money

import (
	"context"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/account"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/observe"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type quotaIn struct{ providerFilter }

type quotaOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Providers has one row per provider.
	Providers []quotaRow `json:"providers"`
	// Limits are the limits that were seen: on screens now, and in transcripts.
	Limits []limitRow `json:"limits"`
}

// quotaRow is how far a provider's limits are used.
type quotaRow struct {
	_        struct{}  `minimal:"provider,state,resets_at" standard:"provider,kind,account,state,used_percent,resets_at"`
	_        struct{}  `table:"PROVIDER,AGENT,ACCOUNT,LIMITS,USED,RESETS"`
	Provider string    `json:"provider" table:"PROVIDER,strong"`
	Kind     core.Kind `json:"kind" table:"AGENT"`
	// Account says whether its agent can sign in, as account-status does.
	Account account.State `json:"account,omitempty" table:"ACCOUNT,word"`
	// State is ok, near (from 80 % on), reached, or unknown where nothing was seen.
	State string `json:"state" table:"LIMITS,word"`
	// UsedPercent belongs to the limit that is used most.
	UsedPercent verb.MaybeNumber `json:"used_percent,omitzero" table:"USED,format=%.0f %%,empty=-"`
	// ResetsAt is when the last reached limit ends, else the one that is used most;
	// absent where not known.
	ResetsAt time.Time `json:"resets_at,omitzero" table:"RESETS,dim"`
	// Agents counts those that are limited now.
	Agents int `json:"limited_agents"`
}

// limitRow is one limit as it was seen.
type limitRow struct {
	_        struct{}  `minimal:"provider,name,state,resets_at" table:"LIMIT,STATE,USED,RESETS,SEEN,IN,SAYS"`
	Provider string    `json:"provider" table:"LIMIT,strong,and=Name"`
	Kind     core.Kind `json:"kind"`
	// Name identifies a limit: codex/primary, or the pane that shows it.
	Name          string           `json:"name"`
	State         string           `json:"state" table:"STATE,word"`
	UsedPercent   verb.MaybeNumber `json:"used_percent,omitzero" table:"USED,format=%.0f %%,empty=-"`
	WindowMinutes int              `json:"window_minutes,omitempty"`
	ResetsAt      time.Time        `json:"resets_at,omitzero" table:"RESETS,dim"`
	SeenAt        time.Time        `json:"seen_at,omitzero" table:"SEEN,dim,drop=1"`
	// Source is screen or transcript.
	Source  string `json:"source,omitempty" table:"IN,dim,drop=2"`
	Message string `json:"message,omitempty" table:"SAYS,flex"`
}

// The states of a limit. One is over once it was reset.
const (
	limitOK      = "ok"
	limitNear    = "near"
	limitReached = "reached"
	limitOver    = "over"
	limitUnseen  = "unknown"
)

var quotaCheck = registry.Define(registry.Spec[verb.OnFleet, quotaIn, quotaOut]{
	Name: "quota-check", Of: "accounts --limits", Group: verb.GroupMoney,
	Short:   "Show how much of each provider's limits is used",
	Aliases: []string{"quota show", "quota status"},
	Long: "Read from the screens and hooks of running agents and from the newest transcripts. No provider is " +
		"contacted, so limits that no agent shows are unknown.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "providers",
	Deprecated: registry.Prefixed{Prefix: "quota-check", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=openai"},
	Errors:     append([]core.Code{core.EngineUnavailable}, counting[1:]...), Run: runQuota,
}).SeeAlso("accounts", "tokens")

func runQuota(ctx context.Context, deps verb.OnFleet, in quotaIn) (quotaOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return quotaOut{}, err
	}
	out := quotaOut{Filters: in.providerFilter}
	out.Providers, out.Limits, err = limitsOf(ctx, deps, chosen)
	return out, err
}

// limitsOf says how far the limits of providers are used, and what was seen of each.
func limitsOf(ctx context.Context, deps verb.OnFleet, providers []*account.Provider) (
	quotas []quotaRow, seen []limitRow, err error,
) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return nil, nil, err
	}
	directory, err := count(ctx, deps.Env)
	if err != nil {
		return nil, nil, err
	}
	limits, err := directory.Ledger().Limits(ctx)
	if err != nil {
		return nil, nil, err
	}
	now := deps.Env.Now()
	for _, p := range providers {
		var mine []limitRow
		for _, pane := range snap.Panes() {
			if pane.Agent.Kind == p.Kind && pane.Status.State == core.Limited {
				mine = append(mine, paneLimit(p.Name, pane, snap.Taken))
			}
		}
		limited := len(mine)
		for i := range limits {
			if limits[i].Kind == p.Kind {
				mine = append(mine, transcriptLimit(p.Name, &limits[i], now))
			}
		}
		row := quotaOf(p, mine)
		row.Account, row.Agents = AccountsOf(&deps.Env.Local, p)[0].State, limited
		quotas, seen = append(quotas, row), append(seen, mine...)
	}
	return quotas, seen, nil
}

// paneLimit is a limit that an agent shows now.
func paneLimit(provider string, pane *core.Pane, taken time.Time) limitRow {
	return limitRow{
		Provider: provider, Kind: pane.Agent.Kind, Name: pane.Address(), State: limitReached, UsedPercent: 100,
		ResetsAt: pane.Status.ResetsAt, SeenAt: taken, Source: conversation.FromScreen,
		Message: strings.Join(pane.Status.Evidence, "; "),
	}
}

// reachedFor is how long a limit with an unknown end counts as reached.
const reachedFor = time.Hour

// transcriptLimit is a limit as a transcript says.
func transcriptLimit(provider string, l *store.UsageLimit, now time.Time) limitRow {
	row := limitRow{
		Provider: provider, Kind: l.Kind, Name: l.Name, State: limitOK,
		UsedPercent: verb.MaybeNumber(verb.Rounded(l.Used, 1)), WindowMinutes: int(l.Window.Minutes()),
		ResetsAt: l.ResetsAt, SeenAt: l.SeenAt, Source: conversation.FromTranscript, Message: l.Message,
	}
	if l.Used < 0 {
		row.UsedPercent = -1
	}
	unsaid := l.ResetsAt.IsZero() && now.Sub(l.SeenAt) > max(reachedFor, l.Window)
	switch {
	case unsaid, !l.ResetsAt.IsZero() && !now.Before(l.ResetsAt):
		row.State = limitOver
	case l.Used < 0 || l.Used >= 100:
		row.State = limitReached
	case l.Used >= 80:
		row.State = limitNear
	}
	return row
}

// quotaOf sums up a provider's limits: the worst that holds counts.
func quotaOf(p *account.Provider, limits []limitRow) quotaRow {
	row := quotaRow{Provider: p.Name, Kind: p.Kind, State: limitUnseen, UsedPercent: -1}
	order := []string{limitUnseen, limitOK, limitNear, limitReached}
	for i := range limits {
		l := &limits[i]
		if l.State == limitOver {
			continue
		}
		worse := slices.Index(order, l.State) - slices.Index(order, row.State)
		if worse > 0 || worse == 0 &&
			(l.UsedPercent > row.UsedPercent || l.State == limitReached && l.ResetsAt.After(row.ResetsAt)) {
			row.ResetsAt = l.ResetsAt
		}
		if worse > 0 {
			row.State = l.State
		}
		row.UsedPercent = max(row.UsedPercent, l.UsedPercent)
	}
	return row
}

// Report shows the providers, and what was seen of their limits.
func (o quotaOut) Report() *report.Report {
	return (&report.Report{}).AddRows("", o.Providers, time.Time{}).AddRows("What was seen", o.Limits, time.Time{})
}

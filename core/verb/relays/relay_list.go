package relays

import (
	"context"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// relayFilters choose relays.
type relayFilters struct {
	State   []string       `json:"state,omitempty" enum:"pending,running,done,failed,cancelled,interrupted" help:"Only relays in these states, separated by commas"`
	Backend []string       `json:"backend,omitempty" lister:"backends" help:"Only relays to these backends, separated by commas"`
	Label   string         `json:"label,omitempty" lister:"relay-labels" help:"Only relays of this conversation"`
	Panel   string         `json:"panel,omitempty" help:"Only relays that were asked together, by their panel"`
	Since   registry.Since `json:"since,omitzero" since:"time" help:"Only relays that began since this time"`
}

type relayListIn struct {
	relayFilters
	registry.Page `default:"limit=50"`
}

type relayListOut struct {
	Filters relayFilters `json:"filters,omitzero"`
	// Relays has a row for each relay, the newest first.
	Relays []RelayRow `json:"relays" empty:"nothing was ever asked" filtered:"nothing fits the filters"`
	// Totals are over all relays that were chosen, whatever the page.
	Totals relayTotals `json:"totals"`
	verb.Paged
}

// relayTotals sum up relays.
type relayTotals struct {
	Running int     `json:"running_count"`
	Failed  int     `json:"failed_count"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
}

// RelayRow is one relay, without its answer.
type RelayRow struct {
	_         struct{}      `minimal:"id,backend,state" standard:"id,backend,state,model,label,prompt,started_at,elapsed_ms,cost_usd,error"`
	_         struct{}      `table:"RELAY,BACKEND,STATE,AGE,COST,PROMPT"`
	ID        string        `json:"id" table:"RELAY,strong"`
	Panel     string        `json:"panel,omitempty"`
	Label     string        `json:"label,omitempty"`
	Backend   string        `json:"backend" table:"BACKEND"`
	Model     string        `json:"model,omitempty"`
	Sandbox   relay.Sandbox `json:"sandbox"`
	Dir       string        `json:"dir"`
	State     relay.State   `json:"state" table:"STATE,word"`
	StartedAt time.Time     `json:"started_at,omitzero" table:"AGE,dim,ago"`
	EndedAt   time.Time     `json:"ended_at,omitzero"`
	ElapsedMS int64         `json:"elapsed_ms"`
	Tokens    int64         `json:"tokens"`
	CostUSD   float64       `json:"cost_usd" table:"COST,dim,format=$%.4f,empty=-"`
	Prompt    string        `json:"prompt" table:"PROMPT,oneline,flex"`
	Error     string        `json:"error,omitempty"`
	ErrorCode core.Code     `json:"error_code,omitempty"`
}

var relayList = registry.Define(registry.Spec[*verb.Local, relayListIn, relayListOut]{
	Name: "relay-list", Of: "run-list --kind=relay", Group: verb.GroupRelay, Short: "List relays that run and that ran",
	Aliases: []string{"relays", "job list"},
	Long: "The newest first, also those of other calls and in the background. The newest 200 stay on record. One " +
		"whose process was killed, or that a reboot ended, is interrupted.",
	Scope: registry.Global, Effect: registry.Reads, List: "relays",
	Examples: []string{"", "--state=running"},
	Errors:   []core.Code{core.IOError, core.PermissionDenied, core.NotFound}, Run: runRelayList,
}).SeeAlso("backends", "tokens")

func runRelayList(_ context.Context, env *verb.Local, in relayListIn) (relayListOut, error) {
	all, err := Directory(env).All()
	if err != nil {
		return relayListOut{}, err
	}
	out := relayListOut{Filters: in.relayFilters}
	since := in.Since.AsTime(env.Now())
	rows := []RelayRow{}
	for i := range all {
		record := &all[i]
		if !in.chooses(record) || record.Started.Before(since) {
			continue
		}
		untilNow(record, env.Now())
		row := RelayRowOf(record)
		out.Totals.add(&row)
		rows = append(rows, row)
	}
	out.Totals.CostUSD = verb.Rounded(out.Totals.CostUSD, 4)
	out.Relays, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

// RelayRowOf is the row of a relay on record.
func RelayRowOf(record *relay.Record) RelayRow {
	row := RelayRow{
		ID: record.ID, Panel: record.Panel, Label: record.Label, Backend: record.Backend, Model: record.Model,
		Sandbox: record.Sandbox, Dir: record.Dir, State: record.State, StartedAt: record.Started,
		EndedAt: record.Ended, ElapsedMS: record.ElapsedMS, CostUSD: verb.Rounded(record.CostUSD, 4),
		Prompt: record.Prompt, Error: record.Error, ErrorCode: record.ErrorCode,
	}
	if record.Used != nil {
		row.Tokens = record.Used.Total()
	}
	return row
}

func (f *relayFilters) chooses(record *relay.Record) bool {
	named := func(backend string) bool { return slices.Contains(f.Backend, backend) }
	return (len(f.State) == 0 || slices.Contains(f.State, string(record.State))) &&
		(len(f.Backend) == 0 || slices.ContainsFunc(strings.Split(record.Backend, ","), named)) &&
		(f.Label == "" || f.Label == record.Label) && (f.Panel == "" || f.Panel == record.Panel)
}

func (t *relayTotals) add(row *RelayRow) {
	switch row.State {
	case relay.Running, relay.Pending:
		t.Running++
	case relay.Failed, relay.Interrupted:
		t.Failed++
	}
	t.Tokens += row.Tokens
	t.CostUSD += row.CostUSD
}

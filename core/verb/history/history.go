// Package history declares the verbs that show what happened: prompts, changed files, summaries and metrics.
package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
)

// historyFilters choose prompts and answers.
type historyFilters struct {
	registry.OfSession
	Pane  []string       `json:"pane,omitempty" names:"panes" help:"Only prompts to these panes: NAME.N, ordinals, %IDs or agent names, separated by commas"`
	Type  []string       `json:"type,omitempty" help:"Only prompts to agents of these kinds (claude or cc, codex or cod, ...)"`
	Last  int            `json:"last,omitempty" min:"0" help:"Only this many, the newest; 0 is all"`
	Since registry.Since `json:"since,omitzero" since:"time" help:"Only prompts sent since this time"`
}

// PromptsIn is the input of the verb history.
type PromptsIn struct {
	historyFilters
	Stats         bool `help:"Add counts"`
	Full          bool `help:"Give prompts whole; without it they end after 400 characters"`
	registry.Page `default:"limit=100"`
}

// PromptsOut is the answer of the verb history.
type PromptsOut struct {
	Filters historyFilters `json:"filters,omitzero"`
	// Prompts has one row per prompt, the newest first.
	Prompts []historyRow `json:"prompts"`
	// Answers has one row per answer that was given to a dialog through Cupola,
	// the newest first; AnswersTotal counts all that were found, whatever the page.
	Answers      []answerGiven `json:"answers"`
	AnswersTotal int           `json:"answers_total"`
	// Relays has a row for every relay, the newest first, unless a session or panes are chosen;
	// RelaysTotal counts all that were found, whatever the page.
	Relays      []relays.RelayRow `json:"relays"`
	RelaysTotal int               `json:"relays_total"`
	// Stats counts all that was found, whatever the page; absent unless asked for.
	Stats      *Stats          `json:"stats,omitempty"`
	Pagination verb.Pagination `json:"pagination"`

	// longer is the page of the longest of the lists.
	longer verb.Pagination
	// people is the page that people see of the lists, put together.
	people registry.Page
	at     time.Time
	// created is when the chosen session was made; zero without one, or if it is gone.
	created time.Time
}

// historyRow is one prompt. What does not apply is absent.
type historyRow struct {
	_ struct{} `minimal:"id,at,addresses,outcome" table:"SENT,PANES,FROM,OUTCOME,PROMPT OR ANSWER"`
	_ struct{} `standard:"id,at,session,addresses,agent_names,origin,outcome,tracked,text"`
	core.Prompt
	// Panes and Agents are the panes and agents it was sent to.
	Panes  []string `json:"addresses" names:"session" table:"PANES,strong"`
	Agents []string `json:"agent_names"`
	// Outcome is the outcome of all its deliveries, or mixed. It is open while none is on record: it is in progress,
	// or its sender ended first.
	Outcome core.Outcome `json:"outcome" table:"OUTCOME,word"`
	// Cut is true if the text was cut; --full gives it whole.
	Cut bool `json:"text_cut,omitempty"`
}

// answerGiven is an answer that was given to a dialog. What does not apply is absent.
type answerGiven struct {
	_ struct{} `minimal:"at,address,asks,chosen" standard:"at,address,agent,reason,asks,act,chosen,text,outcome"`
	_ struct{} `table:"AGO,TO,OUTCOME,ANSWER"`
	core.Decision
	// Address is the address of the agent's pane then.
	Address string `json:"address,omitempty" names:"session" table:"TO,strong"`
}

// Stats counts prompts, and deliveries by outcome.
type Stats struct {
	Prompts    int `json:"prompts"`
	Bytes      int `json:"bytes"`
	Deliveries int `json:"deliveries"`
	outcomes
	First     time.Time     `json:"first_at,omitzero"`
	Last      time.Time     `json:"last_at,omitzero"`
	BySession []store.Count `json:"by_session"`
	ByKind    []store.Count `json:"by_kind"`
}

// outcomes counts deliveries by outcome.
type outcomes struct {
	Delivered int `json:"delivered" table:"DELIVERED,drop=4"`
	Queued    int `json:"queued"`
	Steered   int `json:"steered"`
	Typed     int `json:"typed"`
	Refused   int `json:"refused" table:"FAILED"`
	// Unconfirmed were not seen to be taken up; of Open ones nothing is known.
	Unconfirmed int `json:"unconfirmed"`
	Open        int `json:"open"`
}

// count adds deliveries of an outcome.
func (o *outcomes) count(outcome core.Outcome, n int) {
	to := map[core.Outcome]*int{
		core.Delivered: &o.Delivered, core.Queued: &o.Queued, core.Steered: &o.Steered, core.Typed: &o.Typed,
		core.Refused: &o.Refused, core.Unconfirmed: &o.Unconfirmed, core.Open: &o.Open,
	}[outcome]
	if to != nil {
		*to += n
	}
}

var history = registry.Define(registry.Spec[*verb.Env, PromptsIn, PromptsOut]{
	Name: "history", Group: verb.GroupSee,
	Short:   "List prompts and answers, and outcomes",
	Aliases: []string{"prompt list", "prompts list", "prompt history"},
	Long: "Every prompt is on record before it is typed: those of send, the first prompts of spawn and add, and " +
		"those that follow an interrupt or an answer. An outcome of open means that nothing is known yet. " +
		"Answers are the ones given with answer or in the dashboard, not those typed into a pane by hand. Relays " +
		"have " +
		"no session. What went to other terminal servers is not listed.",
	Scope: registry.Global, Effect: registry.Reads, List: "prompts",
	Deprecated: registry.Prefixed{Prefix: "history", Flags: []string{"last", "pane", "since", "stats", "type"}},
	Examples:   []string{"--last=20", "--session=api --since=24h --stats"},
	Errors: []core.Code{
		core.SessionNotFound, core.AgentNotFound, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runHistory,
}).SeeAlso("summary", "tokens")

// Hints returns advice for the caller.
func (o PromptsOut) Hints() *registry.Hints {
	hints := verb.PageHints(o.longer)
	if slices.ContainsFunc(o.Prompts, func(row historyRow) bool { return row.Cut }) {
		hints.Warnings = append(hints.Warnings, "long prompts are cut; --full gives them whole")
	}
	if slices.ContainsFunc(o.Prompts, func(row historyRow) bool { return row.At.Before(o.created) }) {
		hints.Warnings = append(hints.Warnings, fmt.Sprintf(
			"those from before %[1]s went to an earlier session named %[2]s; --since=%[1]s leaves them out",
			o.created.UTC().Format(time.RFC3339), o.Filters.Session))
	}
	return hints
}

// mostText is how much of a prompt is shown without --full, in characters.
const mostText = 400

// cutTexts cuts long prompts.
func cutTexts(rows []historyRow) {
	for i := range rows {
		if text := []rune(rows[i].Text); len(text) > mostText {
			rows[i].Text, rows[i].Cut = string(text[:mostText]), true
		}
	}
}

func runHistory(ctx context.Context, env *verb.Env, in PromptsIn) (PromptsOut, error) {
	now := env.Now()
	var err error
	var created time.Time
	if in.Session, created, err = verb.SessionSince(ctx, env, in.Session); err != nil {
		return PromptsOut{}, err
	}
	hidden, err := verb.HiddenEver(ctx, env, in.Session)
	if err != nil {
		return PromptsOut{}, err
	}
	server, err := verb.ServerOf(ctx, env)
	if err != nil {
		return PromptsOut{}, err
	}
	query := store.PromptQuery{
		Server: server, Session: in.Session, Except: hidden, Panes: in.Pane, Since: in.Since.AsTime(now),
		Last: in.Last, Limit: in.Limit, Offset: in.Offset,
	}
	if len(in.Type) > 0 {
		f, err := env.Fleet()
		if err != nil {
			return PromptsOut{}, err
		}
		if query.Kinds, err = f.Resolver.KindIDs(in.Type); err != nil {
			return PromptsOut{}, err
		}
	}
	records, err := env.Store(ctx)
	if err != nil {
		return PromptsOut{}, err
	}
	relays, err := pastRelays(env, in, query.Kinds)
	if err != nil {
		return PromptsOut{}, err
	}
	page := in.Page
	if env.Human && in.Limit > 0 { // people see one list, and its page is cut
		page = registry.Page{Limit: in.Offset + in.Limit}
		query.Limit, query.Offset = page.Limit, 0
	}
	found, err := store.PromptsIn(records).Find(ctx, query)
	if err != nil {
		return PromptsOut{}, err
	}
	given, err := store.DecisionsIn(records).Find(ctx, query)
	if err != nil {
		return PromptsOut{}, err
	}
	out := PromptsOut{
		Filters: in.historyFilters, Prompts: historyRows(found.Prompts), Answers: answersOf(given.Decisions),
		AnswersTotal: given.Total, Relays: pageRelays(relays, page), RelaysTotal: len(relays),
		Pagination: verb.PageOf(len(found.Prompts), found.Total, in.Page), at: now,
		created: created,
	}
	if !in.Full {
		cutTexts(out.Prompts)
	}
	out.people = in.Page
	out.longer = verb.PageOf(max(len(found.Prompts), len(given.Decisions), len(out.Relays)),
		max(found.Total, given.Total, len(relays)), in.Page)
	out.Pagination.HasMore, out.Pagination.NextCursor = out.longer.HasMore, out.longer.NextCursor
	if in.Stats {
		counted, err := store.PromptsIn(records).Stats(ctx, query)
		if err != nil {
			return PromptsOut{}, err
		}
		out.Stats = StatsOf(&counted)
	}
	return out, nil
}

// pastRelays returns the relays that the filters choose, the newest first. Kinds are the kinds in the filters; nil is
// all. Relays belong to no session.
func pastRelays(env *verb.Env, in PromptsIn, kinds []core.Kind) ([]relays.RelayRow, error) {
	if in.Session != "" || len(in.Pane) > 0 {
		return nil, nil
	}
	all, err := relays.Directory(&env.Local).All()
	if err != nil {
		return nil, err
	}
	since := in.Since.AsTime(env.Now())
	var rows []relays.RelayRow
	for i := range all {
		record := &all[i]
		if in.Last > 0 && len(rows) == in.Last {
			break
		}
		if kinds != nil && !slices.Contains(kinds, core.Kind(record.Backend)) || record.Started.Before(since) {
			continue
		}
		rows = append(rows, relays.RelayRowOf(record))
	}
	return rows, nil
}

func pageRelays(rows []relays.RelayRow, page registry.Page) []relays.RelayRow {
	shown, _ := verb.Cut(rows, page)
	return shown
}

func answersOf(given []core.Decision) []answerGiven {
	return core.Map(given, func(d core.Decision) answerGiven {
		return answerGiven{Decision: d, Address: d.Address()}
	})
}

func historyRows(prompts []core.Prompt) []historyRow {
	rows := make([]historyRow, len(prompts))
	for i := range prompts {
		p := &prompts[i]
		rows[i] = historyRow{Prompt: *p, Panes: p.Addresses(), Outcome: p.Outcome()}
		for j := range p.Deliveries {
			if agent := p.Deliveries[j].Agent; agent != "" {
				rows[i].Agents = append(rows[i].Agents, agent)
			}
		}
	}
	return rows
}

// StatsOf counts prompts by their outcome.
func StatsOf(s *store.PromptStats) *Stats {
	stats := &Stats{
		Prompts: s.Prompts, Bytes: s.Bytes, Deliveries: s.Panes, First: s.First, Last: s.Last,
		BySession: s.Sessions, ByKind: s.Kinds,
	}
	for outcome, n := range s.Outcomes {
		stats.count(outcome, n)
	}
	return stats
}

package command

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/store"
	"cupola/robot/registry"
)

// historyFilters choose prompts and answers.
type historyFilters struct {
	registry.OfSession
	Pane  []string       `json:"pane,omitempty" help:"Only prompts to these panes: NAME.N, ordinals, %IDs or agent names, separated by commas"`
	Type  []string       `json:"type,omitempty" help:"Only prompts to agents of these kinds (claude or cc, codex or cod, ...)"`
	Last  int            `json:"last,omitempty" min:"0" help:"Only this many, the newest; 0 is all"`
	Since registry.Since `json:"since,omitzero" since:"time" help:"Only prompts sent since this time"`
}

type historyIn struct {
	historyFilters
	Stats         bool `help:"Add counts"`
	registry.Page `default:"limit=100"`
}

type historyOut struct {
	Filters historyFilters `json:"filters,omitzero"`
	// Prompts has a row a prompt, the newest first.
	Prompts []historyRow `json:"prompts"`
	// Answers has a row for every answer that was given to a dialog through Cupola,
	// the newest first; AnswersTotal counts all that were found, whatever the page.
	Answers      []answerGiven `json:"answers"`
	AnswersTotal int           `json:"answers_total"`
	// Stats counts all that was found, whatever the page; absent unless asked for.
	Stats      *historyStats `json:"stats,omitempty"`
	Pagination pagination    `json:"pagination"`

	// longer is the page of the longer of the two lists.
	longer pagination
	at     time.Time
}

// historyRow is one prompt. What does not apply is empty.
type historyRow struct {
	_  struct{} `minimal:"id,at,addresses,outcome" table:"SENT,PANES,FROM,OUTCOME,PROMPT OR ANSWER"`
	_  struct{} `standard:"id,at,session,addresses,agent_names,origin,outcome,tracked,text"`
	ID string   `json:"id"`
	At string   `json:"at" table:"SENT,dim,ago"`
	// Server is the path of the terminal server's socket.
	Server  string `json:"server"`
	Session string `json:"session,omitempty"`
	// Panes and Agents are those it went to.
	Panes  []string `json:"addresses" table:"PANES,strong"`
	Agents []string `json:"agent_names"`
	// Origin says where it came from: send, first-prompt, interrupt, answer, dashboard.
	Origin string `json:"origin" table:"FROM,dim"`
	// Outcome is that of all its deliveries, or mixed. It is open where nobody has
	// said what became of it: it goes on, or its sender ended before.
	Outcome string `json:"outcome" table:"OUTCOME,word"`
	// Tracked is true for prompts sent with --track.
	Tracked bool   `json:"tracked"`
	Bytes   int    `json:"bytes"`
	Text    string `json:"text" table:"PROMPT OR ANSWER,oneline,flex"`
	// Deliveries has a row a pane.
	Deliveries []historyDelivery `json:"deliveries"`
}

// historyDelivery is what became of a prompt at one pane.
type historyDelivery struct {
	core.PaneRef
	Outcome  string   `json:"outcome"`
	Why      string   `json:"why,omitempty"`
	Evidence []string `json:"evidence"`
	// At is when it ended; absent while open.
	At string `json:"at,omitempty"`
}

// answerGiven is an answer that was given to a dialog. What does not apply is empty.
type answerGiven struct {
	_       struct{} `minimal:"at,address,asks,chosen" standard:"at,address,agent,reason,asks,act,chosen,text,outcome"`
	_       struct{} `table:"AGO,TO,OUTCOME,ANSWER"`
	At      string   `json:"at" table:"AGO,dim,ago"`
	Session string   `json:"session,omitempty"`
	// Address is that of the agent's pane then.
	Address string `json:"address,omitempty" table:"TO,strong"`
	Agent   string `json:"agent,omitempty"`
	Kind    string `json:"kind,omitempty"`
	// Origin is answer or dashboard, By the pane in which it was given, as
	// SESSION/NAME.
	Origin string `json:"origin"`
	By     string `json:"by,omitempty"`
	// Reason is what the dialog asked for, Asks what it asked about.
	Reason string `json:"reason,omitempty"`
	Asks   string `json:"asks,omitempty"`
	// Act is approve, deny, choose or text, Chosen the option that was taken, Text the
	// words that were given.
	Act    string `json:"act" table:"ANSWER,flex"`
	Chosen string `json:"chosen,omitempty"`
	Text   string `json:"text,omitempty"`
	// Outcome is resolved, asked_again where another dialog came, or unconfirmed.
	Outcome string `json:"outcome,omitempty" table:"OUTCOME"`
}

// historyStats counts prompts, and deliveries by outcome.
type historyStats struct {
	Prompts    int `json:"prompts"`
	Bytes      int `json:"bytes"`
	Deliveries int `json:"deliveries"`
	outcomes
	First     string        `json:"first_at,omitempty"`
	Last      string        `json:"last_at,omitempty"`
	BySession []store.Count `json:"by_session"`
	ByKind    []store.Count `json:"by_kind"`
}

// outcomes counts deliveries by what became of them.
type outcomes struct {
	Delivered int `json:"delivered" table:"DELIVERED"`
	Queued    int `json:"queued"`
	Steered   int `json:"steered"`
	Typed     int `json:"typed"`
	Refused   int `json:"refused" table:"FAILED"`
	// Unconfirmed were not seen to be taken up; of Open ones nobody has said.
	Unconfirmed int `json:"unconfirmed"`
	Open        int `json:"open"`
}

// count adds deliveries of an outcome.
func (o *outcomes) count(outcome string, n int) {
	to := map[string]*int{
		string(core.Delivered): &o.Delivered, string(core.Queued): &o.Queued, string(core.Steered): &o.Steered,
		string(core.Typed): &o.Typed, string(core.Refused): &o.Refused, string(core.Unconfirmed): &o.Unconfirmed,
		store.OutcomeOpen: &o.Open,
	}[outcome]
	if to != nil {
		*to += n
	}
}

var history = registry.Define(registry.Spec[*Env, historyIn, historyOut]{
	Name: "history", Group: groupSee, Short: "List sent prompts and given answers, and what became of them",
	Aliases: []string{"prompt list", "prompts list", "prompt history"},
	Long: "Every prompt is on record before it is typed: those of send, the first prompts of spawn and add, and " +
		"those that follow an interrupt or an answer. An outcome of open means that nobody has said what became of " +
		"it. Answers are those given with answer or in the dashboard, not those typed into a pane by hand. What went " +
		"to other terminal servers is not listed.",
	Scope: registry.Global, Effect: registry.Reads, List: "prompts",
	Deprecated: registry.Prefixed{Prefix: "history", Flags: []string{"last", "pane", "since", "stats", "type"}},
	Examples:   []string{"--last=20", "--session=api --since=24h --stats"},
	Errors: []core.Code{
		core.SessionNotFound, core.AgentNotFound, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runHistory,
}).SeeAlso("summary", "tokens")

func (o historyOut) Hints() *registry.Hints {
	return pageHints(o.longer)
}

func runHistory(ctx context.Context, env *Env, in historyIn) (historyOut, error) {
	now := env.Now()
	var err error
	if in.Session, err = onRecord(ctx, env, in.Session); err != nil {
		return historyOut{}, err
	}
	hidden, err := hiddenEver(ctx, env, in.Session)
	if err != nil {
		return historyOut{}, err
	}
	server, err := serverOf(ctx, env)
	if err != nil {
		return historyOut{}, err
	}
	query := store.PromptQuery{
		Server: server, Session: in.Session, Except: hidden, Panes: in.Pane, Since: in.Since.AsTime(now),
		Last: in.Last, Limit: in.Limit, Offset: in.Offset,
	}
	if len(in.Type) > 0 {
		f, err := env.Fleet()
		if err != nil {
			return historyOut{}, err
		}
		if query.Kinds, err = f.Resolver.KindIDs(in.Type); err != nil {
			return historyOut{}, err
		}
	}
	records, err := env.Store(ctx)
	if err != nil {
		return historyOut{}, err
	}
	found, err := records.Prompts(ctx, query)
	if err != nil {
		return historyOut{}, err
	}
	given, err := records.Answers(ctx, query)
	if err != nil {
		return historyOut{}, err
	}
	out := historyOut{
		Filters: in.historyFilters, Prompts: rowsBy(found.Prompts, historyRowOf),
		Answers:      answersOf(given.Answers),
		AnswersTotal: given.Total, Pagination: pageOf(len(found.Prompts), found.Total, in.Page), at: now,
	}
	out.longer = pageOf(max(len(found.Prompts), len(given.Answers)), max(found.Total, given.Total), in.Page)
	out.Pagination.HasMore, out.Pagination.NextCursor = out.longer.HasMore, out.longer.NextCursor
	if in.Stats {
		counted, err := records.PromptStats(ctx, query)
		if err != nil {
			return historyOut{}, err
		}
		out.Stats = historyStatsOf(&counted)
	}
	return out, nil
}

func answersOf(given []store.Answer) []answerGiven {
	rows := make([]answerGiven, 0, len(given))
	for i := range given {
		a := &given[i]
		rows = append(rows, answerGiven{
			At: stamp(a.At), Session: a.Session, Address: core.Address(a.Session, a.Ordinal), Agent: a.Agent,
			Kind: string(a.Kind), Origin: a.Origin, By: a.By, Reason: string(a.Reason), Asks: a.Asks, Act: a.Act,
			Chosen: a.Chosen, Text: a.Text, Outcome: a.Outcome,
		})
	}
	return rows
}

func historyRowOf(p *store.Prompt) historyRow {
	row := historyRow{
		ID: p.ID, At: stamp(p.At), Server: p.Server, Session: p.Session, Origin: p.Origin, Tracked: p.Tracked,
		Bytes: p.Bytes, Text: p.Text, Deliveries: make([]historyDelivery, 0, len(p.Deliveries)),
	}
	panes, agents := []string{}, []string{}
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		panes = append(panes, core.Address(d.Session, d.Ordinal))
		if d.Agent != "" {
			agents = append(agents, d.Agent)
		}
		if row.Outcome == "" {
			row.Outcome = d.Outcome
		} else if row.Outcome != d.Outcome {
			row.Outcome = "mixed"
		}
		row.Deliveries = append(row.Deliveries, historyDelivery{
			PaneRef: refOf(d), Outcome: d.Outcome, Why: d.Why, Evidence: evident(d.Evidence), At: stamp(d.At),
		})
	}
	row.Panes, row.Agents = panes, agents
	return row
}

func historyStatsOf(s *store.PromptStats) *historyStats {
	stats := &historyStats{
		Prompts: s.Prompts, Bytes: s.Bytes, Deliveries: s.Panes, First: stamp(s.First), Last: stamp(s.Last),
		BySession: s.Sessions, ByKind: s.Kinds,
	}
	for outcome, n := range s.Outcomes {
		stats.count(outcome, n)
	}
	return stats
}

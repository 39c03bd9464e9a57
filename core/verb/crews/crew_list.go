package crews

import (
	"context"
	"slices"
	"time"

	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type crewFilters struct {
	State []string       `json:"state,omitempty" enum:"running,paused,completed,failed,stopped,interrupted" help:"Only crews in these states, separated by commas"`
	Since registry.Since `json:"since,omitzero" since:"time" help:"Only crews that began since this time"`
}

type crewListIn struct {
	crewFilters
	registry.Page `default:"limit=50"`
}

type crewListOut struct {
	Filters crewFilters `json:"filters,omitzero"`
	// Crews has a row for each crew, the newest first.
	Crews []CrewRow `json:"crews" empty:"there was no crew yet" filtered:"nothing fits the filters"`
	verb.Paged
}

// CrewRow is one crew, without what was said.
type CrewRow struct {
	_         struct{}    `minimal:"id,state,turn" standard:"id,state,reason,turn,agent_names,prompt,started_at,elapsed_ms,cost_usd,cost_known"`
	_         struct{}    `table:"CREW,STATE,TURN,AGENTS,AGE,COST,TASK"`
	ID        string      `json:"id" table:"CREW,strong"`
	State     crew.State  `json:"state" table:"STATE,word,with=Reason"`
	Reason    crew.Reason `json:"reason,omitempty"`
	Turn      int         `json:"turn" table:"TURN"`
	Stage     crew.Stage  `json:"stage"`
	Session   string      `json:"session,omitempty" names:"session"`
	Recipe    string      `json:"recipe,omitempty"`
	Dir       string      `json:"dir"`
	Sandbox   string      `json:"sandbox,omitempty"`
	Agents    []string    `json:"agent_names" table:"AGENTS,dim,join=;"`
	StartedAt time.Time   `json:"started_at" table:"AGE,dim,ago"`
	EndedAt   time.Time   `json:"ended_at,omitzero"`
	ElapsedMS int64       `json:"elapsed_ms"`
	CostUSD   float64     `json:"cost_usd" table:"COST,dim,format=$%.4f,empty=-"`
	CostKnown bool        `json:"cost_known"`
	Prompt    string      `json:"prompt" table:"TASK,oneline,flex"`
	Error     string      `json:"error,omitempty"`
}

var crewList = registry.Define(registry.Spec[*verb.Env, crewListIn, crewListOut]{
	Name: "crew-list", Of: "run-list --kind=crew", Group: verb.GroupCrew, Short: "List crews that work and that worked",
	Aliases: []string{"crews", "agentic list"},
	Long:    "The newest first. One whose process was killed, or that a reboot ended, is interrupted.",
	Scope:   registry.Global, Effect: registry.Reads, List: "crews",
	Examples: []string{"", "--state=running"},
	Errors:   codes, Run: runCrewList,
}).SeeAlso("crew-recipes")

func runCrewList(_ context.Context, env *verb.Env, in crewListIn) (crewListOut, error) {
	all, err := crewsOf(env, run.Filter{Since: in.Since.AsTime(env.Now())})
	if err != nil {
		return crewListOut{}, err
	}
	out, rows := crewListOut{Filters: in.crewFilters}, []CrewRow{}
	for i := range all {
		if len(in.State) == 0 || slices.Contains(in.State, string(all[i].State)) {
			rows = append(rows, RowOf(&all[i]))
		}
	}
	out.Crews, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

// RowOf is the row of a crew.
func RowOf(c *crew.Crew) CrewRow {
	row := CrewRow{
		ID: c.ID, State: c.State, Reason: c.Reason, Turn: max(0, c.Turn), Stage: c.Stage, Session: c.Session,
		Recipe: c.Recipe, Dir: c.Dir, Sandbox: c.Sandbox, Agents: c.Names(), StartedAt: c.Started, EndedAt: c.Ended,
		ElapsedMS: c.ElapsedMS, Prompt: c.Prompt, Error: c.Error,
	}
	row.CostUSD, row.CostKnown = c.CostUSD()
	row.CostUSD = verb.Rounded(row.CostUSD, 4)
	return row
}

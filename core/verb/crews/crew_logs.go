package crews

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cupola/core"

	"cupola/core/run/crew"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type logFilters struct {
	Type   []string `json:"type,omitempty" enum:"crew_start,crew_end,task,message,note,agent_status,turn_complete,guardrail,error,pause,resume" help:"Only events of these types, separated by commas"`
	Agent  []string `json:"agent,omitempty" help:"Only events of this agent; of two, only what they wrote to each other"`
	Search string   `json:"search,omitempty" help:"Only events whose text has this, whatever the case"`
}

type crewLogsIn struct {
	Crew string `arg:"1" alias:"session" lister:"crew-list" names:"record" help:"Id of a crew (default: the newest)"`
	logFilters
	registry.Page `default:"limit=200"`
}

type crewLogsOut struct {
	ID      string     `json:"id"`
	Filters logFilters `json:"filters,omitzero"`
	// Events are in the order in which they were recorded.
	Events []logRow `json:"events" empty:"nothing was recorded" filtered:"nothing fits the filters"`
	verb.Paged
}

// logRow is one event.
type logRow struct {
	_ struct{} `minimal:"turn,type,from,to,text" standard:"seq,at,turn,type,from,to,text,status,reason"`
	crew.Event
}

var crewLogs = registry.Define(registry.Spec[*verb.Env, crewLogsIn, crewLogsOut]{
	Name: "crew-logs", Of: "run-logs", Group: verb.GroupCrew, Short: "List what happened in a crew, a line each",
	Aliases: []string{"agentic logs"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "events",
	Examples: []string{"k3x9ab2", "k3x9ab2 --type=message --agent=ada.reviewer"},
	Errors:   codes, Run: runCrewLogs,
}).SeeAlso("crew-replay", "run-show")

func runCrewLogs(ctx context.Context, env *verb.Env, in crewLogsIn) (crewLogsOut, error) {
	crews, err := read(ctx, env)
	if err != nil {
		return crewLogsOut{}, err
	}
	if in.Crew == "" {
		if in.Crew, err = newest(env); err != nil {
			return crewLogsOut{}, err
		}
	}
	c, err := crews.Load(ctx, in.Crew)
	if err != nil {
		return crewLogsOut{}, err
	}
	events, err := crews.Events(ctx, c.ID, 0)
	if err != nil {
		return crewLogsOut{}, err
	}
	out := crewLogsOut{ID: c.ID, Filters: in.logFilters}
	agents := make([]string, len(in.Agent))
	for i, name := range in.Agent {
		if agents[i] = crew.Resolve(name, c.Names()); agents[i] == "" {
			return crewLogsOut{}, crew.UnknownMember(name, c.Names())
		}
	}
	rows := []logRow{}
	for i := range events {
		if in.chooses(&events[i], agents) {
			rows = append(rows, logRow{Event: events[i]})
		}
	}
	out.Events, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

// rowsOf are the rows of events.
func rowsOf(events []crew.Event) []logRow {
	return core.Map(events, func(e crew.Event) logRow { return logRow{Event: e} })
}

func (f *logFilters) chooses(e *crew.Event, agents []string) bool {
	switch {
	case len(f.Type) > 0 && !slices.Contains(f.Type, string(e.Type)):
		return false
	case f.Search != "" && !strings.Contains(strings.ToLower(e.Text), strings.ToLower(f.Search)):
		return false
	case len(agents) == 1:
		return e.From == agents[0] || e.To == agents[0]
	case len(agents) > 1:
		return slices.Contains(agents, e.From) && slices.Contains(agents, e.To)
	}
	return true
}

// longestLine is how much of a text a line shows, in bytes.
const longestLine = 120

// Report shows a line for each event to a person.
func (o crewLogsOut) Report() *report.Report {
	r := &report.Report{}
	table := &report.Table{Columns: report.Columns("TIME", "TURN", "WHO", "WHAT"), Empty: "Nothing was recorded."}
	table.Columns[3].Flex = true
	for i := range o.Events {
		e := &o.Events[i].Event
		who, what := e.From, string(e.Type)
		if e.To != "" {
			who += " → " + e.To
		}
		text := firstLine(e.Text)
		for _, part := range []string{string(e.Status), string(e.Reason), text} {
			if part != "" {
				what += " " + part
			}
		}
		if e.Type == crew.Message || e.Type == crew.Task {
			what = text
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Dim, e.At.Local().Format("15:04:05")),
			{Text: strconv.Itoa(e.Turn)},
			report.Toned(report.Strong, who), report.Text(what),
		})
	}
	return r.AddTable("", table)
}

// firstLine is the first line of a text, cut.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > longestLine {
		line = strings.ToValidUTF8(line[:longestLine], "") + "…"
	}
	return line
}

// Next says how to read all of it.
func (o crewLogsOut) Next() []registry.Action {
	return []registry.Action{verb.NextAction("replay", "Read all that was said", "crew-replay", o.ID)}
}

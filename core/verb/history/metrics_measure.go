package history

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// measured adds up what happened, per period, per agent and at all.
type measured struct {
	spans   []stretch
	session string
	hidden  verb.HiddenSessions
	periods []measures
	agents  map[string]*agentTimes
	total   measures
}

func newMeasured(spans []stretch, session string, hidden verb.HiddenSessions) *measured {
	return &measured{
		spans: spans, session: session, hidden: hidden, periods: make([]measures, len(spans)),
		agents: map[string]*agentTimes{},
	}
}

// agent is the row of an agent. One that was restarted under its name is the same.
func (m *measured) agent(session, address, name string, kind core.Kind) *measures {
	id := address + " " + name
	row := m.agents[id]
	if row == nil {
		row = &agentTimes{Session: session, Address: address, Agent: name, Kind: kind}
		m.agents[id] = row
	}
	return &row.measures
}

// prompt counts a prompt and its deliveries in the period in which it was sent.
func (m *measured) prompt(p *core.Prompt) {
	at := slices.IndexFunc(m.spans, func(s stretch) bool { return !p.At.Before(s.from) && p.At.Before(s.to) })
	if at < 0 {
		return
	}
	both := []*measures{&m.periods[at], &m.total}
	for _, to := range both {
		to.Prompts++
	}
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		if m.session != "" && d.Session != m.session || m.hidden.Hides(d.Session) {
			continue
		}
		all := both
		if d.Agent != "" {
			own := m.agent(d.Session, d.Address(), d.Agent, d.Kind)
			own.Prompts++
			all = append(slices.Clone(both), own)
		}
		for _, to := range all {
			to.Deliveries++
			to.count(d.Outcome, 1)
		}
	}
}

// add adds a time in a state to every period that it lies in.
func (m *measured) add(s timesheet.Span) {
	if m.session != "" && s.Session != m.session {
		return
	}
	for i := range m.spans {
		if part, ok := s.Within(m.spans[i].from, m.spans[i].to); ok {
			m.periods[i].spend(part)
			m.total.spend(part)
			m.agent(s.Session, s.Address, s.Agent, s.Kind).spend(part)
		}
	}
}

func (m *measures) spend(part timesheet.Span) {
	if spent := m.spent(part.State); spent != nil {
		*spent = seconds(verb.Rounded(float64(*spent)+part.To.Sub(part.From).Seconds(), 3))
	}
	if count := m.times(part.State); count != nil && part.Begins {
		*count++
	}
}

func (m *measures) spent(state core.State) *seconds {
	return map[core.State]*seconds{
		core.Working: &m.Working, core.Waiting: &m.Waiting, core.Idle: &m.Idle, core.Limited: &m.Limited,
		core.Errored: &m.Error, core.Starting: &m.Starting, core.Exited: &m.Exited, core.Unknown: &m.Unknown,
	}[state]
}

func (m *measures) times(state core.State) *int {
	return map[core.State]*int{core.Waiting: &m.Waits, core.Limited: &m.Limits, core.Errored: &m.Errors}[state]
}

func (m *measured) rows() []periodRow {
	rows := make([]periodRow, len(m.spans))
	for i := range m.spans {
		rows[i] = periodRow{From: m.spans[i].from, To: m.spans[i].to, measures: m.periods[i]}
	}
	return rows
}

func (m *measured) agentRows() []agentTimes {
	rows := make([]agentTimes, 0, len(m.agents))
	for _, row := range m.agents {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b agentTimes) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Agent, b.Agent))
	})
	return rows
}

func (o metricsOut) Report() *report.Report {
	working := core.Map(o.Periods, func(p periodRow) float64 { return float64(p.Working) })
	r := report.TableOf(o.Periods, time.Time{}, "nothing is on record").Report()
	if len(working) > 1 && o.Total.Working > 0 {
		r.Add(report.Spark("worked", working))
	}
	byAgent := report.TableOf(o.Agents, time.Time{}, "")
	worked := core.Map(o.Agents, func(a agentTimes) float64 { return float64(a.Working) })
	if len(o.Agents) > 0 {
		r.AddTable("Agents", byAgent.AddBars(worked, slices.Max(worked)))
	}
	if !o.Kept {
		r.AddLine(report.Toned(report.Dim,
			"no keeper runs now, so times in states are not counted"))
	}
	return r
}

// Cell shows counts of prompts as sums.
func (m *measures) Cell(title string) (report.Cell, bool) {
	number := func(n int, tone report.Tone) (report.Cell, bool) {
		if n == 0 {
			return report.Toned(report.Dim, "-"), true
		}
		return report.Toned(tone, strconv.Itoa(n)), true
	}
	switch title {
	case "DELIVERED":
		return number(m.Delivered+m.Queued+m.Steered, report.Good)
	case "FAILED":
		return number(m.Refused+m.Unconfirmed, report.Bad)
	}
	return report.Cell{}, false
}

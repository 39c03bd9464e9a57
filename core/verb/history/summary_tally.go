package history

import (
	"slices"

	"cupola/core"
	"cupola/core/fleet/worklog"
	"cupola/core/verb"
)

// tally adds up what was done, by agent and session.
type tally struct {
	total        workCounts
	sessions     map[string]*sessionWork
	sessionNames []string
	agents       map[string]*agentWork
	addresses    []string
}

func newTally(h *happened) *tally {
	c := &tally{sessions: map[string]*sessionWork{}, agents: map[string]*agentWork{}}
	for i := range h.snap.Sessions {
		s := &h.snap.Sessions[i]
		if h.session != "" && s.Name != h.session {
			continue
		}
		c.session(s.Name).Open = true
		for _, pane := range s.Agents() {
			a := c.agent(s.Name, pane.Address(), pane.Agent.Name)
			a.State, a.Reason = pane.Status.State, pane.Status.Reason
			a.whole = h.sees(pane.Agent.Started)
		}
	}
	for i := range h.events {
		c.event(&h.events[i])
	}
	for i := range h.prompts {
		c.prompt(h, i)
	}
	for i := range h.answers {
		a := &h.answers[i]
		c.each(a.Session, a.Address(), a.Agent, func(d *workCounts) { d.Answers++ })
	}
	c.work(h.work)
	for _, span := range h.spans {
		if part, ok := span.Within(h.since, h.to); ok && (h.session == "" || span.Session == h.session) {
			a := c.agent(span.Session, span.Address, span.Agent)
			lasted := part.To.Sub(part.From).Seconds()
			switch part.State {
			case core.Working:
				a.WorkingS = verb.MaybeNumber(verb.Rounded(float64(a.WorkingS)+lasted, 3))
				if part.Begins && !part.Resumes {
					a.Turns++
				}
			case core.Waiting:
				a.WaitingS = verb.MaybeNumber(verb.Rounded(float64(a.WaitingS)+lasted, 3))
			}
		}
	}
	for _, a := range c.agents {
		a.whole = a.whole || len(h.why) == 0
	}
	slices.Sort(c.sessionNames)
	return c
}

func (c *tally) session(name string) *sessionWork {
	if c.sessions[name] == nil {
		c.sessions[name] = &sessionWork{Session: name}
		c.sessionNames = append(c.sessionNames, name)
	}
	return c.sessions[name]
}

// agent is the row of an agent; those that exist come first.
func (c *tally) agent(session, address, name string) *agentWork {
	if c.agents[address] == nil {
		c.agents[address] = &agentWork{Session: session, Address: address, Agent: name}
		c.addresses = append(c.addresses, address)
		c.session(session).Agents++
	}
	return c.agents[address]
}

// each adds to the total, the session and the agent, so far as these are known.
func (c *tally) each(session, address, agent string, add func(*workCounts)) {
	add(&c.total)
	if session != "" {
		add(&c.session(session).workCounts)
	}
	if agent != "" {
		add(&c.agent(session, address, agent).workCounts)
	}
}

func (c *tally) event(e *core.Event) {
	agent := e.Agent
	if known := c.agents[e.Pane]; agent == "" && known != nil {
		agent = known.Agent
	}
	switch e.Type {
	case core.StateChanged:
		if e.From == e.To {
			return
		}
		c.each(e.Session, e.Pane, agent, func(d *workCounts) { d.StateChanges++ })
	case core.AlertRaised:
		c.each(e.Session, e.Pane, agent, func(d *workCounts) { d.AlertsRaised++ })
	case core.AlertResolved:
		c.each(e.Session, e.Pane, agent, func(d *workCounts) { d.AlertsResolved++ })
	}
}

// prompt counts a prompt once in all and in each session, and at each agent.
func (c *tally) prompt(h *happened, i int) {
	p := &h.prompts[i]
	failed := false
	bySession := map[string]bool{}
	for j := range p.Deliveries {
		d := &p.Deliveries[j]
		if h.session != "" && d.Session != h.session || h.hidden.Hides(d.Session) {
			continue
		}
		missed := d.Outcome.Failed()
		failed = failed || missed
		bySession[d.Session] = bySession[d.Session] || missed
		if d.Agent != "" {
			c.agent(d.Session, d.Address(), d.Agent).asked(missed)
		}
	}
	c.total.asked(failed)
	for session, missed := range bySession {
		c.session(session).asked(missed)
	}
}

func (d *workCounts) asked(failed bool) {
	d.Prompts++
	if failed {
		d.PromptsFailed++
	}
}

func (c *tally) work(work *worklog.Work) {
	for i := range work.Files {
		f := &work.Files[i]
		if f.By == worklog.CreditBefore {
			continue
		}
		if f.Session == "" {
			c.uncredited(work, f.Tree, func(d *workCounts) { d.Files++ })
			continue
		}
		c.each(f.Session, f.Address(), f.Agent, func(d *workCounts) { d.Files++ })
	}
	for i := range work.Commits {
		m := &work.Commits[i]
		if m.By == worklog.CreditBefore {
			continue
		}
		if m.Session == "" {
			c.uncredited(work, m.Tree, func(d *workCounts) { d.Commits++ })
			continue
		}
		c.each(m.Session, m.Address(), m.Agent, func(d *workCounts) { d.Commits++ })
	}
}

// uncredited adds what no agent can be credited with to the session that has a tree
// for itself.
func (c *tally) uncredited(work *worklog.Work, tree string, add func(*workCounts)) {
	session := ""
	for i := range work.Trees {
		if t := &work.Trees[i]; t.Root == tree && len(t.Sessions) == 1 {
			session = t.Sessions[0]
		}
	}
	c.each(session, "", "", add)
}

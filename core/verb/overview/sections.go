package overview

import (
	"context"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/verb"
	"cupola/core/verb/history"
	"cupola/core/verb/money"
	"cupola/core/verb/registry"
	"cupola/core/verb/tools"
	"cupola/core/verb/work"
)

// sections are the parts of what is known that an overview has only where they are asked for.
type sections struct {
	// Alerts are the open ones.
	Alerts []alertRow
	// Events are the last ones on record, or those since.
	Events []eventRow
	// Complete is false where more may have changed since than is known, and Why says why; nil without a since.
	Complete  *bool
	Why       string
	Beads     []work.ShownProject
	AgentMail *tools.ToolSection
	Tools     []tools.ToolSection
	Budgets   []money.BudgetRow

	changed changes
}

// sectionsOf returns the sections that are wanted, by their names.
func sectionsOf(ctx context.Context, deps verb.OnFleet, snap *core.Snapshot, since registry.Since,
	wanted func(section string) bool,
) (s sections, err error) {
	if wanted("alerts") {
		s.Alerts = alertRows(snap.Alerts)
	}
	if wanted("beads") {
		if s.Beads, err = work.ProjectsOf(ctx, deps.Env, snap); err != nil {
			return s, err
		}
	}
	if wanted("agent_mail") {
		s.AgentMail = tools.MailSection(&deps.Env.Local)
	}
	if wanted("budgets") {
		if s.Budgets, err = money.BudgetSection(ctx, deps.Env); err != nil {
			return s, err
		}
	}
	if wanted("tools") {
		s.Tools = tools.ToolSections(&deps.Env.Local)
	}
	if !wanted("events") && since.String() == "" {
		return s, nil
	}
	if s.changed, err = changesBefore(ctx, deps, snap, since); err != nil {
		return s, err
	}
	if wanted("events") {
		s.Events = s.changed.rows()
	}
	if since.String() != "" {
		whole := s.changed.gap == ""
		s.Complete, s.Why = &whole, s.changed.gap
	}
	return s, nil
}

// narrow leaves of some lists what changed since a time or revision, if all of that is known.
func (s *sections) narrow(snap *core.Snapshot, since registry.Since, sessions *[]verb.SessionRow, panes *[]verb.PaneRow,
	details *[]verb.PaneDetail, alerts *[]alertRow,
) {
	if s.Complete != nil && *s.Complete {
		s.changed.only(sessions, panes, details, alerts, since.AsTime(snap.Taken))
	}
}

// promptsSince counts the prompts that were sent since midnight, UTC.
func promptsSince(ctx context.Context, env *verb.Env, session string) (today promptsToday, err error) {
	on, err := verb.OnRecords{}.Open(ctx, env)
	if err != nil {
		return today, err
	}
	hidden, err := verb.HiddenEver(ctx, env, session)
	if err != nil {
		return today, err
	}
	sent, err := store.PromptsIn(on.Records).Stats(ctx, store.PromptQuery{
		Server: on.Server, Session: session, Except: hidden, Since: money.DayOf(env.Now()),
	})
	if err != nil {
		return today, err
	}
	by := history.StatsOf(&sent)
	return promptsToday{
		Prompts: sent.Prompts, Panes: sent.Panes, Failed: by.Refused + by.Unconfirmed,
		Delivered: by.Delivered + by.Queued + by.Steered,
	}, nil
}

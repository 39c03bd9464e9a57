package history

import (
	"context"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/worklog"
	"cupola/core/record/store"
	"cupola/core/record/timesheet"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// sinceWhen chooses what summary and diff look back at.
type sinceWhen struct {
	registry.OfSession
	Since registry.Since `default:"1h" help:"Only what happened since this time or revision"`
}

// reach says which times have records.
type reach struct {
	// Since is the start that was asked for, as a moment, and To is now.
	Since time.Time `json:"since,omitzero"`
	To    time.Time `json:"to,omitzero"`
	// From is from when on events are on record: Since, or later.
	From time.Time `json:"from,omitzero"`
	// Complete is false where events of that time may be missing; Why says why.
	// Prompts, files and commits are known all the same.
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"`
	// Gaps has one row per time in which no keeper ran.
	Gaps []gapRow `json:"gaps" minimal:"from,to"`
}

// gapRow is a time without recorded events.
type gapRow struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// happened is all that is known of a time.
type happened struct {
	session     string
	hidden      verb.HiddenSessions
	since, from time.Time
	to          time.Time
	why         []string
	// kept is true while a keeper runs.
	kept bool
	gaps []gapRow
	snap *core.Snapshot
	// allEvents are all events that were read, also older ones.
	allEvents []core.Event
	// events are in their order, prompts the oldest first, answers the newest first.
	events  []core.Event
	prompts []core.Prompt
	answers []core.Decision
	spans   []timesheet.Span
	work    *worklog.Work
}

// tookOver is how soon a keeper that takes over follows the one before.
const tookOver = 5 * time.Second

// happenedSince gathers what happened.
func happenedSince(ctx context.Context, deps verb.OnRecords, in sinceWhen) (*happened, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Brief: true})
	if err != nil {
		return nil, err
	}
	if in.Session, err = verb.SessionOnRecord(ctx, deps.Env, in.Session); err != nil {
		return nil, err
	}
	hidden, err := verb.HiddenEver(ctx, deps.Env, in.Session)
	if err != nil {
		return nil, err
	}
	h := &happened{
		session: in.Session, hidden: hidden, kept: deps.Kept, to: deps.Env.Now().UTC(), snap: snap, gaps: []gapRow{},
	}
	if err := h.recall(ctx, deps, in.Since, in.Session == "" && deps.Fleet.Resolver.HidesForeign()); err != nil {
		return nil, err
	}
	query := store.PromptQuery{Server: deps.Server, Session: in.Session, Except: hidden, Since: h.since}
	found, err := store.PromptsIn(deps.Records).Find(ctx, query)
	if err != nil {
		return nil, err
	}
	h.prompts = found.Prompts
	given, err := store.DecisionsIn(deps.Records).Find(ctx, query)
	if err != nil {
		return nil, err
	}
	h.answers = given.Decisions
	slices.Reverse(h.prompts)
	allEvents := worklog.Request{Session: in.Session, Since: h.since, Past: true, Events: h.allEvents}
	h.work, err = deps.Fleet.Surveyor.Work(ctx, allEvents)
	if core.AsError(err).HasCode(core.ToolNotFound) {
		deps.Env.Warn("files and commits are not known: git is not installed")
		h.work, err = &worklog.Work{}, nil
	}
	if err != nil {
		return nil, err
	}
	hidden.Work(h.work)
	warnOfTrees(deps.Env, h.work)
	return h, nil
}

// recall reads the events, and sets the time that they cover. hideForeign leaves out what
// happened in sessions of others.
func (h *happened) recall(ctx context.Context, deps verb.OnRecords, since registry.Since, hideForeign bool) error {
	var err error
	if since.IsRevision() {
		err = h.recallRevision(ctx, deps, since.Revision)
	} else if h.since = since.AsTime(h.to); h.since.After(h.to) {
		err = core.Errorf(core.InvalidInput, "--since: %s is not past yet", since)
	}
	if err != nil {
		return err
	}
	all, err := store.EventsIn(deps.Records).Find(ctx, store.EventQuery{Server: deps.Server, Since: h.since.Add(-lead)})
	if err != nil {
		return err
	}
	before, err := store.EventsIn(deps.Records).Find(ctx,
		store.EventQuery{Server: deps.Server, Until: h.since, Last: 1})
	if err != nil {
		return err
	}
	h.allEvents = all
	h.spans = slices.DeleteFunc(timesheet.Of(all, h.to, h.kept),
		func(s timesheet.Span) bool { return hideForeign && s.Foreign })
	at := slices.IndexFunc(all, func(e core.Event) bool { return !e.At.Before(h.since) })
	if at < 0 {
		at = len(all)
	}
	h.judge(before, all[at:])
	for _, e := range all[at:] {
		if (h.session == "" || e.Session == h.session || e.Session == "") && (!hideForeign || !e.Foreign) {
			h.events = append(h.events, e)
		}
	}
	return nil
}

// recallRevision finds the moment of a revision.
func (h *happened) recallRevision(ctx context.Context, deps verb.OnRecords, revision core.Revision) error {
	later, err := store.EventsIn(deps.Records).Find(ctx,
		store.EventQuery{Server: deps.Server, After: max(revision, 1) - 1})
	switch {
	case err != nil:
		return err
	case len(later) == 0:
		return verb.ErrNoRevision(revision)
	}
	h.since = later[0].At
	if later[0].Revision == revision {
		// The change that led to the revision is not one since.
		h.since = h.since.Add(time.Millisecond)
	}
	return nil
}

// judge finds the times without recorded events. Before holds the last event before them.
func (h *happened) judge(before, events []core.Event) {
	h.from = h.since
	last := h.since
	switch {
	case len(before) > 0:
		last = before[0].At
	case len(events) > 0:
		h.from = events[0].At
		h.why = append(h.why, "no event before "+core.Stamp(h.from)+" is on record")
		last = h.from
	default:
		h.from = h.to
		h.why = append(h.why, "no event is on record, so states and how long they lasted are not known: keep "+
			"'cupola watch' or the dashboard running")
	}
	for i := range events {
		e := &events[i]
		if e.Type == core.KeeperChanged && e.At.Sub(last) > tookOver {
			h.gaps = append(h.gaps, gapRow{later(last, h.since), e.At})
		}
		last = e.At
	}
	if !h.kept && len(before)+len(events) > 0 && h.to.Sub(last) > tookOver {
		h.gaps = append(h.gaps, gapRow{later(last, h.since), h.to})
	}
	if len(h.gaps) > 0 {
		h.why = append(h.why, "events were not recorded during "+verb.Plural(len(h.gaps), "gap")+
			"; states that came and went then are not counted, and changes found "+
			"later have no exact time: keep 'cupola watch' or the dashboard running")
	}
}

// sees reports whether all events since an agent was started are on record.
func (h *happened) sees(started time.Time) bool {
	missed := func(g gapRow) bool { return !g.To.Before(started) }
	return !started.IsZero() && !started.Before(h.from) && !slices.ContainsFunc(h.gaps, missed)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (h *happened) reach() reach {
	return reach{
		Since: h.since, To: h.to, From: h.from, Complete: len(h.why) == 0,
		Why: strings.Join(h.why, "; "), Gaps: h.gaps,
	}
}

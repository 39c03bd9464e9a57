package observe

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// inquiry is an open question about one agent's pane.
type inquiry struct {
	pane    *core.Pane
	session core.SessionID
	kind    *agent.Kind
	known   *tracked
	// before is the last verdict, if known.
	before core.Status
	// printed is when the pane last printed; zero if other panes of its window may have.
	printed time.Time
	// still is a time after which the pane printed nothing; zero if unknown.
	still time.Time
	gone  bool
	// vanished is true if the pane was closed meanwhile.
	vanished bool
	// again is true if the known verdict may be outdated.
	again bool
}

// judge determines the states of a snapshot's panes.
type judge struct {
	observer *Observer
	tracker  *Tracker
	// session restricts the judgement to one session; empty is all. only restricts it to some panes, unless
	// nil.
	session string
	only    map[core.PaneID]bool
	// hasKeeper reports whether a keeper runs.
	hasKeeper func() bool
}

// judge sets the status of every pane of a snapshot, or of those in the judge's session. It captures the
// screens of unknown agents and of those that changed, in one call or, if that is faster, in a few at once.
func (a *judge) judge(ctx context.Context, snapshot *core.Snapshot, change *engine.Change) error {
	open := a.inquire(snapshot, change)
	if len(open) == 0 {
		return nil
	}
	a.hasKeeper = sync.OnceValue(func() bool {
		kept, err := a.observer.opts.Dir.Found(ctx).Kept()
		if err != nil {
			a.observer.opts.Log.Debug("whether a keeper runs is not known", "error", err)
		}
		return kept
	})
	var beside, inspected, judged sync.WaitGroup
	defer beside.Wait()
	inspected.Go(func() { forEach(open, a.inspect) })
	compileRules(&beside, open)
	parts := a.parts(open)
	failed := make([]error, len(parts))
	for i, part := range parts {
		judged.Go(func() { failed[i] = a.settle(ctx, part, &inspected) })
	}
	judged.Wait()
	inspected.Wait()
	for _, q := range open {
		if q.vanished {
			delete(a.tracker.panes, q.pane.ID)
		}
	}
	return cmp.Or(failed...)
}

const (
	// worthPart is how many screens justify a call of their own.
	worthPart = 12
	// mostParts is how many calls run at once.
	mostParts = 4
)

// parts splits inquiries into calls, so that some screens are judged while the server captures others. Those
// of a session stay together, and those that need no capture wait for none.
func (a *judge) parts(open []*inquiry) [][]*inquiry {
	var parts [][]*inquiry
	var ask, known []*inquiry
	for _, q := range open {
		if q.known.stale {
			ask = append(ask, q)
		} else {
			known = append(known, q)
		}
	}
	if len(known) > 0 {
		parts = append(parts, known)
	}
	size := len(ask)
	if size >= 2*worthPart && a.observer.opts.Engine.Overlaps() {
		size = max(worthPart, (size+mostParts-1)/mostParts)
	}
	for len(ask) > 0 {
		n := min(len(ask), size)
		for n < len(ask) && ask[n].session == ask[n-1].session {
			n++
		}
		parts, ask = append(parts, ask[:n]), ask[n:]
	}
	return parts
}

// settle captures the screens of a part and, once the processes were inspected, judges them.
func (a *judge) settle(ctx context.Context, part []*inquiry, inspected *sync.WaitGroup) error {
	if err := a.examine(ctx, part); err != nil {
		return err
	}
	inspected.Wait()
	now := a.observer.opts.Now()
	var again []*inquiry
	for _, q := range part {
		switch {
		case q.known.screen == nil && q.known.cached == nil && !q.gone:
			q.pane.Status = Undecided("it went away while it was looked at")
			q.vanished = true
		case q.again:
			again = append(again, q)
		default:
			q.pane.Status = q.known.verdict.Status
		}
	}
	forEach(again, func(q *inquiry) {
		a.conclude(q, now)
		q.pane.Status = q.known.verdict.Status
	})
	return nil
}

// worthOne is how many verdicts justify another processor.
const worthOne = 8

// forEach calls do for every inquiry, on several processors if there are many.
func forEach(all []*inquiry, do func(*inquiry)) {
	var parts sync.WaitGroup
	defer parts.Wait()
	for left := min(runtime.GOMAXPROCS(0), len(all)/worthOne); left > 1; left-- {
		part := all[:len(all)/left]
		all = all[len(part):]
		parts.Go(func() {
			for _, q := range part {
				do(q)
			}
		})
	}
	for _, q := range all {
		do(q)
	}
}

// inquire sets the status of user panes and dead ones, and returns inquiries about the others.
func (a *judge) inquire(snapshot *core.Snapshot, change *engine.Change) []*inquiry {
	rows := make(map[core.PaneID]*engine.Pane, len(change.Listing.Panes))
	for i := range change.Listing.Panes {
		rows[change.Listing.Panes[i].ID] = &change.Listing.Panes[i]
	}
	now := a.observer.opts.Now()
	reported, turns := a.tracker.reported()
	there, plain := map[core.PaneID]bool{}, map[core.PaneID]bool{}
	var open []*inquiry
	for i := range snapshot.Sessions {
		if one := &snapshot.Sessions[i]; a.session == "" || one.Called(a.session) {
			for j := range one.Panes {
				pane := &one.Panes[j]
				if a.only != nil && !a.only[pane.ID] {
					continue
				}
				if status, ok := a.plainStatus(pane, now); ok {
					pane.Status, plain[pane.ID] = status, true
					continue
				}
				there[pane.ID] = true
				q := a.inquiryOf(pane, a.readAs(pane), rows[pane.ID], one.Attached, now)
				q.session = one.ID
				open = append(open, q)
			}
		}
	}
	a.tracker.forget(there, plain)
	for _, q := range open {
		if hook, fresh := reported[q.pane.ID]; fresh {
			q.known.heard(&hook)
			q.known.stale, q.again = true, true
		}
		if turn, fresh := turns[q.pane.ID]; fresh {
			q.known.turn, q.again = q.known.turn.and(turn), true
		}
		if slices.Contains(change.Dirty, q.pane.ID) {
			q.known.stale = true
		}
		q.again = q.again || q.known.stale
	}
	return open
}

// inquiryOf compares a pane with the tracked state.
func (a *judge) inquiryOf(
	pane *core.Pane, kind *agent.Kind, row *engine.Pane, attached int, now time.Time,
) *inquiry {
	k, changed := a.tracker.recall(pane, row, attached)
	if k.screen == nil && k.cached == nil {
		k.loadCached(a.tracker.cache.lookup(row, kind))
	}
	q := &inquiry{pane: pane, kind: kind, known: k, before: k.verdict.Status}
	if !row.Activity.IsZero() {
		q.still = row.Activity.Add(time.Second)
	}
	// Output during the start is no work yet; tmux reports whole seconds.
	if row.Alone && row.Activity.Sub(pane.Agent.Started) >= time.Second {
		q.printed = row.Activity
	}
	if q.before.State == "" {
		k.recorded = panetag.DecodeState(row.Tags[engine.TagState])
		q.before = k.recorded
	}
	until := k.verdict.Until
	q.again = changed || k.judged.IsZero() || !until.IsZero() && !now.Before(until)
	return q
}

// examine captures unknown screens.
func (a *judge) examine(ctx context.Context, part []*inquiry) error {
	var asks []engine.Ask
	for _, q := range part {
		if q.known.stale {
			asks = append(asks, engine.Ask{Pane: q.pane.ID, Brief: true, Session: q.session})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	screens, err := a.observer.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	shown := core.ScreensByPane(screens)
	for _, q := range part {
		if q.known.stale {
			q.known.setScreen(shown[q.pane.ID])
		}
	}
	return nil
}

// compileRules compiles the rules of the needed kinds concurrently.
func compileRules(beside *sync.WaitGroup, open []*inquiry) {
	var kinds []*agent.Kind
	for _, q := range open {
		if q.known.stale && !slices.Contains(kinds, q.kind) {
			kinds = append(kinds, q.kind)
			beside.Go(func() { q.kind.Read(&core.Screen{}) })
		}
	}
}

// setScreen sets the captured screen; nil if the pane is gone.
func (k *tracked) setScreen(screen *core.Screen) {
	if screen != nil && k.first.IsZero() {
		k.first = screen.Taken
	}
	if screen != nil && k.screen != nil && !slices.Equal(k.screen.Lines, screen.Lines) {
		k.moved = screen.Taken
		k.lines += freshLines(k.screen.Lines, screen.Lines)
	}
	k.screen, k.findings, k.cached, k.stale = screen, nil, nil, false
}

// loadCached uses the result of another call; nil is none.
func (k *tracked) loadCached(l *cachedScreen) {
	if l != nil {
		k.cached, k.findings, k.version, k.searched, k.used, k.stale = l, l.Findings, l.Version, true, l.Used, false
	}
}

// inspect reads the state of the agent's process from the system.
func (a *judge) inspect(q *inquiry) {
	switch {
	case !q.again:
	case a.tracker.lasting:
		q.gone = a.leftNow(q.pane, q.kind)
	default:
		q.gone = a.observer.Left(q.pane, q.kind)
	}
	if q.gone {
		return
	}
	a.findVersion(q.pane, q.known, q.kind)
	if q.known.live.refresh(a.observer.opts.Engine.Processes(), q.pane, q.again) {
		q.again = true
	}
}

// conclude computes the verdict.
func (a *judge) conclude(q *inquiry, now time.Time) {
	k, pane := q.known, q.pane
	kind := k.of(q.kind)
	if k.screen != nil {
		k.screen.Title, k.screen.Launch = pane.Title, pane.Agent.Launch
		k.findings, k.readAs = detect.ReadScreen(kind, k.screen, pane.Title), q.kind.ID
	}
	// Later calls need not verify again that nothing happens.
	calm := k.verdict.QuietSince
	if k.judged.IsZero() && q.still.Before(now) {
		calm = q.still
	}
	facts := detect.Facts{
		Now:           now,
		Kind:          kind,
		Process:       pane.Process,
		Gone:          q.gone,
		SettingUp:     a.settingUp(q),
		Started:       pane.Agent.Started,
		Ready:         a.ready(pane, q.before),
		Title:         pane.Title,
		Screen:        k.screen,
		Findings:      k.findings,
		Hook:          k.hook,
		Live:          k.live.Live,
		ProgramStatus: k.programStatus,
		Moved:         k.movement(q.printed),
		Kept:          a.keptState(q),
		Asked:         k.signs.asked,
		Acted:         a.lastActed(q),
		Dialog:        k.dialog,
		Before:        q.before,
		QuietSince:    calm,
		OtherSince:    k.verdict.OtherSince,
		Follows:       a.tracker.lasting,
	}
	verdict := limitStart(detect.Judge(facts), &facts)
	if pane.View.Partial && (verdict.State == core.Unknown || verdict.State == core.Starting) {
		verdict.State, verdict.Evidence = core.Unknown, append(verdict.Evidence, core.PartialScreen)
	}
	verdict.Doubt(&facts)
	verdict.Since = began(&verdict, q.before, a.tracker.lasting, now)
	k.noteTurn(&verdict.Status, q.before)
	if HasStarted(verdict.Status) {
		a.observer.seen.nowReady(pane)
	}
	if k.screen != nil && verdict.Shows(core.Waiting) {
		k.dialog = k.screen.Taken
	}
	if verdict.Acts() {
		a.observer.seen.nowActs(pane.ID, now)
	}
	k.verdict, k.judged = verdict, now
	if k.screen != nil && verdict.Has(core.NoteContextLow) {
		k.used = contextOn(k.screen, a.observer.KindOf(pane))
	}
}

// settingUp reports whether the set-up of the pane's worktree runs: no agent that was seen ready has that before it.
func (a *judge) settingUp(q *inquiry) bool {
	return !a.ready(q.pane, q.before) && SettingUp(a.observer.opts.Engine.Processes(), q.pane.Process)
}

// lastActed is when this process last saw the agent work or wait, or when the rest began that a keeper saw.
func (a *judge) lastActed(q *inquiry) time.Time {
	acted := a.observer.seen.lastActed(q.pane.ID)
	switch q.before.State {
	case core.Idle, core.Errored, core.Limited:
		if q.before.Since.After(acted) {
			return q.before.Since
		}
	}
	return acted
}

// limitStart limits the starting state of an agent to its kind's start timeout.
func limitStart(verdict detect.Verdict, facts *detect.Facts) detect.Verdict {
	start := facts.Started
	if start.IsZero() && facts.Before.State == core.Starting {
		start = facts.Before.Since
	}
	end := start.Add(facts.Kind.Launch.Timeout)
	mayStart := !start.IsZero() && facts.Now.Before(end)
	switch {
	case facts.SettingUp:
		return verdict // it has a time limit of its own
	case verdict.State == core.Starting && mayStart:
	case verdict.State == core.Starting && !start.IsZero():
		verdict.State, verdict.Confidence = core.Unknown, 0
		verdict.Evidence = append(verdict.Evidence, "its prompt was not drawn in time")
	case verdict.State == core.Unknown && mayStart && !facts.Ready && facts.Kind.Readable():
		verdict.State = core.Starting
		verdict.Evidence = append(verdict.Evidence, "its prompt is not drawn yet")
	}
	if verdict.State == core.Starting && mayStart {
		verdict.Since, verdict.Until = start, core.Earlier(verdict.Until, end)
	}
	if len(verdict.Evidence) == 0 {
		verdict.Evidence = []string{"no rule shows what it does"}
	}
	return verdict
}

// began returns when the state of a verdict began: the known beginning, or else the time of the evidence. A
// lasting observer dates any new state now; a single snapshot cannot.
func began(verdict *detect.Verdict, before core.Status, lasting bool, now time.Time) time.Time {
	sameReason := verdict.Reason == before.Reason || verdict.State == core.Working
	if verdict.State == before.State && sameReason && !verdict.AsksAnew(before) && !before.Since.IsZero() {
		return before.Since
	}
	if !verdict.Since.IsZero() {
		return verdict.Since
	}
	for _, signal := range verdict.Signals {
		dated := []detect.Source{detect.FromStatus, detect.FromHook, detect.FromLive}
		if signal.Decided && signal.State == verdict.State && slices.Contains(dated, signal.Source) {
			return now.Add(-time.Duration(signal.Age * float64(time.Second)))
		}
	}
	if lasting {
		return now
	}
	return time.Time{}
}

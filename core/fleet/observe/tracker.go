package observe

import (
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// Tracker is one observer's knowledge of the agents' panes. A feed loop keeps one, so that it observes only
// changed panes again; a single snapshot starts with an empty one. Only Hooked may be called while a snapshot
// is made.
type Tracker struct {
	// lasting is true for the tracker of a feed loop.
	lasting bool
	panes   map[core.PaneID]*tracked
	// plain holds the states of panes that need no rules.
	plain map[core.PaneID]plainState
	// cache holds screens of panes that are not tracked yet; nil is empty.
	cache *screenCache

	mu sync.Mutex
	// hooks were reported since the last snapshot.
	hooks map[core.PaneID]detect.Hook
	// turns were reported since then.
	turns map[core.PaneID]Turn
}

// Turn is a report on an agent's finished turn.
type Turn struct {
	// Looked is when it was looked at; zero if it was not looked at.
	Looked time.Time
	// Ended is when the turn ended whose reply begins with Said; zero if no reply was read.
	Ended time.Time
	Said  string
}

// tracked is the knowledge of one agent's pane.
type tracked struct {
	signs signs
	// stale is true from a change until the screen is captured.
	stale  bool
	screen *core.Screen
	// findings are the findings of the rules of kind readAs on the screen. Where another call made them, they are in
	// cached and there is no screen.
	findings *detect.Findings
	readAs   core.Kind
	cached   *cachedScreen
	// first is when the screen was first read, moved when it last changed; zero if
	// it was never seen to.
	first, moved time.Time
	// lines counts those that were new on the screen so far.
	lines int
	// dialog is when a screen last showed one.
	dialog time.Time
	// hook is the newest edge that is known, live what the agent's own file said.
	hook *detect.Hook
	live LiveStatus
	// programStatus is the status that the program reported to its terminal; nil for none.
	programStatus *detect.ProgramStatus
	// version is the running version, if rules depend on it; searched is true once the program's file was
	// read.
	version  string
	searched bool

	// turn has what was reported of the last finished turn; inTurn is true from when it works until a turn ends.
	turn   Turn
	inTurn bool

	// recorded is the state that a keeper left on the pane.
	recorded core.Status
	verdict  detect.Verdict
	// used is how much of its context window the screen says is used, in percent,
	// where the verdict has that note; -1 where the screen does not say.
	used   int
	judged time.Time
}

// signs are the parts of a listing that a verdict depends on.
type signs struct {
	pid     int
	dead    bool
	command string
	title   string
	hook    string
	kind    core.Kind
	started time.Time
	// asked is when it was last given a prompt, looked when its finished turn was looked at.
	asked, looked time.Time
	// shown is true while a terminal shows the pane, and it has the keyboard there.
	shown bool
	// status is the status that the program reported to its terminal, and reported the time of the report.
	status   string
	reported time.Time
}

// NewTracker returns a Tracker that knows nothing. A lasting one follows a feed.
func NewTracker(lasting bool) *Tracker {
	return &Tracker{lasting: lasting, panes: map[core.PaneID]*tracked{}}
}

// Hooked stores an edge reported by a hook, unless a newer one came before.
func (m *Tracker) Hooked(pane core.PaneID, hook detect.Hook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hooks == nil {
		m.hooks = map[core.PaneID]detect.Hook{}
	}
	if known, reported := m.hooks[pane]; !reported || !hook.At.Before(known.At) {
		m.hooks[pane] = hook
	}
}

// OfTurn stores a report on a finished turn.
func (m *Tracker) OfTurn(pane core.PaneID, turn Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns = map[core.PaneID]Turn{}
	}
	m.turns[pane] = m.turns[pane].and(turn)
}

// and adds a newer report.
func (t Turn) and(newer Turn) Turn {
	if newer.Looked.After(t.Looked) {
		t.Looked = newer.Looked
	}
	if !newer.Ended.IsZero() {
		t.Ended, t.Said = newer.Ended, newer.Said
	}
	return t
}

// reported returns the edges and the reports on turns since the last call.
func (m *Tracker) reported() (map[core.PaneID]detect.Hook, map[core.PaneID]Turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hooks, turns := m.hooks, m.turns
	m.hooks, m.turns = nil, nil
	return hooks, turns
}

// recall returns the tracked state of a pane, which is listed in a row; a reused id starts again. Attached counts the
// terminals that show its session.
func (m *Tracker) recall(pane *core.Pane, row *engine.Pane, attached int) (k *tracked, changed bool) {
	now := signs{
		pid:      pane.Process.PID,
		dead:     pane.Process.Dead,
		command:  pane.Process.Command,
		title:    pane.Title,
		hook:     row.Tags[engine.TagHook],
		status:   row.Heard.Status,
		reported: row.Heard.StatusAt,
		kind:     pane.Agent.Kind,
		started:  pane.Agent.Started,
		asked:    moment(row.Tags[engine.TagAsked]),
		looked:   moment(row.Tags[engine.TagLooked]),
		shown:    attached > 0 && pane.View.Active,
	}
	k = m.panes[pane.ID]
	if k == nil || k.signs.pid != now.pid || k.signs.kind != now.kind || !k.signs.started.Equal(now.started) {
		k = &tracked{stale: true}
		m.panes[pane.ID] = k
	}
	before := k.signs
	k.signs = now
	if before.command != now.command || before.dead != now.dead {
		k.stale = true
	}
	if before.status != now.status || !before.reported.Equal(now.reported) {
		k.programStatus = detect.ParseProgramStatus(now.status, now.reported)
	}
	if before.hook != now.hook {
		k.heard(panetag.DecodeHook(now.hook))
	}
	return k, before != now
}

// heard stores an edge unless a newer one is known, or it is from an earlier agent of the pane.
func (k *tracked) heard(hook *detect.Hook) {
	if hook == nil || k.hook != nil && hook.At.Before(k.hook.At) || hook.At.Before(k.signs.started) {
		return
	}
	k.hook = hook
}

// Recorded returns the tag in which a keeper stored a pane's state; empty if there was
// none.
func (m *Tracker) Recorded(pane core.PaneID) string {
	if k := m.panes[pane]; k != nil && k.recorded.State != "" {
		return panetag.EncodeState(k.recorded)
	}
	return ""
}

// movement is when the screen last changed, or was printed to before it was first
// read.
func (k *tracked) movement(printed time.Time) time.Time {
	if k.moved.IsZero() && (k.first.IsZero() || !printed.After(k.first)) {
		return printed
	}
	return k.moved
}

// forget drops panes that no longer hold agents, and those no longer plain.
func (m *Tracker) forget(there, plain map[core.PaneID]bool) {
	for id := range m.panes {
		if !there[id] {
			delete(m.panes, id)
		}
	}
	for id := range m.plain {
		if !plain[id] {
			delete(m.plain, id)
		}
	}
}

// Due returns when a verdict may change without an event; the zero time if never.
func (m *Tracker) Due() time.Time {
	var first time.Time
	for _, k := range m.panes {
		first = core.Earlier(first, k.verdict.Until)
	}
	return first
}

// Moves returns when the screen of each pane last changed, or was first captured.
func (m *Tracker) Moves() map[core.PaneID]time.Time {
	moves := make(map[core.PaneID]time.Time, len(m.panes))
	for id, k := range m.panes {
		moves[id] = k.first
		if k.moved.After(k.first) {
			moves[id] = k.moved
		}
	}
	return moves
}

// Waits reports whether at least one of the panes was not captured for the duration long.
func (m *Tracker) Waits(panes []core.PaneID, now time.Time, long time.Duration) bool {
	for _, id := range panes {
		if k := m.panes[id]; k != nil && now.Sub(k.judged) >= long {
			return true
		}
	}
	return false
}

// freshLines counts the lines of a screen that the one before did not show. Where it
// scrolled, those that moved are not new.
func freshLines(before, now []string) int {
	there := make(map[string]int, len(before))
	for _, line := range before {
		there[line]++
	}
	fresh := 0
	for _, line := range now {
		switch {
		case there[line] > 0:
			there[line]--
		case line != "":
			fresh++
		}
	}
	return fresh
}

// LineCounts returns how many lines were new on each screen so far.
func (m *Tracker) LineCounts() map[core.PaneID]int {
	counts := make(map[core.PaneID]int, len(m.panes))
	for id, k := range m.panes {
		counts[id] = k.lines
	}
	return counts
}

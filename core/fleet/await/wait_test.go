package await

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

func fixedClock() time.Time { return fleettest.Noon }

// waiterOver returns a Waiter over a fake engine.
func waiterOver(t testing.TB, eng engine.Engine, now func() time.Time) *Waiter {
	t.Helper()
	kinds, log := fleettest.Kinds(t, fleettest.StubKind), slog.New(slog.DiscardHandler)
	dir, resolver := rundir.New(eng, "", "", now, log), resolve.New(kinds, false)
	observer := observe.New(observe.Options{
		Engine: eng, Kinds: kinds, Resolver: resolver, Dir: dir, Now: now,
		Log: log,
	})
	return New(Options{
		Engine: eng, Resolver: resolver, Observer: observer, Now: now,
		Conversations: conversation.New(conversation.Options{
			Engine: eng, Observer: observer, Resolver: resolver, Now: now, Log: log,
		}),
		Announcer: announce.New(announce.Options{Engine: eng, Dir: dir, Now: now, Log: log}),
	})
}

// silent is the snapshot of a server that does not answer.
func silent() *core.Snapshot {
	s := fleettest.WaitingSnapshot()
	s.SilentSince = fleettest.Noon
	return s
}

func TestAWaitLearnsFromWhoFollowsAProgramWithoutRules(t *testing.T) {
	firstSeen := fleettest.Noon
	snapshot := func(state core.State, taken time.Time) *core.Snapshot {
		s := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(state))))
		s.Taken = taken
		return s
	}
	for name, c := range map[string]struct {
		first core.State
		kept  core.State
		For   []core.State
		want  bool
	}{
		"it works":                      {core.Unknown, core.Working, []core.State{core.Working}, true},
		"that is no change":             {core.Unknown, core.Working, []core.State{AnyChange}, false},
		"what one look tells is better": {core.Idle, core.Working, []core.State{core.Working}, false},
		"unknown state":                 {core.Unknown, core.Unknown, []core.State{core.Working}, false},
	} {
		f := waiterOver(t, &fleettest.Engine{}, fixedClock)
		w := &wait{
			goal: goal{Request: Request{Target: resolve.Target{Session: "api"}, For: c.For}}, Waiter: f,
			checked: firstSeen,
		}
		if err := w.begin(snapshot(c.first, firstSeen)); err != nil {
			t.Fatal(err)
		}
		w.see(snapshot(c.first, firstSeen))
		w.apply(&keeper.Frame{Snapshot: snapshot(c.kept, firstSeen.Add(-time.Minute))})
		if done, err := w.settle(fleettest.Noon); done != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

func TestQuietWaitsForWhatRunsInTheBackground(t *testing.T) {
	status := func(state core.State, notes ...core.Note) core.Status { return core.Status{State: state, Notes: notes} }
	for _, c := range []struct {
		goal   core.State
		status core.Status
		want   bool
	}{
		{Quiet, status(core.Idle), true},
		{Quiet, status(core.Idle, core.NoteDraft), true},
		{Quiet, status(core.Idle, core.NoteBackground), false},
		{Quiet, status(core.Working), false},
		{core.Idle, status(core.Idle, core.NoteBackground), true},
	} {
		g := &goal{Request: Request{For: []core.State{c.goal}}}
		if got := g.wants(&awaited{}, c.status); got != c.want {
			t.Errorf("%s by %+v: %v", c.goal, c.status, got)
		}
	}
}

// When a sub-agent in the background ends, its agent appears idle until it begins the turn that reports it.
func TestTheReportOfASubagentIsWaitedFor(t *testing.T) {
	now := fleettest.Noon
	w := &wait{
		goal:   goal{Request: Request{For: []core.State{core.Idle}}, began: now},
		Waiter: waiterOver(t, &fleettest.Engine{}, func() time.Time { return now }),
	}
	p := &awaited{known: true, answered: true}
	after := func(d time.Duration, state core.State, notes ...core.Note) bool {
		now = now.Add(d)
		w.seePane(p, &core.Pane{Status: core.Status{State: state, Notes: notes}})
		return w.goal.reached(p, now)
	}
	for _, step := range []struct {
		what  string
		after time.Duration
		state core.State
		notes []core.Note
		want  bool
	}{
		{"its sub-agent works", 0, core.Working, []core.Note{core.NoteSubagents}, false},
		{"that has ended", time.Second, core.Idle, nil, false},
		{"no report yet", 2 * time.Second, core.Idle, nil, false},
		{"it reports", time.Second / 2, core.Working, nil, false},
		{"the report has ended", time.Second, core.Idle, nil, false},
		{"and it rests", idleHolds, core.Idle, nil, true},
		{"another works", time.Second, core.Working, []core.Note{core.NoteSubagents}, false},
		{"and was ended by the user", time.Second, core.Idle, nil, false},
		{"of whom nothing is reported", reportHolds, core.Idle, nil, true},
	} {
		if got := after(step.after, step.state, step.notes...); got != step.want {
			t.Errorf("%s: %v, want %v", step.what, got, step.want)
		}
	}
}

func TestAWaitTrustsNoSnapshotThatLacksWhatItSaw(t *testing.T) {
	const works = 300 * time.Millisecond
	for name, c := range map[string]struct {
		taken time.Duration
		panes []core.Pane
	}{
		"it is older": {
			-time.Minute,
			[]core.Pane{fleettest.Pane(1, "%1", fleettest.Claude(core.Idle))},
		},
		"it was made anew of what was known": {
			time.Millisecond,
			[]core.Pane{fleettest.Pane(1, "%1", fleettest.Claude(core.Idle))},
		},
		"it was made anew before the pane was heard of": {time.Millisecond, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.Working = true
			synctest.Test(t, func(t *testing.T) {
				f := waiterOver(t, a, time.Now)
				w := &wait{goal: goal{
					Request{Target: resolve.Target{Session: "api.1"}, For: []core.State{core.Idle}},
					time.Now(),
				}, Waiter: f, snapshotAt: func() {}}
				if done, err := w.checkFirst(t.Context()); done || err != nil {
					t.Fatal(done, err)
				}
				kept := fleettest.Snapshot(fleettest.Session("$1", "api", c.panes...))
				kept.Taken = time.Now().Add(c.taken)
				for i := range c.panes {
					kept.Sessions[0].Panes[i].Status.Since = time.Now().Add(-time.Hour)
				}
				frames := make(chan keeper.Frame, 1)
				frames <- keeper.Frame{Snapshot: kept}
				a.Later(works, func() { a.Working = false })
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				if err := w.follow(ctx, &keeper.Live{Frames: frames}); err != nil ||
					w.panes[0].Reached.Sub(w.goal.began) < works {
					t.Errorf("%v; reached after %v", err, w.panes[0].Reached.Sub(w.goal.began))
				}
			})
		})
	}
}

func TestAMomentBetweenTwoToolsIsNoCalm(t *testing.T) {
	const pause, works = 100 * time.Millisecond, 2 * time.Second
	a := fleettest.NewScriptedEngine()
	synctest.Test(t, func(t *testing.T) {
		f := waiterOver(t, a, time.Now)
		w := &wait{goal: goal{
			Request{Target: resolve.Target{Session: "api.1"}, For: []core.State{core.Idle}},
			time.Now(),
		}, Waiter: f, snapshotAt: func() {}}
		if done, err := w.checkFirst(t.Context()); done || err != nil || w.panes[0].Status.State != core.Idle {
			t.Fatal(done, err, w.panes)
		}
		frames := make(chan keeper.Frame, 2)
		report := func(state core.State, since time.Time) {
			kept := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(state))))
			kept.Taken, kept.Sessions[0].Panes[0].Status.Since = time.Now(), since
			frames <- keeper.Frame{Snapshot: kept}
		}
		report(core.Working, time.Now().Add(-time.Hour))
		a.Later(pause, func() { a.Working = true })
		a.Later(works, func() {
			a.Working = false
			report(core.Idle, time.Now())
		})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := w.follow(ctx, &keeper.Live{Frames: frames}); err != nil ||
			w.panes[0].Reached.Sub(w.goal.began) < works {
			t.Errorf("%v; reached after %v", err, w.panes[0].Reached.Sub(w.goal.began))
		}
	})
}

func TestAWaitLooksAgainWhenTheNextCalmHasLasted(t *testing.T) {
	calm := func(ago time.Duration) *awaited {
		return &awaited{
			PaneResult: PaneResult{Status: core.Status{State: core.Idle}}, idleSince: fleettest.Noon.Add(-ago),
			known: true,
		}
	}
	given := calm(time.Hour)
	given.unanswered = fleettest.Noon.Add(time.Minute)
	for name, c := range map[string]struct {
		panes []*awaited
		want  time.Time
	}{
		"a calm that is young":                   {[]*awaited{calm(0)}, fleettest.Noon.Add(idleHolds)},
		"one that has just lasted":               {[]*awaited{calm(idleHolds)}, time.Time{}},
		"one that does not count hides no other": {[]*awaited{calm(time.Hour), calm(0)}, fleettest.Noon.Add(idleHolds)},
		"none":                                   {[]*awaited{{}}, time.Time{}},
		"the first of two": {
			[]*awaited{calm(0), calm(idleHolds / 2)},
			fleettest.Noon.Add(idleHolds / 2),
		},
		"one that was given work": {[]*awaited{given}, fleettest.Noon.Add(time.Minute)},
		"a dialog that is not drawn yet": {
			[]*awaited{{undrawnSince: fleettest.Noon}}, fleettest.Noon.Add(drawsWithin),
		},
	} {
		w := &wait{goal: goal{Request: Request{For: []core.State{core.Idle}, Transition: true}}, panes: c.panes}
		if due := w.due(fleettest.Noon); !due.Equal(c.want) {
			t.Errorf("%s: %v, not %v", name, due, c.want)
		}
		// What is not there yet is looked at again, unless something else is missing.
		for _, p := range c.panes {
			p.left = true
			if w.due(fleettest.Noon).IsZero() && !p.idleSince.IsZero() && !w.goal.reached(p, fleettest.Noon) {
				t.Errorf("%s: no further observation is due", name)
			}
		}
	}
}

func TestAnErrorOrALimitEndsAWaitUnlessItIsFromBefore(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		// states are the observed states at 0, 1, 2 ... seconds.
		states []core.State
		ends   int // the second at which it has ended, -1 for never
	}{
		"an error at the beginning": {Request{}, []core.State{core.Errored, core.Errored, core.Errored}, 1},
		"a limit after work": {
			Request{WorkWithin: 3 * time.Second},
			[]core.State{core.Working, core.Limited, core.Limited},
			2,
		},
		"an error from before": {
			Request{WorkWithin: 3 * time.Second},
			[]core.State{core.Errored, core.Errored, core.Working, core.Working},
			-1,
		},
		"one that nothing follows": {
			Request{WorkWithin: 3 * time.Second},
			[]core.State{core.Errored, core.Errored, core.Errored, core.Errored, core.Errored},
			3,
		},
		"an error that is kept with": {
			Request{KeepWaiting: true},
			[]core.State{core.Errored, core.Errored, core.Errored},
			-1,
		},
	} {
		now := fleettest.Noon
		c.request.For = []core.State{core.Idle}
		w := &wait{goal: goal{c.request, fleettest.Noon}, Waiter: waiterOver(t, nil, func() time.Time { return now })}
		w.panes = []*awaited{{PaneResult: PaneResult{From: core.Status{State: c.states[0]}}, address: "api.1"}}
		ended := -1
		for second, state := range c.states {
			now = fleettest.Noon.Add(time.Duration(second) * time.Second)
			w.panes[0].Status = core.Status{State: state}
			w.pass(w.panes[0], w.panes[0].Status)
			if done, err := w.settle(now); done && ended < 0 {
				ended = second
				if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message,
					"it shows a") {
					t.Errorf("%s: %s", name, known.Message)
				}
			}
		}
		if ended != c.ends {
			t.Errorf("%s: it ended after %d s, want %d", name, ended, c.ends)
		}
	}
}

func TestWaitRequiresAgents(t *testing.T) {
	f := waiterOver(t, &fleettest.Engine{}, fixedClock)
	for name, c := range map[string]struct {
		snapshot *core.Snapshot
		target   resolve.Target
		want     string
		skipped  int
		says     string
	}{
		"a session with a command": {fleettest.MixedSnapshot(), resolve.Target{Session: "api"}, "%1 %3", 1, ""},
		"every session":            {fleettest.MixedSnapshot(), resolve.Target{}, "%1 %3 %6", 2, ""},
		"a command that is named":  {fleettest.MixedSnapshot(), resolve.Target{Session: "api.2"}, "%2", 0, ""},
		"a shell that is named": {
			fleettest.MixedSnapshot(),
			resolve.Target{Session: "api", Panes: []string{"0"}},
			"%0", 0, "",
		},
		"a session with no agent": {
			fleettest.MixedSnapshot(),
			resolve.Target{Session: "jobs"},
			"", 0,
			`there is no agent to wait for: session "jobs" holds no agent`,
		},
		"no session": {
			fleettest.Snapshot(),
			resolve.Target{},
			"", 0,
			"there is no agent to wait for: no session holds an agent",
		},
		"no agent of a kind": {
			fleettest.MixedSnapshot(),
			resolve.Target{Kinds: []string{"gemini"}},
			"", 0,
			"there is no agent to wait for: no session holds an agent of kind gemini",
		},
		"a kind that is none at all": {
			fleettest.MixedSnapshot(),
			resolve.Target{Kinds: []string{"gemni"}},
			"", 0,
			`no agent kind is called "gemni"`,
		},
	} {
		w := &wait{goal: goal{Request: Request{Target: c.target.ForPrompts()}}, Waiter: f}
		err := w.begin(c.snapshot)
		if c.says != "" {
			known := fleettest.WantError(t, err, core.AgentNotFound, "")
			ends := len(known.Suggestions) > 0 && c.target.Session == "jobs"
			if known.Message != c.says || slices.Contains(known.Remedies, core.RemedyAwaitEnd) != ends {
				t.Errorf("%s: %q, %q", name, known.Message, known.Remedies)
			}
			continue
		}
		var ids []string
		for _, id := range idsOf(w.panes) {
			ids = append(ids, string(id))
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want || len(w.result(0).Skipped) != c.skipped {
			t.Errorf("%s: %s, %+v, %v", name, got, w.skipped, err)
		}
	}
}

func TestWaitReportsItsPanes(t *testing.T) {
	f := waiterOver(t, &fleettest.Engine{}, fixedClock)
	var reports []core.Progress
	w := &wait{goal: goal{Request: Request{
		Target: resolve.Target{Session: "api"}.ForPrompts(), For: []core.State{core.Exited},
		Progress: func(p core.Progress) { reports = append(reports, p) },
	}}, Waiter: f}
	if err := w.begin(fleettest.MixedSnapshot()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if done, err := w.settle(fleettest.Noon); done != (len(reports) > 1) || err != nil {
			t.Fatal(done, err)
		}
		w.panes[0].Status.State = core.Exited
		w.goal.Any = true
	}
	want := []core.Progress{
		{Phase: "wait", Percent: 0, Message: "0 of 2 exited; waiting for api.1, api.3"},
		{Phase: "wait", Percent: 50, Message: "1 of 2 exited; waiting for api.3"},
	}
	if !slices.Equal(reports, want) {
		t.Errorf("%+v", reports)
	}
	if got := someOf(strings.Split("a b c d e f g", " ")); got != "a, b, c, d, e and 2 more" {
		t.Error(got)
	}
}

func TestAWaitGoesOnWhileTheServerDoesNotAnswerAndSaysItOnce(t *testing.T) {
	f := waiterOver(t, &fleettest.Engine{}, fixedClock)
	var said []string
	w := &wait{
		goal: goal{Request: Request{
			Target: resolve.Target{Session: "api"}, For: []core.State{core.Waiting},
			Progress: func(p core.Progress) { said = append(said, p.Message) },
		}},
		Waiter: f,
	}
	before := fleettest.WaitingSnapshot()
	before.Panes()[0].Status = core.Status{State: core.Working}
	if err := w.begin(before); err != nil {
		t.Fatal(err)
	}
	w.panes[0].known = true
	for range 3 {
		w.apply(&keeper.Frame{Snapshot: silent()})
		if done, err := w.settle(fleettest.Noon); done || err != nil {
			t.Errorf("what was seen before counts: %t, %v", done, err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "not answering") {
		t.Errorf("said is %q", said)
	}
	if err := w.timeoutError(w.result(0)); !strings.Contains(err.Error(), "not answering") {
		t.Errorf("at the end of its time: %v", err)
	}
	w.apply(&keeper.Frame{Snapshot: fleettest.WaitingSnapshot()})
	if done, err := w.settle(fleettest.Noon.Add(drawsWithin)); !done || err != nil {
		t.Errorf("it answers again: %t, %v", done, err)
	}
}

// Agents report a dialog up to a second before they draw it.
func TestAnAgentWaitsOnceItsDialogIsDrawn(t *testing.T) {
	w := &wait{
		goal:   goal{Request: Request{For: []core.State{core.Waiting}}},
		Waiter: &Waiter{Options{Now: func() time.Time { return fleettest.Noon }}},
	}
	reported := core.Status{State: core.Waiting, Reason: core.ReasonApproval}
	drawn := reported
	drawn.Asks = "rm -rf build"
	for name, c := range map[string]struct {
		status core.Status
		after  time.Duration
		want   bool
	}{
		"reported just now":         {reported, 0, false},
		"reported a moment ago":     {reported, drawsWithin - 1, false},
		"reported, and never drawn": {reported, drawsWithin, true},
		"drawn":                     {drawn, 0, true},
	} {
		p := &awaited{PaneResult: PaneResult{Status: c.status}}
		w.pass(p, core.Status{State: core.Waiting})
		w.pass(p, c.status)
		now := fleettest.Noon.Add(c.after)
		if got := w.goal.reached(p, now); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		if stuck := w.stuckReason(p, now) != ""; stuck != c.want {
			t.Errorf("%s: cannot succeed %t", name, stuck)
		}
	}
}

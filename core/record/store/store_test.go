package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/record/store"
)

func TestAPromptIsOpenUntilItsDeliveriesAreKnown(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	p := aPrompt("a", "run the tests")
	p.Tracked = true
	p.Deliveries = append(p.Deliveries, core.Delivery{
		PaneRef: core.PaneRef{Session: "api", Ordinal: 2, Pane: "%2", Agent: "cod_1", Kind: "codex"},
		Result:  core.Result{Outcome: core.Open},
	})
	save(t, s, p)
	if got, err := store.PromptsIn(s).One(t.Context(), "a"); err != nil || !cmp.Equal(got, p) {
		t.Errorf("%v\n%s", err, cmp.Diff(p, got))
	}
	ended := p.Deliveries[1]
	ended.Result = core.Result{
		Outcome: "refused", Why: "dialog", Evidence: []string{"a dialog is open"}, Enters: 2,
		Elapsed: core.Milliseconds(1500 * time.Millisecond), At: noon.Add(time.Second),
	}
	late := core.Delivery{
		PaneRef: core.PaneRef{Session: "api", Ordinal: 3, Pane: "%3"}, Result: core.Result{Outcome: "typed"},
	}
	if err := store.PromptsIn(s).SaveDeliveries(t.Context(), "a", []core.Delivery{ended, late}); err != nil {
		t.Fatal(err)
	}
	p.Deliveries = []core.Delivery{p.Deliveries[0], ended, late}
	if got, err := store.PromptsIn(s).One(t.Context(), "a"); err != nil || !cmp.Equal(got, p) {
		t.Errorf("%v\n%s", err, cmp.Diff(p, got))
	}
}

func TestAPromptThatIsNotOnRecordIsNotFound(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	_, err := store.PromptsIn(s).One(t.Context(), "x")
	failsWith(t, err, core.NotFound)
	failsWith(t, store.PromptsIn(s).SaveDeliveries(t.Context(), "x", nil), core.NotFound)
}

func TestTheHistoryIsSelectedAndPaged(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	for i := range 6 {
		p := aPrompt(fmt.Sprint(i), strings.Repeat("x", i))
		p.At = noon.Add(time.Duration(i) * time.Minute)
		if i%2 == 1 {
			p.Session = "web"
			p.Deliveries = core.NewPrompt("", "",
				core.PaneRef{Session: "web", Ordinal: 2, Pane: "%7", Agent: "cod_1", Kind: "codex"},
				core.PaneRef{Session: "web", Ordinal: 12, Pane: "%8", Agent: "cod_2", Kind: "codex"}).Deliveries
			p.Deliveries[0].Outcome, p.Deliveries[1].Outcome = core.Delivered, core.Queued
		}
		save(t, s, p)
	}
	for _, test := range []struct {
		query store.PromptQuery
		want  string
		total int
	}{
		{store.PromptQuery{}, "5 4 3 2 1 0", 6},
		{store.PromptQuery{Limit: 2, Offset: 1}, "4 3", 6},
		{store.PromptQuery{Last: 3, Limit: 2, Offset: 2}, "3", 3},
		{store.PromptQuery{Last: 30}, "5 4 3 2 1 0", 6},
		{store.PromptQuery{Session: "web"}, "5 3 1", 3},
		{store.PromptQuery{Session: "none"}, "", 0},
		{store.PromptQuery{Except: []string{"web", "none"}}, "4 2 0", 3},
		{store.PromptQuery{Server: "/s", Session: "web"}, "5 3 1", 3},
		{store.PromptQuery{Server: "/other"}, "", 0},
		{store.PromptQuery{Except: []string{"web"}, Last: 2, Limit: 1}, "4", 2},
		{store.PromptQuery{Since: noon.Add(4 * time.Minute)}, "5 4", 2},
		{store.PromptQuery{Kinds: []core.Kind{"codex", "gemini"}}, "5 3 1", 3},
		{store.PromptQuery{Panes: []string{"%1"}}, "4 2 0", 3},
		{store.PromptQuery{Panes: []string{"cod_2", "%1"}, Last: 2}, "5 4", 2},
		{store.PromptQuery{Session: "web", Panes: []string{"1"}}, "", 0},
		{store.PromptQuery{Panes: []string{"web.12"}}, "5 3 1", 3},
		{store.PromptQuery{Session: "web", Panes: []string{"12"}, Last: 1}, "5", 1},
		{store.PromptQuery{Session: "api", Kinds: []core.Kind{"codex"}}, "", 0},
		{store.PromptQuery{ID: "3"}, "3", 1},
	} {
		page, err := store.PromptsIn(s).Find(t.Context(), test.query)
		if got := strings.Join(found(t, s, test.query), " "); err != nil || got != test.want ||
			page.Total != test.total {
			t.Errorf("%+v: %q of %d (%v), want %q of %d", test.query, got, page.Total, err, test.want, test.total)
		}
	}
	stats, err := store.PromptsIn(s).Stats(t.Context(), store.PromptQuery{Last: 3, Limit: 1})
	want := store.PromptStats{
		Prompts: 3, Bytes: 12, Panes: 5, Outcomes: map[core.Outcome]int{"delivered": 2, "queued": 2, "open": 1},
		Sessions: []store.Count{{Name: "web", N: 4}, {Name: "api", N: 1}},
		Kinds:    []store.Count{{Name: "codex", N: 4}, {Name: "claude", N: 1}},
		First:    noon.Add(3 * time.Minute), Last: noon.Add(5 * time.Minute),
	}
	if err != nil || !cmp.Equal(stats, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, stats))
	}
}

func TestEventsOfTwoServersDoNotMix(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	event := func(revision core.Revision, kind core.EventType, session string) core.Event {
		return core.Event{
			Type: kind, Revision: revision, At: noon.Add(time.Duration(revision) * time.Second),
			Session: session,
		}
	}
	alert := core.Alert{ID: "x", Type: core.AlertQuestion, FirstSeen: noon, LastSeen: noon, Count: 2}
	changed := core.Event{
		Type: core.StateChanged, Revision: 3, At: noon.Add(3 * time.Second), Session: "api", Pane: "api.1",
		PaneID: "%1", Agent: "cc_1", Kind: "claude", From: "working", To: "waiting", Reason: core.ReasonQuestion,
		Message: "it asks", Alert: &alert,
	}
	one := []core.Event{event(1, core.SessionCreated, "api"), event(2, core.SessionClosed, "web"), changed}
	two := []core.Event{event(1, core.KeeperChanged, ""), event(900, core.SessionClosed, "api")}
	for range 2 {
		if err := store.EventsIn(s).Save(t.Context(), "/one", one); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.EventsIn(s).Save(t.Context(), "/two", two); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query store.EventQuery
		want  []core.Event
	}{
		{store.EventQuery{Server: "/one"}, one},
		{store.EventQuery{Server: "/two"}, two},
		{store.EventQuery{Server: "/none"}, []core.Event{}},
		{store.EventQuery{Server: "/one", After: 1}, one[1:]},
		{store.EventQuery{Server: "/two", After: 1}, two[1:]},
		{store.EventQuery{Server: "/one", After: 3}, []core.Event{}},
		{store.EventQuery{Server: "/one", Session: "api", Last: 1}, one[2:]},
		{store.EventQuery{Server: "/one", Types: []core.EventType{core.SessionClosed, core.StateChanged}}, one[1:]},
		{
			store.EventQuery{Server: "/one", Since: noon.Add(2 * time.Second), Until: noon.Add(3 * time.Second)},
			one[1:2],
		},
	} {
		got, err := store.EventsIn(s).Find(t.Context(), test.query)
		if err != nil || !cmp.Equal(got, test.want) {
			t.Errorf("%+v: %v\n%s", test.query, err, cmp.Diff(test.want, got))
		}
	}
}

func TestRevisionsThatBeginAnewAreApart(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	for epoch := range 2 {
		for revision := core.Revision(1); revision <= 5; revision++ {
			e := core.Event{Type: core.PaneOpened, Revision: revision, At: noon.Add(time.Duration(epoch) * time.Hour)}
			if err := store.EventsIn(s).Save(t.Context(), "/s", []core.Event{e}); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := store.EventsIn(s).Find(t.Context(), store.EventQuery{Server: "/s", After: 3})
	if err != nil || len(got) != 2 || got[0].Revision != 4 || !got[0].At.Equal(noon.Add(time.Hour)) {
		t.Errorf("%v %+v", err, got)
	}
}

func TestAnAlertIsOneRowThatADismissalOutlives(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	a := core.Alert{
		ID: "a", Type: core.AlertQuestion, Severity: core.SeverityWarning, Subject: "api.1", Session: "api", Pane: "%1",
		State: core.Waiting, Reason: core.ReasonQuestion, Message: "it asks", FirstSeen: noon, LastSeen: noon, Count: 1,
	}
	other := core.Alert{
		ID: "b", Subject: "web.1", Session: "web", FirstSeen: noon, LastSeen: noon.Add(time.Hour),
		Count: 1, ResolvedAt: noon.Add(time.Hour),
	}
	put := func(alerts ...core.Alert) {
		t.Helper()
		if err := store.AlertsIn(s).Save(t.Context(), "/s", alerts); err != nil {
			t.Fatal(err)
		}
	}
	see := func(q store.AlertQuery, want ...core.Alert) {
		t.Helper()
		got, err := store.AlertsIn(s).Find(t.Context(), q)
		if err != nil || len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want) {
			t.Errorf("%+v: %v\n%s", q, err, cmp.Diff(want, got))
		}
	}
	put(a, other)
	see(store.AlertQuery{}, a, other)
	see(store.AlertQuery{Server: "/other"})
	see(store.AlertQuery{Open: true}, a)
	see(store.AlertQuery{Session: "web", Server: "/s"}, other)
	see(store.AlertQuery{Since: noon.Add(time.Minute)}, other)

	dismissed := a
	dismissed.DismissedAt = noon.Add(time.Minute)
	put(dismissed)
	a.LastSeen = noon.Add(2 * time.Minute)
	put(a)
	dismissed.LastSeen = a.LastSeen
	see(store.AlertQuery{Session: "api"}, dismissed)
	a.Count++
	put(a)
	see(store.AlertQuery{Session: "api"}, a)
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	path := storePath(t)
	save(t, open(t, path, store.Options{}), aPrompt("a", "secret"))
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("%q %v", files, err)
	}
	for file, want := range map[string]os.FileMode{
		filepath.Dir(path): os.ModeDir | 0o700, path: 0o600,
		path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		if info, err := os.Stat(file); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", file, info.Mode(), err, want)
		}
	}
}

func TestAStoreThatDoesNotExistIsEmptyAndStaysSo(t *testing.T) {
	path := storePath(t)
	s := reader(t, path)
	page, err := store.PromptsIn(s).Find(t.Context(), store.PromptQuery{})
	if err != nil || page.Prompts == nil || page.Total != 0 {
		t.Errorf("%+v %v", page, err)
	}
	if events, err := store.EventsIn(s).Find(t.Context(), store.EventQuery{}); err != nil || events == nil {
		t.Errorf("%v %v", events, err)
	}
	if alerts, err := store.AlertsIn(s).Find(t.Context(), store.AlertQuery{}); err != nil || alerts == nil {
		t.Errorf("%v %v", alerts, err)
	}
	if stats, err := store.PromptsIn(s).Stats(t.Context(), store.PromptQuery{}); err != nil || stats.Outcomes == nil ||
		stats.Kinds == nil {
		t.Errorf("%+v %v", stats, err)
	}
	_, err = store.PromptsIn(s).One(t.Context(), "a")
	failsWith(t, err, core.NotFound)
	failsWith(t, store.PromptsIn(s).Save(t.Context(), aPrompt("a", "x")), core.StoreError)
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("reading left %v", err)
	}
}

func TestWhatIsOldOrTooMuchIsPruned(t *testing.T) {
	path := storePath(t)
	now := noon
	clock := func() time.Time { return now }
	s := open(t, path, store.Options{Now: clock, Keep: store.Retention{Age: time.Hour, Prompts: 700, Events: 2}})
	for i := range 1300 {
		save(t, s, aPrompt(fmt.Sprintf("%04d", i), "x"))
	}
	events := []core.Event{}
	for i := range 5 {
		events = append(events, core.Event{Type: core.PaneOpened, Revision: core.Revision(i + 1), At: noon})
	}
	if err := store.EventsIn(s).Save(t.Context(), "/s", events); err != nil {
		t.Fatal(err)
	}
	ids := found(t, s, store.PromptQuery{})
	if left, err := store.EventsIn(s).Find(t.Context(), store.EventQuery{Server: "/s"}); err != nil || len(left) != 2 ||
		left[0].Revision != 4 {
		t.Errorf("by count: %v %v", left, err)
	}
	if len(ids) != 700 || slices.Min(ids) != "0600" {
		t.Errorf("by count: %d from %s", len(ids), slices.Min(ids))
	}

	open, ended := core.Alert{ID: "open", LastSeen: noon, Count: 1},
		core.Alert{ID: "ended", LastSeen: noon, Count: 1, ResolvedAt: noon}
	if err := store.AlertsIn(s).Save(t.Context(), "/s", []core.Alert{open, ended}); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(2 * time.Hour)
	young := aPrompt("young", "x")
	young.At = now
	save(t, s, young)
	if n, err := s.Prune(t.Context()); err != nil || n != 700+2+1 {
		t.Errorf("by age it removed %d (%v)", n, err)
	}
	if got := found(t, s, store.PromptQuery{}); !slices.Equal(got, []string{"young"}) {
		t.Errorf("by age: %q", got)
	}
	if alerts, err := store.AlertsIn(s).Find(t.Context(), store.AlertQuery{}); err != nil || len(alerts) != 1 ||
		alerts[0].ID != "open" {
		t.Errorf("by age: %v %v", alerts, err)
	}
}

func TestAClockThatWasAheadKeepsNothingFromBeingPruned(t *testing.T) {
	path := storePath(t)
	now := noon.AddDate(10, 0, 0)
	opts := store.Options{Now: func() time.Time { return now }, Keep: store.Retention{Prompts: 1}}
	for _, now = range []time.Time{now, noon} {
		s := open(t, path, opts)
		save(t, s, aPrompt("a"+now.String(), "x"), aPrompt("b"+now.String(), "x"))
		if err := store.EventsIn(s).Save(t.Context(), "/s", nil); err != nil {
			t.Fatal(err)
		}
		if ids := found(t, s, store.PromptQuery{}); len(ids) != 1 {
			t.Errorf("in %d it keeps %d", now.Year(), len(ids))
		}
	}
}

func TestSessionsOnRecordAreKnownByName(t *testing.T) {
	path := storePath(t)
	s := open(t, path, store.Options{})
	other := aPrompt("p2", "two")
	other.Session, other.Deliveries[0].Session = "web", "elsewhere"
	save(t, s, aPrompt("p1", "one"), other)
	if err := store.EventsIn(s).Save(t.Context(), "/s",
		[]core.Event{
			{Revision: 1, At: noon, Type: core.SessionClosed, Session: "gone"},
			{Revision: 2, At: noon, Type: core.KeeperChanged},
		}); err != nil {
		t.Fatal(err)
	}
	if err := store.CeilingsIn(s).Set(t.Context(),
		store.Ceiling{Scope: "session", Session: "dear", Unit: "usd", Most: 1}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.SessionsIn(reader(t, path)).All(t.Context(), store.SessionQuery{}); err != nil ||
		!slices.Equal(got, []string{"api", "dear", "elsewhere", "gone", "web"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := store.SessionsIn(reader(t, path)).All(t.Context(),
		store.SessionQuery{Server: "/other"}); err != nil || !slices.Equal(got, []string{"dear"}) {
		t.Errorf("of another server: got %q, %v", got, err)
	}
	if got, err := store.SessionsIn(reader(t, path+"x")).All(t.Context(), store.SessionQuery{}); err != nil ||
		got == nil || len(got) != 0 {
		t.Errorf("without records: got %q, %v", got, err)
	}
}

func TestASessionIsForeignAsItsLastEventWas(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	var events []core.Event
	for i, session := range []string{"theirs", "adopted", "reused", ""} {
		for j, foreign := range [][]bool{{true, true}, {true, false}, {false, true}, {true, true}}[i] {
			events = append(events,
				core.Event{
					Revision: core.Revision(2*i + j + 1), At: noon, Type: core.PaneOpened, Session: session,
					Foreign: foreign,
				})
		}
	}
	if err := store.EventsIn(s).Save(t.Context(), "/s", events); err != nil {
		t.Fatal(err)
	}
	if err := store.EventsIn(s).Save(t.Context(), "/other",
		[]core.Event{{Revision: 1, At: noon, Type: core.PaneOpened, Session: "theirs"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.SessionsIn(s).All(t.Context(), store.SessionQuery{Foreign: true, Server: "/s"}); err != nil ||
		!slices.Equal(got, []string{"reused", "theirs"}) {
		t.Errorf("got %q, %v", got, err)
	}
	own, err := store.EventsIn(s).Find(t.Context(), store.EventQuery{Server: "/s", Own: true, Last: 1})
	if err != nil || len(own) != 1 || own[0].Session != "reused" || own[0].Foreign {
		t.Errorf("the last own event is %+v, %v", own, err)
	}
}

func TestAReaderSeesTheFileThatIsThereNow(t *testing.T) {
	path := storePath(t)
	r := reader(t, path)
	sees := func(want ...string) {
		t.Helper()
		if got := found(t, r, store.PromptQuery{}); !slices.Equal(got, want) {
			t.Errorf("it sees %q, want %q", got, want)
		}
	}
	sees()
	save(t, open(t, path, store.Options{}), aPrompt("first", "x"))
	sees("first")
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+part, path+".gone"+part); err != nil {
			t.Fatal(err)
		}
	}
	sees()
	save(t, open(t, path, store.Options{}), aPrompt("again", "x"))
	sees("again")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	sees()
}

package store_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/record/store"
)

func FuzzForeignTextComesBackAsItWas(f *testing.F) {
	for _, text := range []string{
		"", "hello", "\x00", "a\x00b", "\xff\xfe", "'; DROP TABLE prompts; --", "?1 :a @b $c",
		strings.Repeat("é\x00\xff\n", 5000), "🙂\r\n\t\x1b[31m",
	} {
		f.Add(text, "api", "cc_1")
	}
	s := open(f, storePath(f), store.Options{})
	var n atomic.Int64
	f.Fuzz(func(t *testing.T, text, session, agent string) {
		id := fmt.Sprint(n.Add(1), agent)
		p := *core.NewPrompt(agent, text, core.PaneRef{Session: session, Pane: "%1", Agent: agent})
		p.ID, p.At, p.Server = id, noon, session
		p.Deliveries[0].Result = core.Result{Outcome: "typed", Why: text}
		if text != "" {
			p.Deliveries[0].Evidence = []string{text}
		}
		save(t, s, p)
		if got, err := store.PromptsIn(s).One(t.Context(), id); err != nil || !cmp.Equal(got, p) {
			t.Errorf("%v\n%s", err, cmp.Diff(p, got))
		}
		if got := found(t, s, store.PromptQuery{Session: session, Panes: []string{"%1"}, Last: 1}); len(got) != 1 ||
			got[0] != id {
			t.Errorf("by session %q: %q", session, got)
		}
		e := core.Event{
			Type: core.PaneRetitled, Revision: core.Revision(n.Load()), At: noon, Session: session,
			Agent: agent, From: text, To: text, Message: text, Late: n.Load()%2 == 0, Foreign: n.Load()%3 == 0,
		}
		if err := store.EventsIn(s).Save(t.Context(), id, []core.Event{e}); err != nil {
			t.Fatal(err)
		}
		if got, err := store.EventsIn(s).Find(t.Context(), store.EventQuery{Server: id}); err != nil ||
			!cmp.Equal(got, []core.Event{e}) {
			t.Errorf("%v %+v", err, got)
		}
		a := core.Alert{
			ID: text, Subject: session, Session: session, Message: text, FirstSeen: noon, LastSeen: noon,
			Count: 1,
		}
		if err := store.AlertsIn(s).Save(t.Context(), id, []core.Alert{a}); err != nil {
			t.Fatal(err)
		}
		if got, err := store.AlertsIn(s).Find(t.Context(), store.AlertQuery{Server: id}); err != nil ||
			!cmp.Equal(got, []core.Alert{a}) {
			t.Errorf("%v %+v", err, got)
		}
	})
}

package deliver

import (
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// deliverTo delivers a text in virtual time and returns what became of it and
// how long that took.
func deliverTo(
	t *testing.T, a *fleettest.ScriptedEngine, change func(*Request), files ...fstest.MapFS,
) (d core.Delivery, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kinds := fleettest.StubKind
		if len(files) > 0 {
			kinds = files[0]
		}
		f := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, kinds)})
		request := Request{Target: resolve.Target{Session: "api"}, Text: "run the tests"}
		if change != nil {
			change(&request)
		}
		started := time.Now()
		sent, err := f.Send(t.Context(), request)
		took = time.Since(started)
		if len(sent.Deliveries) != 1 || (err != nil) != sent.Deliveries[0].Outcome.Failed() {
			t.Fatalf("%+v, %v", sent, err)
		}
		d = sent.Deliveries[0]
	})
	return d, took
}

// wantDelivery checks a delivery and what was typed for it.
func wantDelivery(
	t *testing.T, a *fleettest.ScriptedEngine, d core.Delivery, outcome core.Outcome, why string,
	pastes, enters int, evidence string,
) {
	t.Helper()
	pressed := 0
	for _, key := range a.Pressed {
		if key == "Enter" {
			pressed++
		}
	}
	if d.Outcome != outcome || d.Why != why || d.Enters != enters || pressed != enters || len(a.Pasted) != pastes ||
		!strings.Contains(d.Saw(), evidence) {
		t.Errorf("%+v; pasted %q, pressed %q; want %s %s with %d Enters and %q",
			d, a.Pasted, a.Pressed, outcome, why, enters, evidence)
	}
}

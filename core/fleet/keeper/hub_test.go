package keeper

import (
	"testing"

	"pgregory.net/rapid"

	"cupola/core"
	"cupola/core/fleet/fleettest"
)

// changes makes n events of no meaning.
func changes(n int) []core.Event { return make([]core.Event, n) }

func TestAReaderThatFellOffTheRingGetsTheWholeSnapshot(t *testing.T) {
	h := newHub(0)
	h.publish(nil, fleettest.Snapshot())
	slow := h.at(0)
	for range ringSize {
		h.publish(changes(1), fleettest.Snapshot())
	}
	if b, _, _ := h.next(slow); b.resync || len(b.events) != ringSize {
		t.Fatalf("%d events, resync %t; the ring holds them all", len(b.events), b.resync)
	}
	h.publish(changes(1), fleettest.Snapshot())
	b, after, _ := h.next(slow)
	if !b.resync || len(b.events) != 0 || b.snapshot.Revision != ringSize+1 {
		t.Fatalf("%d events, resync %t, revision %d", len(b.events), b.resync, b.snapshot.Revision)
	}
	if b, _, _ := h.next(after); !b.empty() {
		t.Error("it is told twice")
	}
}

func TestARevisionThatWasNeverMintedGetsTheWholeSnapshot(t *testing.T) {
	h := newHub(0)
	h.publish(changes(3), fleettest.Snapshot())
	if b, _, _ := h.next(h.at(9)); !b.resync {
		t.Error("revision 9 of 3 was believed")
	}
}

func TestTakeoverWithGapForcesResync(t *testing.T) {
	h := newHub(0)
	h.publish(changes(5), fleettest.Snapshot())
	h.takeOver(7, changes(2), fleettest.Snapshot())
	if b, _, _ := h.next(h.at(5)); !b.resync || len(b.events) > 0 ||
		b.note != "not every change since revision 5 is known" {
		t.Errorf("from 5: %d events over the hole", len(b.events))
	}
	b, _, _ := h.next(h.at(7))
	checkGapFree(t, 7, b.events)
	if len(b.events) != 2 || !b.resync || b.note != "another process keeps the picture now" {
		t.Errorf("from 7: %d events, resync %t", len(b.events), b.resync)
	}
}

func TestWhatIsMintedAloneHasNoRevision(t *testing.T) {
	h := newHub(0)
	h.publish(changes(5), fleettest.Snapshot())
	h.detach("why")
	h.publish(nil, fleettest.Snapshot())
	b, read, _ := h.next(h.at(5))
	if b.note != "why" || b.snapshot.Revision != 0 {
		t.Errorf("note %q, revision %d", b.note, b.snapshot.Revision)
	}
	h.publish(changes(1), fleettest.Snapshot())
	b, _, _ = h.next(read)
	if len(b.events) != 1 || b.events[0].Revision != 0 {
		t.Errorf("events %+v", b.events)
	}
	h.reattach()
	h.extend(batch{events: []core.Event{{Revision: 6}}, snapshot: &core.Snapshot{Revision: 6}})
	if b, _, _ := h.next(read); !b.resync || b.snapshot.Revision != 6 {
		t.Error("a reader from before was not told to start again")
	}
}

// A second hub that is fed with the batches of a reader of the first, however seldom it reads, sends its own readers
// the same.
func TestAHubFedFromAnotherIsGapFreeOrSaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := newHub(0), newHub(0)
		var between, read cursor
		known := core.Revision(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{0, 1, 2, 700, 3000}).Draw(t, "events")
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				_, revision := first.known()
				first.takeOver(revision+core.Revision(rapid.IntRange(0, 2).Draw(t, "hole")), changes(n+1),
					fleettest.Snapshot())
			} else {
				first.publish(changes(n), fleettest.Snapshot())
			}
			if !rapid.Bool().Draw(t, "carried") {
				continue
			}
			b, after, _ := first.next(between)
			second.extend(b)
			between = after
			if !rapid.Bool().Draw(t, "read") {
				continue
			}
			b, read, _ = second.next(read)
			for _, e := range b.events {
				known++
				if e.Revision != known {
					t.Fatalf("revision %d instead of %d", e.Revision, known)
				}
			}
			if b.resync {
				known = b.snapshot.Revision
			}
			if _, newest := first.known(); known != newest {
				t.Fatalf("read up to %d of %d", known, newest)
			}
		}
	})
}

func TestSilentStateChangeIsDeliveredOnce(t *testing.T) {
	shell := func(state core.State) *core.Snapshot {
		pane := fleettest.Pane(0, "%1", func(p *core.Pane) { p.Status.State = state })
		return fleettest.Snapshot(fleettest.Session("$1", "api", pane))
	}
	h := newHub(0)
	h.publish(nil, shell(core.Working))
	_, read, changed := h.next(cursor{})
	h.publish(nil, shell(core.Working))
	if b, _, _ := h.next(read); !b.empty() {
		t.Error("the same snapshot is told twice")
	}
	h.publish(nil, shell(core.Idle))
	select {
	case <-changed:
	default:
		t.Error("no reader is woken")
	}
	b, read, _ := h.next(read)
	if b.empty() || b.resync || len(b.events) > 0 || b.snapshot.Sessions[0].Panes[0].Status.State != core.Idle {
		t.Errorf("got %+v", b)
	}
	if b, _, _ := h.next(read); !b.empty() {
		t.Error("it is told twice")
	}
}

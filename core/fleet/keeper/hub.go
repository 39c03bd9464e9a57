package keeper

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"cupola/core"
)

// hub holds the state of one member: the snapshot, its revision and the latest events. It has one writer, a
// keeper's loop or the connection to a keeper, and any number of readers, which follow with cursors and
// cannot block it. It outlives the change from one writer to the next.
type hub struct {
	mu   sync.Mutex
	ring ring
	// snapshot is immutable once set; nil until one is known.
	snapshot *core.Snapshot
	revision core.Revision
	// resyncAt is the revision at which the keeper changed: readers from before get the whole snapshot after
	// the events.
	resyncAt core.Revision
	// epoch counts restarts, which invalidate all cursors.
	epoch int
	// silentChanges counts the snapshots that differ from their predecessor without an event: commands of a
	// user's shell start and end.
	silentChanges int
	// runs counts the reports that runs have changed.
	runs int
	// alone means that the snapshot is not shared: batches carry no revision.
	alone bool
	// note is the message of the resync then.
	note    string
	changed chan struct{}
}

// newHub returns a hub whose readers know everything up to since.
func newHub(since core.Revision) *hub {
	return &hub{revision: since, epoch: 1, changed: make(chan struct{})}
}

// cursor is the position of a reader. The zero value has read nothing.
type cursor struct {
	epoch         int
	revision      core.Revision
	silentChanges int
	runs          int
}

// batch is a reader's unread news: events, the snapshot after them, whether it shows more than the events report, and
// whether the reader must replace its state, for the reason in note.
type batch struct {
	events       []core.Event
	snapshot     *core.Snapshot
	silentChange bool
	resync       bool
	note         string
}

// empty reports whether a batch holds nothing new.
func (b *batch) empty() bool { return len(b.events) == 0 && !b.silentChange && !b.resync }

// withResync returns the batch with a resync, if it is one, as its last event.
func (b batch) withResync(at time.Time) batch {
	if b.resync {
		b.events = append(b.events, core.Event{
			Revision: b.snapshot.Revision, At: at, Type: core.Resynced, Message: b.note, Snapshot: b.snapshot,
		})
	}
	return b
}

// at returns the cursor of a reader that knows everything up to a revision.
func (h *hub) at(revision core.Revision) cursor {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cursor{h.epoch, revision, h.silentChanges, h.runs}
}

// next returns the batch after a cursor, the cursor after that, and a channel that closes when there is more.
// A batch without a snapshot means that there is none yet.
func (h *hub) next(c cursor) (batch, cursor, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.snapshot == nil {
		c.runs = h.runs
		return batch{}, c, h.changed
	}
	b := batch{snapshot: h.snapshot, silentChange: c.silentChanges != h.silentChanges, note: h.note}
	if c.epoch != h.epoch || c.revision > h.revision || h.revision-c.revision > core.Revision(h.ring.len()) {
		b.resync = true
		if b.note == "" && c.revision > 0 {
			b.note = fmt.Sprintf("not every change since revision %d is known", c.revision)
		}
	} else {
		b.events = h.ring.newest(int(h.revision - c.revision))
		if b.resync = c.revision < h.resyncAt; b.resync && b.note == "" {
			b.note = "another process keeps the picture now"
		}
	}
	if h.alone {
		b.unnumber()
	}
	return b, cursor{h.epoch, h.revision, h.silentChanges, h.runs}, h.changed
}

func (b *batch) unnumber() {
	for i := range b.events {
		b.events[i].Revision = 0
	}
	snapshot := *b.snapshot
	snapshot.Revision = 0
	b.snapshot = &snapshot
}

// known returns the snapshot and its revision.
func (h *hub) known() (*core.Snapshot, core.Revision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.snapshot, h.revision
}

// watch returns the snapshot, its revision, and a channel that closes when there is a newer one.
func (h *hub) watch() (*core.Snapshot, core.Revision, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.snapshot, h.revision, h.changed
}

// publish numbers the events that led to a snapshot and publishes both. The hub then owns the snapshot.
func (h *hub) publish(events []core.Event, snapshot *core.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.append(events, snapshot)
}

// takeOver is publish for a new keeper's first snapshot. The events continue after the revision base; readers of
// a hub that does not reach base get a resync.
func (h *hub) takeOver(base core.Revision, events []core.Event, snapshot *core.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.revision != base {
		h.ring.clear()
		h.revision = base
	}
	h.resyncAt = base + core.Revision(len(events))
	h.append(events, snapshot)
}

func (h *hub) append(events []core.Event, snapshot *core.Snapshot) {
	first := h.snapshot == nil
	for _, e := range events {
		h.revision++
		e.Revision = h.revision
		h.ring.add(e)
	}
	snapshot.Revision = h.revision
	unspoken := !first && len(events) == 0 && !sameStates(h.snapshot, snapshot)
	h.snapshot = snapshot
	if unspoken {
		h.silentChanges++
	}
	if first || len(events) > 0 || unspoken {
		h.wake()
	}
}

// sameStates reports whether the panes of two snapshots are in the same states.
func sameStates(a, b *core.Snapshot) bool {
	return slices.EqualFunc(a.Sessions, b.Sessions, func(a, b core.Session) bool {
		return slices.EqualFunc(a.Panes, b.Panes, func(a, b core.Pane) bool {
			return a.Status.Same(b.Status) && a.Status.Said == b.Status.Said
		})
	})
}

// extend publishes a keeper's batch. A batch that does not continue this hub's events replaces them.
func (h *hub) extend(b batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	revision := b.snapshot.Revision
	if h.revision+core.Revision(len(b.events)) != revision || b.resync && len(b.events) == 0 {
		h.ring.clear()
		h.epoch++
	}
	for _, e := range b.events {
		h.ring.add(e)
	}
	if b.resync {
		h.resyncAt = revision
	}
	h.revision, h.snapshot = revision, b.snapshot
	if len(b.events) == 0 {
		h.silentChanges++
	}
	h.wake()
}

// detach starts a snapshot of this member's own, reattach ends it; both discard the state.
func (h *hub) detach(note string) { h.restart(true, note) }

func (h *hub) reattach() { h.restart(false, "") }

func (h *hub) restart(alone bool, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring.clear()
	h.epoch++
	h.revision, h.resyncAt, h.snapshot = 0, 0, nil
	h.alone, h.note = alone, note
}

// ran says that runs have changed.
func (h *hub) ran() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs++
	h.wake()
}

// runsAt returns how often runs were reported to have changed, and a channel that closes when something has changed.
func (h *hub) runsAt() (int, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs, h.changed
}

// wake notifies waiting readers; the caller holds the lock.
func (h *hub) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// wakeUp signals a channel of capacity one.
func wakeUp(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

package output

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/keeper"
)

// The kinds of an Event: a new line, a gap where output was lost, and the end of a pane.
const (
	EventLine   = "line"
	EventGap    = "gap"
	EventClosed = "closed"
)

// Event is new output of a pane.
type Event struct {
	// Type is EventLine, EventGap if output was lost, or EventClosed for a pane that was closed.
	Type string    `json:"type"`
	At   time.Time `json:"at"`
	core.PaneRef
	// Text is the line, or the reason for a gap.
	Text string `json:"text"`
}

// readEvery is how often the panes that print are read; settleAfter is how long the last lines must be
// unchanged to count as output.
const (
	readEvery   = 200 * time.Millisecond
	settleAfter = 600 * time.Millisecond
)

// Follow reports new output of panes from now on, or since the marks of the request, line by line and without
// the agents' interface, until ctx ends, emit fails or the last pane is closed. A line is reported once it is
// complete. Follow returns the marks to continue from; it subscribes to the shared snapshot, as Subscribe
// does.
func (r *Reader) Follow(ctx context.Context, request Request, emit func(Event) error) (marks []string, err error) {
	defer func() { err = fault.Wrap("tail", err) }()
	since, err := parseMarks(request.Since)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := r.opts.Streams.Live(ctx, true)
	if err != nil {
		return nil, err
	}
	l := &follower{reader: r, request: request, since: since, emit: emit, heard: map[core.PaneID]*followedPane{}}
	err = l.listen(ctx, live)
	stop()
	for range live.Frames {
	}
	return l.marks(), errors.Join(err, live.Err())
}

// follower follows panes.
type follower struct {
	reader  *Reader
	request Request
	since   map[core.PaneID]mark
	emit    func(Event) error
	panes   []*core.Pane
	heard   map[core.PaneID]*followedPane
}

// followedPane is the part of a pane's output that was reported.
type followedPane struct {
	ref core.PaneRef
	// read is the mark after the reported lines; started is false until it is known.
	read    mark
	started bool
	// spoke is true once a line was reported.
	spoke bool
	// pending are the lines after read, unchanged since.
	pending []string
	since   time.Time
	// dirty is true if the pane may show unread output.
	dirty bool
}

// errAllClosed ends a follow whose panes are all closed.
var errAllClosed = errors.New("all panes are closed")

func (l *follower) listen(ctx context.Context, live *keeper.Live) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for set := true; ; {
		select {
		case frame, open := <-live.Frames:
			if !open {
				return nil
			}
			if err := l.apply(&frame, live); err != nil {
				return unlessAllClosed(err)
			}
		case <-timer.C:
			set = false
			if err := l.read(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
		// Frames may come more often than reads; they delay none.
		if wait, due := l.due(); due && (!set || wait == 0) {
			timer.Reset(wait)
			set = true
		}
	}
}

// unlessAllClosed is the error of a follow, nil if all panes are closed.
func unlessAllClosed(err error) error {
	if errors.Is(err, errAllClosed) {
		return nil
	}
	return err
}

// apply handles one frame.
func (l *follower) apply(frame *keeper.Frame, live *keeper.Live) error {
	if frame.Snapshot != nil {
		if err := l.see(frame.Snapshot, live); err != nil {
			return err
		}
	}
	for id := range frame.Screens {
		if h := l.heard[id]; h != nil {
			h.dirty = true
		}
	}
	return nil
}

// see handles a snapshot: panes that opened, closed or whose id was reused.
func (l *follower) see(snapshot *core.Snapshot, live *keeper.Live) error {
	panes, err := l.reader.opts.Resolver.Resolve(snapshot, l.request.Target)
	if err != nil && len(l.heard) == 0 {
		return err
	}
	l.panes = panes
	ids := make([]core.PaneID, 0, len(panes))
	for _, pane := range panes {
		ids = append(ids, pane.ID)
		h := l.heard[pane.ID]
		if h == nil {
			h = &followedPane{dirty: true}
			h.read, h.started = l.since[pane.ID]
			l.heard[pane.ID] = h
		}
		h.ref = pane.Ref()
	}
	live.Display(ids)
	for _, id := range slices.Sorted(maps.Keys(l.heard)) {
		if slices.Contains(ids, id) {
			continue
		}
		gone := l.heard[id]
		delete(l.heard, id)
		if err := l.flush(gone, len(gone.pending)); err != nil {
			return err
		}
		if err := l.emit(Event{PaneRef: gone.ref, Type: EventClosed, At: l.reader.opts.Now()}); err != nil {
			return err
		}
	}
	if len(l.heard) == 0 {
		return errAllClosed
	}
	return nil
}

// due reports whether something must be read, or may have settled, and when. The first read is immediate.
func (l *follower) due() (wait time.Duration, due bool) {
	wait = readEvery
	for _, h := range l.heard {
		due = due || h.dirty || len(h.pending) > 0
		if !h.started {
			wait = 0
		}
	}
	return wait, due
}

// read reads the dirty panes, and reports settled lines.
func (l *follower) read(ctx context.Context) error {
	var dirty []*core.Pane
	for _, pane := range l.panes {
		if h := l.heard[pane.ID]; h != nil && h.dirty {
			dirty = append(dirty, pane)
		}
	}
	request := Request{Lines: behind, Escapes: l.request.Escapes, StripUI: true}
	if len(dirty) > 0 {
		tails, err := l.reader.read(ctx, dirty, &request)
		switch {
		case ctx.Err() != nil || core.AsError(err).HasCode(core.PaneNotFound):
			return nil //nolint:nilerr // the next snapshot says so, and the others are read again
		case errors.Is(err, engine.ErrSilent):
			return nil // it is asked again
		case err != nil:
			return err
		}
		for i := range tails {
			h := l.heard[tails[i].Pane]
			h.dirty = false
			if err := l.update(h, tails[i].Lines); err != nil {
				return err
			}
		}
		if l.request.Captured != nil {
			l.request.Captured()
		}
	}
	for _, pane := range l.panes {
		h := l.heard[pane.ID]
		if h == nil || len(h.pending) == 0 || l.reader.opts.Now().Sub(h.since) < settleAfter {
			continue
		}
		if err := l.flush(h, len(h.pending)); err != nil {
			return err
		}
	}
	return nil
}

// update compares a pane's lines with the pending ones, and reports those that are complete: unchanged since
// the last read and followed by others.
func (l *follower) update(h *followedPane, lines []string) error {
	if !h.started {
		h.read, h.started = markAfter(h.ref.Pane, lines), true
		return nil
	}
	from, found := h.read.after(lines)
	if !found {
		if err := l.emit(Event{
			PaneRef: h.ref, Type: EventGap, At: l.reader.opts.Now(),
			Text: "what it said in between has gone from the screen",
		}); err != nil {
			return err
		}
		h.read.seen, h.pending, from = nil, nil, 0
	}
	fresh := lines[from:]
	same := 0
	for same < len(fresh) && same < len(h.pending) && fresh[same] == h.pending[same] {
		same++
	}
	if same < len(fresh) || len(fresh) != len(h.pending) {
		h.since = l.reader.opts.Now()
	}
	h.pending = slices.Clone(fresh)
	return l.flush(h, min(same, len(fresh)-1))
}

// flush reports the first n pending lines.
func (l *follower) flush(h *followedPane, n int) error {
	if n <= 0 {
		return nil
	}
	lines := h.pending[:n]
	h.pending = h.pending[n:]
	h.read = h.read.moved(lines)
	for _, line := range lines {
		// Leading blank lines are dropped.
		if h.spoke = h.spoke || !blank(line); !h.spoke {
			continue
		}
		if err := l.emit(Event{PaneRef: h.ref, Type: EventLine, At: l.reader.opts.Now(), Text: line}); err != nil {
			return err
		}
	}
	return nil
}

// moved returns the mark after lines that follow it.
func (m mark) moved(lines []string) mark {
	_, hashes := hashesOf(lines)
	seen := slices.Concat(m.seen, hashes)
	return mark{m.pane, seen[max(0, len(seen)-remembered):]}
}

// marks returns the places to continue from.
func (l *follower) marks() []string {
	words := make([]string, 0, len(l.heard))
	for _, id := range slices.Sorted(maps.Keys(l.heard)) {
		if h := l.heard[id]; h.started {
			words = append(words, h.read.String())
		}
	}
	return words
}

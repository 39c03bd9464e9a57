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

// The kinds of a Said: a line of text, a gap where what a pane said meanwhile is
// lost, and the end of a pane.
const (
	EventLine   = "line"
	EventGap    = "gap"
	EventClosed = "closed"
)

// Event is what a pane has said anew.
type Event struct {
	core.PaneRef
	Type string
	At   time.Time
	// Text is the line, or why there is a gap.
	Text string
}

// often is how often a pane that prints is read, and still how long its last lines
// must have stood still until they count as said.
const (
	readEvery   = 200 * time.Millisecond
	settleAfter = 600 * time.Millisecond
)

// Follow tells what panes say from now on, or since the marks of the request, line
// by line and without what agents draw around their words, until ctx ends, emit
// fails or the last pane is closed. A line is told once it is not written at any
// more. Follow returns the marks to go on from; it takes part in keeping the
// snapshot, as Subscribe does.
func (r *Reader) Follow(ctx context.Context, request Request, emit func(Event) error) (marks []string, err error) {
	defer func() { err = fault.Wrap("tail", err) }()
	since, err := parseMarks(request.Since)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	live, err := r.Streams.Live(ctx, true)
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

// followedPane is what was told of a pane.
type followedPane struct {
	ref core.PaneRef
	// place is after what was told; begun is false until it is known.
	place mark
	begun bool
	// spoke is true once a line was told.
	spoke bool
	// pending are lines behind that, which have stood still since.
	pending []string
	since   time.Time
	// dirty is true if the pane may show what was not read.
	dirty bool
}

// errAllClosed says that nobody is left to listen to.
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
			if err := l.take(&frame, live); err != nil {
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
		// Frames may come more often than reads; they put none off.
		if wait, due := l.due(); due && (!set || wait == 0) {
			timer.Reset(wait)
			set = true
		}
	}
}

// unlessAllClosed is the end of a follow, which is no error where all panes are closed.
func unlessAllClosed(err error) error {
	if errors.Is(err, errAllClosed) {
		return nil
	}
	return err
}

// take takes in what one frame tells.
func (l *follower) take(frame *keeper.Frame, live *keeper.Live) error {
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

// see takes in a snapshot: panes that came, went or are foreign now.
func (l *follower) see(snapshot *core.Snapshot, live *keeper.Live) error {
	panes, err := l.reader.Resolver.Resolve(snapshot, l.request.Target)
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
			h.place, h.begun = l.since[pane.ID]
			l.heard[pane.ID] = h
		}
		h.ref = pane.Ref()
	}
	live.Look(ids)
	for _, id := range slices.Sorted(maps.Keys(l.heard)) {
		if slices.Contains(ids, id) {
			continue
		}
		gone := l.heard[id]
		delete(l.heard, id)
		if err := l.flush(gone, len(gone.pending)); err != nil {
			return err
		}
		if err := l.emit(Event{PaneRef: gone.ref, Type: EventClosed, At: l.reader.Now()}); err != nil {
			return err
		}
	}
	if len(l.heard) == 0 {
		return errAllClosed
	}
	return nil
}

// due reports whether something must be read, or may have settled, and when. The
// first look is at once.
func (l *follower) due() (wait time.Duration, due bool) {
	wait = readEvery
	for _, h := range l.heard {
		due = due || h.dirty || len(h.pending) > 0
		if !h.begun {
			wait = 0
		}
	}
	return wait, due
}

// read reads the panes that may have something new, and tells what has settled.
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
		if l.request.Looked != nil {
			l.request.Looked()
		}
	}
	for _, pane := range l.panes {
		h := l.heard[pane.ID]
		if h == nil || len(h.pending) == 0 || l.reader.Now().Sub(h.since) < settleAfter {
			continue
		}
		if err := l.flush(h, len(h.pending)); err != nil {
			return err
		}
	}
	return nil
}

// update takes in what a pane shows now, and tells what is written at no more: what
// has stood still since the last look and has something behind it.
func (l *follower) update(h *followedPane, lines []string) error {
	if !h.begun {
		h.place, h.begun = markAfter(h.ref.Pane, lines), true
		return nil
	}
	from, found := h.place.after(lines)
	if !found {
		if err := l.emit(Event{
			PaneRef: h.ref, Type: EventGap, At: l.reader.Now(),
			Text: "what it said in between has gone from the screen",
		}); err != nil {
			return err
		}
		h.place.seen, h.pending, from = nil, nil, 0
	}
	fresh := lines[from:]
	same := 0
	for same < len(fresh) && same < len(h.pending) && fresh[same] == h.pending[same] {
		same++
	}
	if same < len(fresh) || len(fresh) != len(h.pending) {
		h.since = l.reader.Now()
	}
	h.pending = slices.Clone(fresh)
	return l.flush(h, min(same, len(fresh)-1))
}

// flush tells the first n pending lines.
func (l *follower) flush(h *followedPane, n int) error {
	if n <= 0 {
		return nil
	}
	told := h.pending[:n]
	h.pending = h.pending[n:]
	h.place = h.place.moved(told)
	for _, line := range told {
		// Blank lines before the first one say nothing.
		if h.spoke = h.spoke || !blank(line); !h.spoke {
			continue
		}
		if err := l.emit(Event{PaneRef: h.ref, Type: EventLine, At: l.reader.Now(), Text: line}); err != nil {
			return err
		}
	}
	return nil
}

// moved is the mark behind lines that follow it.
func (m mark) moved(lines []string) mark {
	_, hashes := hashesOf(lines)
	seen := slices.Concat(m.seen, hashes)
	return mark{m.pane, seen[max(0, len(seen)-remembered):]}
}

// marks are the places to go on from.
func (l *follower) marks() []string {
	words := make([]string, 0, len(l.heard))
	for _, id := range slices.Sorted(maps.Keys(l.heard)) {
		if h := l.heard[id]; h.begun {
			words = append(words, h.place.String())
		}
	}
	return words
}

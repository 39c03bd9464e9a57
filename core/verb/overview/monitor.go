package overview

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/keeper"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

type monitorIn struct {
	registry.InSession
	registry.OfPanes
	Every   time.Duration      `help:"Report at least this often; 0 is only on changes"`
	Timeout time.Duration      `help:"End after this long; 0 never ends"`
	Output  registry.WritePath `help:"Append the lines to this file too"`
}

// monitorOut is the last line of the stream.
type monitorOut struct {
	// Reason is "timeout", or "closed" if the session's last pane was closed.
	Reason string `json:"reason,omitempty"`
	Lines  int    `json:"line_count"`
}

// monitorLine is one pane as it now is.
type monitorLine struct {
	// Type is "pane" for a pane that changed, or that is reported again after
	// --every, and "closed" for one that is gone.
	Type string    `json:"type"`
	At   time.Time `json:"at"`
	verb.PaneRow
	// From is the state before; absent in the first line of a pane.
	From core.State `json:"from,omitempty"`
}

var monitor = registry.Define(registry.Spec[verb.OnFleet, monitorIn, monitorOut]{
	Name: "monitor", Of: "watch --states", Group: verb.GroupSee,
	Short: "Stream the state of one session's agents, one line per change",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"api --timeout=1s"},
	Errors:   append([]core.Code{core.IOError}, verb.Observing...),
	Stream:   registry.Stream[verb.OnFleet, monitorIn, monitorOut]{Line: monitorLine{}, Run: runMonitor},
}).SeeAlso("attention", "summary")

func runMonitor(ctx context.Context, deps verb.OnFleet, in monitorIn, emit func(any) error) (monitorOut, error) {
	if in.Output != "" {
		file, err := os.OpenFile(string(in.Output), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return monitorOut{}, core.Errorf(core.IOError, "--output: %w", err)
		}
		defer file.Close()
		emit = tee(emit, file)
	}
	return watchStates(ctx, deps, in, func(line stateLine) error {
		return emit(monitorLine{Type: line.what, At: line.at, PaneRow: line.row, From: line.from})
	})
}

// stateLine is a pane whose state changed.
type stateLine struct {
	// what is "pane" or "closed".
	what string
	at   time.Time
	row  verb.PaneRow
	from core.State
}

// watchStates emits the states of the panes of a session as they change.
func watchStates(ctx context.Context, deps verb.OnFleet, in monitorIn, emit func(stateLine) error) (monitorOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	_, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return monitorOut{}, err
	}
	watch := monitored{
		emit: emit, ids: map[core.PaneID]bool{}, last: map[core.PaneID]core.Pane{},
		all: len(in.Panes) == 0 && in.Session == panes[0].Session,
	}
	watch.session = panes[0].Session
	for _, pane := range panes {
		watch.ids[pane.ID] = true
	}
	ctx, begin, end := await.Timed(ctx, in.Timeout, context.DeadlineExceeded)
	defer end()
	watch.begin = begin
	live, err := deps.Fleet.Streams.Live(ctx, true)
	if err != nil {
		return monitorOut{}, err
	}
	out, err := watch.follow(ctx, live, in.Every)
	end()
	for range live.Frames { // the keeper records what was seen last
	}
	return out, err
}

// monitored is the report of a monitor so far.
type monitored struct {
	emit    func(stateLine) error
	session string
	// all is true if every agent of the session is selected, later ones too.
	all  bool
	ids  map[core.PaneID]bool
	last map[core.PaneID]core.Pane
	out  monitorOut
	// begin is called with the first snapshot.
	begin func()
}

// follow reports the changes of frames until they end.
func (m *monitored) follow(ctx context.Context, live *keeper.Live, every time.Duration) (monitorOut, error) {
	var again <-chan time.Time
	if every > 0 {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		again = ticker.C
	}
	for {
		var err error
		select {
		case frame, open := <-live.Frames:
			if !open {
				return m.ended(ctx, live)
			}
			m.begin()
			if frame.Snapshot != nil {
				err = m.take(frame.Snapshot)
			}
		case now := <-again:
			for _, pane := range m.last {
				if err == nil {
					err = m.say("pane", &pane, pane.Status.State, now)
				}
			}
		}
		if err != nil || m.out.Reason != "" {
			return m.out, err
		}
	}
}

func (m *monitored) ended(ctx context.Context, live *keeper.Live) (monitorOut, error) {
	m.out.Reason = "timeout"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return m.out, nil
	}
	if ctx.Err() != nil {
		return m.out, ctx.Err()
	}
	return m.out, live.Err()
}

// take reports what is new in a snapshot.
func (m *monitored) take(snap *core.Snapshot) error {
	seen := map[core.PaneID]bool{}
	for _, pane := range snap.Panes() {
		if joined := m.all && pane.Session == m.session && !pane.IsUser(); !joined && !m.ids[pane.ID] {
			continue
		}
		seen[pane.ID] = true
		before, known := m.last[pane.ID]
		m.last[pane.ID] = *pane
		if known && before.Status.Same(pane.Status) && before.Address() == pane.Address() {
			continue
		}
		if err := m.say("pane", pane, before.Status.State, snap.Taken); err != nil {
			return err
		}
	}
	for id, pane := range m.last {
		if seen[id] {
			continue
		}
		delete(m.last, id)
		if err := m.say("closed", &pane, pane.Status.State, snap.Taken); err != nil {
			return err
		}
	}
	if len(m.last) == 0 {
		m.out.Reason = "closed"
	}
	return nil
}

func (m *monitored) say(what string, pane *core.Pane, from core.State, at time.Time) error {
	m.out.Lines++
	return m.emit(stateLine{what, at, verb.RowOf(pane), from})
}

// tee also appends each line to a file.
func tee(emit func(any) error, file *os.File) func(any) error {
	return func(line any) error {
		var text strings.Builder
		err := render.JSON(&text, line, false)
		if err == nil {
			_, err = file.WriteString(text.String() + "\n")
		}
		if err != nil {
			return core.Errorf(core.IOError, "--output: %w", err)
		}
		return emit(line)
	}
}

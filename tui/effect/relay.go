package effect

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/tui/intent"
)

// Relays is how relays are reached.
type Relays struct {
	// Book is where they are on record.
	Book relay.Book
	// Askable returns the backends that can be asked, and the one that is asked where none is named.
	Askable func() (names []string, usual string, err error)
	// Ask asks a backend in the background, and returns once that has begun.
	Ask func(ctx context.Context, request relay.Request) (*relay.Record, error)
	// Hint returns what to do about a failure.
	Hint func(code core.Code) string
}

// RelaysListed has the relays, the newest first, without their answers.
type RelaysListed struct {
	Records []relay.Record
	Err     error
	Now     time.Time
}

// RelayRead is a relay with its answer as far as it has come; Err says why that is unknown.
type RelayRead struct {
	Intent intent.ReadRelay
	Record relay.Record
	// Text is the answer, Doing what the backend did last if that was no text.
	Text, Doing string
	Err         error
	Now         time.Time
}

// BackendsFound are the backends that can be asked, and the one that is asked where none is named.
type BackendsFound struct {
	Intent intent.Backends
	Names  []string
	Usual  string
	Err    error
}

// cancelWithin is how long a relay may take to end.
const cancelWithin = 30 * time.Second

// relays acts on relays.
type relays struct {
	Relays
	index   *relay.Index
	watcher *watcher

	mu sync.Mutex
	// reader reads the answer that is on the display.
	reader *relay.Reader
}

func newRelays(r Relays) *relays {
	return &relays{Relays: r, index: r.Book.Index(), watcher: newWatcher()}
}

// watch waits for another list of relays.
func (r *relays) watch(ctx context.Context) tea.Msg {
	listed := RelaysListed{}
	if !r.watcher.next(ctx, func() (string, bool) {
		listed.Records, listed.Err = r.index.All()
		return identify(listed.Records, listed.Err)
	}) {
		return nil
	}
	listed.Now = time.Now()
	return listed
}

// identify tells one list from another, and whether a relay of it runs.
func identify(records []relay.Record, err error) (listed string, live bool) {
	var b strings.Builder
	b.WriteString("list")
	if err != nil {
		b.WriteString(err.Error())
	}
	for i := range records {
		b.WriteString(" " + records[i].ID + " " + string(records[i].State))
		live = live || !records[i].State.Ended()
	}
	return b.String(), live
}

// read reads a relay with its answer. It waits for news if the answer is known, but no longer than
// readWithin.
func (r *relays) read(ctx context.Context, w intent.ReadRelay) tea.Msg {
	read, ok := newsOf(ctx, w.Known, func() (RelayRead, bool) { return r.look(w) })
	if !ok {
		return nil
	}
	return read
}

// look reads what has come of an answer; news is true if that is more than before, or its end.
func (r *relays) look(w intent.ReadRelay) (read RelayRead, news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.ID != w.ID {
		r.reader = &relay.Reader{Book: r.Book, ID: w.ID}
	}
	read = RelayRead{Intent: w, Now: time.Now()}
	// The record is read first: what came before its end is on file then.
	record, err := r.Book.Load(w.ID)
	if err != nil {
		read.Err = err
		return read, true
	}
	read.Record = *record
	if record.State == relay.Failed && record.Hint == "" {
		read.Record.Hint = r.Hint(record.ErrorCode)
	}
	if record.State.Ended() && record.Text != "" {
		read.Text, r.reader = record.Text, nil
		return read, true
	}
	before, doing := len(r.reader.Text()), r.reader.Doing()
	read.Err = r.reader.Read()
	read.Text, read.Doing = r.reader.Text(), r.reader.Doing()
	return read, record.State.Ended() || len(read.Text) != before || read.Doing != doing || read.Err != nil
}

// ask starts a relay.
func (r *relays) ask(ctx context.Context, w intent.Relay) Done {
	record, err := r.Ask(ctx, relay.Request{
		Prompt: w.Prompt, Backend: w.Backend, Sandbox: w.Sandbox, Label: w.Label,
	})
	r.watcher.hurry()
	if err != nil {
		return Done{Err: err}
	}
	return Done{Said: record.Backend + " was asked: " + record.ID, Relay: record.ID}
}

// cancel ends a relay, and waits for that.
func (r *relays) cancel(ctx context.Context, w intent.Cancel) (string, error) {
	limited, stop := context.WithTimeout(ctx, cancelWithin)
	defer stop()
	record, err := r.Book.Cancel(limited, w.ID, time.Now)
	r.watcher.hurry()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", core.Errorf(core.Timeout, "the relay %s has not ended within %s", w.ID, cancelWithin)
	case err != nil:
		return "", err
	case record.State != relay.Cancelled:
		return "the relay " + w.ID + " had ended: " + string(record.State), nil
	}
	return "cancelled " + w.ID, nil
}

// backends finds what can be asked.
func (r *relays) backends(w intent.Backends) tea.Msg {
	names, usual, err := r.Askable()
	return BackendsFound{Intent: w, Names: names, Usual: usual, Err: err}
}

package effect

import (
	"context"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/tui/intent"
	shown "cupola/tui/screen/relays"
)

// Relays is how relays are reached.
type Relays struct {
	// Book is where they are on record.
	Book relay.Book
	// Askable returns the backends that can be asked, and the one that is asked where none is named.
	Askable func() (names []string, usual string, err error)
	// Hint returns what to do about a failure.
	Hint func(code core.Code) string
}

// BackendsFound are the backends that can be asked, and the one that is asked where none is named.
type BackendsFound struct {
	Intent intent.Backends
	Names  []string
	Usual  string
	Err    error
}

// relays acts on relays.
type relays struct {
	Relays
	index *relay.Cache

	mu sync.Mutex
	// reader reads the answer that is on the display.
	reader *relay.Reader
}

func newRelays(r Relays) *relays { return &relays{Relays: r, index: r.Book.Cache()} }

// readers answer what the screen of the relays asks.
func (r *relays) readers() []Reader {
	return []Reader{
		Watch(func(context.Context, shown.ListQuestion) ([]relay.Record, error) { return r.index.All() }, identify),
		Follow(func(_ context.Context, w shown.Question) (shown.Answer, bool, error) { return r.look(w.ID) }),
	}
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

// look reads what has come of an answer; news is true if that is more than before, or its end.
func (r *relays) look(id string) (read shown.Answer, news bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.ID != id {
		r.reader = &relay.Reader{Book: r.Book, ID: id}
	}
	// The record is read first: what came before its end is on file then.
	record, err := r.Book.Load(id)
	if err != nil {
		return read, true, err
	}
	read.Record = *record
	if record.State == relay.Failed && record.Hint == "" {
		read.Record.Hint = r.Hint(record.ErrorCode)
	}
	if record.State.Ended() && record.Text != "" {
		read.Text, r.reader = record.Text, nil
		return read, true, nil
	}
	before, doing := len(r.reader.Text()), r.reader.Doing()
	err = r.reader.Read()
	read.Text, read.Doing = r.reader.Text(), r.reader.Doing()
	return read, record.State.Ended() || len(read.Text) != before || read.Doing != doing, err
}

// backends finds what can be asked.
func (r *relays) backends(w intent.Backends) tea.Msg {
	names, usual, err := r.Askable()
	return BackendsFound{Intent: w, Names: names, Usual: usual, Err: err}
}

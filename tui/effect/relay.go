package effect

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/tui/intent"
	shown "cupola/tui/screen/relays"
)

// Relays is how relays are reached.
type Relays struct {
	// Directory is where they are on record.
	Directory relay.Directory
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

	mu sync.Mutex
	// reader reads the answer that is on the display.
	reader *relay.Reader
}

func newRelays(r Relays) *relays { return &relays{Relays: r} }

// readers answer what is asked about relays.
func (r *relays) readers() []Reader {
	return []Reader{
		Follow(func(_ context.Context, w shown.Question) (shown.Answer, bool, error) { return r.look(w.ID) }),
	}
}

// look reads what has come of an answer; news is true if that is more than before, or its end.
func (r *relays) look(id string) (read shown.Answer, news bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reader == nil || r.reader.ID != id {
		r.reader = &relay.Reader{Directory: r.Directory, ID: id}
	}
	// The record is read first: what came before its end is on file then.
	record, err := r.Directory.Load(id)
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

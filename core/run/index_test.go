package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"cupola/core/run"
)

// entry is a record of a run, as small as one can be.
type entry struct {
	ID    string
	Name  string
	Dir   string
	State run.State
	Began time.Time
	Large string `json:",omitempty"`
}

func (e *entry) Head() run.Head {
	return run.Head{ID: e.ID, Kind: run.Relay, Name: e.Name, Dir: e.Dir, State: e.State, Started: e.Began}
}

func (e *entry) Valid() error {
	if e.ID == "" {
		return errors.New("it has no id")
	}
	return nil
}

func (e *entry) Interrupt()          { e.State = run.Interrupted }
func (e *entry) Cancel(at time.Time) { e.State = run.Cancelled }
func (e *entry) Trim()               { e.Large = "" }

type directory = run.Directory[entry, *entry]

// opened returns a directory with an index, and a function that returns others on the same files, as other processes
// have.
func opened(t *testing.T) (*directory, func() *directory) {
	t.Helper()
	dir := t.TempDir()
	open := func() *directory {
		source := &directory{Dir: filepath.Join(dir, "entries"), File: "entry.json", Noun: "entry"}
		index := run.NewIndex(t.Context(), filepath.Join(dir, "runs.db"), nil, nil, source)
		t.Cleanup(func() { _ = index.Close() })
		listed := *source
		listed.Index = index
		return &listed
	}
	return open(), open
}

var began = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// ids returns the ids of the runs that a filter chooses, with their states.
func ids(t *testing.T, b *directory, f run.Filter) (all []string) {
	t.Helper()
	rows, _, err := b.Index.List(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		all = append(all, rows[i].ID+" "+string(rows[i].State))
	}
	return all
}

func put(t *testing.T, b *directory, entries ...entry) {
	t.Helper()
	for i := range entries {
		if err := b.Make(&entries[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnIndexChoosesRuns(t *testing.T) {
	b, _ := opened(t)
	put(t, b,
		entry{ID: "a", Name: "x", Dir: "/p", State: run.Done, Began: began},
		entry{ID: "b", Name: "x", Dir: "/p/below", State: run.Failed, Began: began.Add(time.Minute)},
		entry{ID: "c", Dir: "/pp", State: run.NeedsYou, Began: began.Add(2 * time.Minute), Large: "much"},
	)
	for _, c := range []struct {
		filter run.Filter
		want   []string
	}{
		{run.Filter{}, []string{"c needs_you", "b failed", "a done"}},
		{run.Filter{Limit: 1, Offset: 1}, []string{"b failed"}},
		{run.Filter{States: []run.State{run.Done, run.NeedsYou}}, []string{"c needs_you", "a done"}},
		{run.Filter{Dir: "/p"}, []string{"b failed", "a done"}},
		{run.Filter{Name: "x"}, []string{"b failed", "a done"}},
		{run.Filter{Name: "c"}, []string{"c needs_you"}},
		{run.Filter{Since: began.Add(time.Minute)}, []string{"c needs_you", "b failed"}},
		{run.Filter{Kinds: []run.Kind{run.Crew}}, nil},
	} {
		if diff := cmp.Diff(c.want, ids(t, b, c.filter)); diff != "" {
			t.Errorf("%+v: %s", c.filter, diff)
		}
	}
	counts, err := b.Index.Counts(run.Filter{Dir: "/p"})
	if want := map[run.State]int{run.Done: 1, run.Failed: 1}; err != nil || !cmp.Equal(counts, want) {
		t.Errorf("counted %v, %v", counts, err)
	}
	rows, total, err := b.Index.List(run.Filter{Limit: 1})
	if err != nil || total != 3 {
		t.Fatal(total, err)
	}
	listed := entry{}
	if err := json.Unmarshal(rows[0].Record, &listed); err != nil || listed.Large != "" || listed.ID != "c" {
		t.Errorf("the list has %s, %v", rows[0].Record, err)
	}
}

// The list equals the records, however the file of the index was treated between.
func TestAnIndexIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"torn":    func(path string) error { return os.Truncate(path, 5000) },
		"foreign": func(path string) error { return os.WriteFile(path, []byte("no index at all, but a text"), 0o600) },
		"of zeros": func(path string) error {
			return os.WriteFile(path, make([]byte, 40<<10), 0o600)
		},
		"marked as stale": func(path string) error { return os.WriteFile(path+".stale", nil, 0o600) },
		"no file":         func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			b, other := opened(t)
			var want []string
			for i := range 40 {
				id := fmt.Sprintf("run-%02d", i)
				put(t, b, entry{ID: id, State: run.Done, Began: began.Add(time.Duration(i) * time.Second)})
				want = append(want, id+" done")
			}
			slices.Reverse(want)
			if err := b.Index.Close(); err != nil {
				t.Fatal(err)
			}
			if err := harm(filepath.Join(filepath.Dir(b.Dir), "runs.db")); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if diff := cmp.Diff(want, ids(t, other(), run.Filter{})); diff != "" {
					t.Fatal(diff)
				}
			}
			put(t, other(), entry{ID: "late", State: run.Done, Began: began.Add(time.Hour)})
			if got := ids(t, other(), run.Filter{Limit: 1}); !slices.Equal(got, []string{"late done"}) {
				t.Errorf("the newest is %v", got)
			}
		})
	}
}

// A process may die before and after every write; the record decides what is listed then.
func TestAnIndexFollowsTheRecordOfADeadProcess(t *testing.T) {
	b, other := opened(t)
	put(t, b, entry{ID: "a", State: run.Running, Began: began})
	path := filepath.Join(b.Folder("a"), "entry.json")
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"a interrupted"}) {
		t.Errorf("without its process: %v", got)
	}
	lock := flock.New(filepath.Join(b.Folder("a"), "lock"))
	if taken, err := lock.TryLock(); err != nil || !taken {
		t.Fatal(err)
	}
	if err := b.Save(&entry{ID: "a", State: run.Running, Began: began, Name: "again"}); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"a running"}) {
		t.Errorf("with its process: %v", got)
	}
	// The record was written, and the index not.
	text, err := json.Marshal(&entry{ID: "a", State: run.Done, Began: began})
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"a done"}) {
		t.Errorf("after its end: %v", got)
	}
	// The record was never written, or removed in part.
	other().Index.Put(&run.Row{Head: run.Head{ID: "b", Kind: run.Relay, State: run.Pending, Started: began}})
	other().Index.Put(&run.Row{Head: run.Head{ID: "c", Kind: run.Relay, State: run.Pending, Started: time.Now()}})
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"c pending", "a done"}) {
		t.Errorf("without records: %v", got)
	}
}

func TestARemovedRunIsListedNoMore(t *testing.T) {
	b, other := opened(t)
	put(t, b, entry{ID: "a", State: run.Done, Began: began}, entry{ID: "b", State: run.Done, Began: began})
	if err := b.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"b done"}) {
		t.Errorf("listed %v", got)
	}
}

// Each run that begins removes some that ended long ago, and none that needs the user.
func TestARunWithADamagedRecordIsRemoved(t *testing.T) {
	b, _ := opened(t)
	put(t, b, entry{ID: "a", State: run.Done, Began: began})
	if err := os.WriteFile(filepath.Join(b.Folder("a"), b.File), []byte("{\"id\":["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Remove(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(b.Folder("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is there: %v", err)
	}
	if err := b.Remove(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed again: %v", err)
	}
}

func TestOldRunsAreRemovedWhenOneBegins(t *testing.T) {
	b, other := opened(t)
	put(t, b,
		entry{ID: "old", State: run.Done, Began: began}, entry{ID: "open", State: run.NeedsYou, Began: began},
		entry{ID: "young", State: run.Failed, Began: began.Add(50 * time.Minute)},
	)
	b.Keep = time.Hour
	put(t, b, entry{ID: "new", State: run.Done, Began: began.Add(61 * time.Minute)})
	want := []string{"new done", "young failed", "open needs_you"}
	if diff := cmp.Diff(want, ids(t, other(), run.Filter{})); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(b.Folder("old")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
}

// Who only reads makes no file.
func TestReadingMakesNoIndex(t *testing.T) {
	b, other := opened(t)
	if got := ids(t, b, run.Filter{}); got != nil {
		t.Errorf("listed %v", got)
	}
	source := *b
	source.Index = nil
	put(t, &source, entry{ID: "a", State: run.Done, Began: began})
	if got := ids(t, other(), run.Filter{}); !slices.Equal(got, []string{"a done"}) {
		t.Errorf("listed %v", got)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(b.Dir), "runs.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the index: %v", err)
	}
}

func TestAnIndexIsMadeOnceForWhoReadsOften(t *testing.T) {
	b, _ := opened(t)
	path := filepath.Join(filepath.Dir(b.Dir), "runs.db")
	if err := b.Index.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a run there is an index: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(b.Dir, "old"), 0o700); err != nil {
		t.Fatal(err)
	}
	record, _ := json.Marshal(entry{ID: "old", State: run.Done, Began: began})
	if err := os.WriteFile(filepath.Join(b.Dir, "old", "entry.json"), record, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Index.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"old done"}, ids(t, b, run.Filter{})); diff != "" {
		t.Error(diff)
	}
}

func TestManyProcessesNoteRunsAtOnce(t *testing.T) {
	_, other := opened(t)
	const processes, each = 8, 10
	done := make(chan error, processes)
	for p := range processes {
		go func() {
			b := other()
			var err error
			for i := range each {
				err = errors.Join(err, b.Make(&entry{
					ID: fmt.Sprintf("%d-%d", p, i), State: run.Done, Began: began,
				}))
			}
			done <- err
		}()
	}
	for range processes {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(t, other(), run.Filter{}); len(got) != processes*each {
		t.Errorf("%d runs are listed, of %d", len(got), processes*each)
	}
}

var _ run.Source = (*directory)(nil)

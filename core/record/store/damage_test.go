package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/record/store"
)

// raw opens a store's file past the store.
func raw(path string) (*sql.DB, error) { return sql.Open("sqlite", path) }

// lockOut blocks all other writers.
func lockOut(path string) (release func() error, err error) {
	db, err := raw(path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	return db.Close, nil
}

// spoil writes over a part of a file.
func spoil(t *testing.T, path string, at int64, n int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte(strings.Repeat("\xa5", n)), at); err != nil {
		t.Fatal(err)
	}
}

// aside are the files that were set aside.
func aside(t *testing.T, path string) []string {
	t.Helper()
	files, err := filepath.Glob(path + ".corrupt-*")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDamagedFileIsSetAsideWithAWarning(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"something else": func(t *testing.T, path string) {
			if err := os.WriteFile(path,
				[]byte("this is no database, and longer than a header of one hundred bytes would be, as SQLite "+
					"wants it to be.."), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a spoilt header": func(t *testing.T, path string) { spoil(t, path, 0, 64) },
		"spoilt tables":   func(t *testing.T, path string) { spoil(t, path, 100, 4096) },
	} {
		t.Run(name, func(t *testing.T) {
			path := storePath(t)
			s := open(t, path, store.Options{})
			save(t, s, aPrompt("old", "x"))
			s.Close()
			damage(t, path)
			if _, err := store.OpenReadOnly(t.Context(), path, store.Options{}); failsWith(t, err,
				core.StoreError).Hint == "" {
				t.Error("a reader is not told what helps")
			}
			if left := aside(t, path); len(left) > 0 {
				t.Errorf("reading left %q", left)
			}
			var warnings []string
			s = open(t, path, store.Options{Warn: func(s string) { warnings = append(warnings, s) }})
			save(t, s, aPrompt("new", "x"))
			if got := found(t, s, store.PromptQuery{}); !slices.Equal(got, []string{"new"}) {
				t.Errorf("the new file holds %q", got)
			}
			left := aside(t, path)
			if len(left) != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], left[0]) {
				t.Errorf("set aside %q, told %q", left, warnings)
			}
		})
	}
}

// execute runs a statement on a store's file past the store.
func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := raw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// tables are the tables that every file has.
func tables(t *testing.T) (names []string) {
	t.Helper()
	path := storePath(t)
	open(t, path, store.Options{}).Close()
	db, err := raw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(),
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("%q, %v", names, err)
	}
	return names
}

func TestAFileThatLacksATableIsDamaged(t *testing.T) {
	for _, name := range tables(t) {
		t.Run(name, func(t *testing.T) {
			path := storePath(t)
			open(t, path, store.Options{}).Close()
			execute(t, path, "DROP TABLE "+name)
			health, err := store.Inspect(t.Context(), path, store.Options{})
			if err != nil || !strings.Contains(health.Damage, name) {
				t.Errorf("%+v, %v", health, err)
			}
			if err := store.Repair(t.Context(), path, store.Options{}); err != nil || len(aside(t, path)) != 1 {
				t.Errorf("set aside %q, %v", aside(t, path), err)
			}
			if health, err = store.Inspect(t.Context(), path, store.Options{}); err != nil || health.Damage != "" {
				t.Errorf("%+v, %v", health, err)
			}
		})
	}
}

func TestATableThatIsMissingIsSetAsideByTheNextWriter(t *testing.T) {
	path := storePath(t)
	open(t, path, store.Options{}).Close()
	execute(t, path, "DROP TABLE prompts")
	_, err := store.PromptsIn(reader(t, path)).Find(t.Context(), store.PromptQuery{})
	if failsWith(t, err, core.StoreError).Hint == "" {
		t.Error("a reader is not told what helps")
	}
	var warnings []string
	s := open(t, path, store.Options{Warn: func(s string) { warnings = append(warnings, s) }})
	save(t, s, aPrompt("new", "x"))
	if got := found(t, s, store.PromptQuery{}); !slices.Equal(got, []string{"new"}) || len(warnings) != 1 {
		t.Errorf("the new file holds %q; told %q", got, warnings)
	}
}

func TestDamageThatShowsWhileWritingIsSetAsideToo(t *testing.T) {
	path := storePath(t)
	first := open(t, path, store.Options{})
	for i := range 200 {
		save(t, first, aPrompt(fmt.Sprintf("old-%03d", i), strings.Repeat("x", 500)))
	}
	first.Close()
	size := fileSize(t, path)
	var warnings []string
	s := open(t, path, store.Options{Warn: func(s string) { warnings = append(warnings, s) }})
	for at := int64(8192); at < size; at += 4096 {
		spoil(t, path, at, 4096)
	}
	save(t, s, aPrompt("new", "x"))
	if got := found(t, reader(t, path), store.PromptQuery{}); !slices.Equal(got, []string{"new"}) {
		t.Errorf("the new file holds %q", got)
	}
	if len(warnings) != 1 || len(aside(t, path)) == 0 {
		t.Errorf("set aside %q, told %q", aside(t, path), warnings)
	}
}

func TestSeveralThatFindTheDamageSetItAsideOnce(t *testing.T) {
	path := storePath(t)
	open(t, path, store.Options{}).Close()
	spoil(t, path, 0, 4096)
	var all sync.WaitGroup
	var warnings atomic.Int64
	for i := range 6 {
		all.Go(func() {
			s, err := store.Open(t.Context(), path, store.Options{Warn: func(string) { warnings.Add(1) }})
			if err == nil {
				defer s.Close()
				err = store.PromptsIn(s).Save(t.Context(), aPrompt(fmt.Sprint(i), "x"))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := found(t, reader(t, path), store.PromptQuery{}); len(got) != 6 || warnings.Load() != 1 ||
		len(aside(t, path)) == 0 {
		t.Errorf("%q are left, told %d times, set aside %q", got, warnings.Load(), aside(t, path))
	}
}

func TestOpenWaitsWhileAFileIsSetAside(t *testing.T) {
	path := storePath(t)
	open(t, path, store.Options{}).Close()
	lock := flock.New(path + ".lock")
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
	defer lock.Close()
	_, err := store.Open(t.Context(), path, store.Options{Busy: 20 * time.Millisecond})
	failsWith(t, err, core.StoreLocked)
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	open(t, path, store.Options{Busy: 20 * time.Millisecond})
}

func TestAFileThatWasSetAsideByAnotherIsLeft(t *testing.T) {
	path := storePath(t)
	s := open(t, path, store.Options{Warn: func(s string) { t.Error(s) }})
	save(t, s, aPrompt("old", "x"))
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+part, path+".gone"+part); err != nil {
			t.Fatal(err)
		}
	}
	save(t, s, aPrompt("new", "x"))
	if got := found(t, reader(t, path), store.PromptQuery{}); !slices.Equal(got, []string{"new"}) {
		t.Errorf("the file holds %q", got)
	}
}

// changed is a new file on which another process ran statements.
func changed(t *testing.T, statements ...string) (path string) {
	t.Helper()
	path = storePath(t)
	open(t, path, store.Options{}).Close()
	change(t, path, statements...)
	return path
}

// change runs statements on a store's file.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := raw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestANewerFileIsLeftAlone(t *testing.T) {
	path := changed(t, "PRAGMA user_version = 99")
	_, err := store.Open(t.Context(), path, store.Options{})
	if e := failsWith(t, err, core.MigrationFailed); !strings.Contains(e.Message, "99") ||
		!strings.Contains(e.Message, path) {
		t.Errorf("it says %q", e.Message)
	}
	_, err = store.OpenReadOnly(t.Context(), path, store.Options{})
	failsWith(t, err, core.MigrationFailed)
	if left := aside(t, path); len(left) > 0 {
		t.Errorf("set aside: %q", left)
	}
}

func TestMigratedEventsAreLateByTheirMessage(t *testing.T) {
	path := changed(t,
		"DROP TABLE crew_asks", "DROP TABLE crew_deliveries", "DROP TABLE crew_events", "DROP TABLE crew_members",
		"DROP TABLE crews", "DROP TABLE queue",
		"ALTER TABLE events DROP COLUMN hidden",
		"ALTER TABLE events DROP COLUMN late",
		"INSERT INTO events VALUES (NULL, '/s', 1, 1, 'pane_closed', '', '', '%1', '', '', '', '', '', 'its end; "+
			"found later: nobody was watching when it happened', '')",
		"INSERT INTO events VALUES (NULL, '/s', 2, 2, 'pane_closed', '', '', '%2', '', '', '', '', '', 'it said: "+
			"found later', '')",
		"PRAGMA user_version = 3",
	)
	got, err := store.EventsIn(reader(t, path)).Find(t.Context(), store.EventQuery{Server: "/s"})
	if err != nil || len(got) != 2 || !got[0].Late || got[1].Late {
		t.Errorf("%v %+v", err, got)
	}
}

func TestAFileThatANewerProgramBringsUpToDateIsWrittenOn(t *testing.T) {
	path := storePath(t)
	s := open(t, path, store.Options{Keep: store.Retention{Prompts: 10}})
	var changes []string
	for _, table := range []string{
		"meta", "prompts", "deliveries", "events", "alerts", "answers", "usage_files", "usage_requests", "usage_costs",
		"usage_limits", "ceilings", "ceilings_passed",
	} {
		changes = append(changes, "ALTER TABLE "+table+" ADD COLUMN later INTEGER NOT NULL DEFAULT 0")
	}
	change(t, path, changes...)
	usage, ceilings := store.UsageIn(s), store.CeilingsIn(s)
	part := store.UsagePart{
		File:     store.UsageFile{Kind: "claude", Path: "/t.jsonl", Session: "s"},
		Requests: []store.UsageRequest{{Key: 1, At: noon, Model: "opus"}},
		Costs:    []store.UsageCost{{Model: "sonnet", Until: noon, Cost: 1}},
		Limits:   []store.UsageLimit{{Kind: "claude", Name: "five_hour", SeenAt: noon}},
	}
	for what, err := range map[string]error{
		"a prompt": store.PromptsIn(s).Save(t.Context(), aPrompt("a", "x")),
		"events": store.EventsIn(s).Save(t.Context(), "/s",
			[]core.Event{{Revision: 1, At: noon, Type: core.KeeperChanged}}),
		"an alert": store.AlertsIn(s).Save(t.Context(), "/s",
			[]core.Alert{{ID: "a", FirstSeen: noon, LastSeen: noon}}),
		"an answer": store.DecisionsIn(s).Save(t.Context(), core.Decision{At: noon, Server: "/s"}),
		"usage":     usage.Save(t.Context(), []store.UsagePart{part, part}),
		"a ceiling": ceilings.Set(t.Context(), store.Ceiling{Scope: "fleet", Unit: "usd", Most: 1}),
		"a passing": ceilings.Pass(t.Context(),
			[]store.Passing{{Scope: "fleet", Unit: "usd", At: noon}, {Scope: "fleet", Unit: "usd"}}),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := s.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	if answers, err := store.DecisionsIn(s).Find(t.Context(), store.PromptQuery{}); err != nil || answers.Total != 1 {
		t.Errorf("answers: %+v, %v", answers, err)
	}
}

func TestAFileWithoutTablesIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cupola.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := found(t, reader(t, path), store.PromptQuery{}); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestAFolderThatCannotBeMadeOrWrittenIsAnError(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), filepath.Join(file, "cupola.db"), store.Options{})
	if e := failsWith(t, err, core.StoreError); !strings.Contains(e.Message, file) {
		t.Errorf("it says %q", e.Message)
	}
	_, err = store.Open(t.Context(), dir, store.Options{})
	failsWith(t, err, core.StoreError)
	if os.Getuid() == 0 {
		t.Skip("nothing is forbidden to this user")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	_, err = store.Open(t.Context(), filepath.Join(dir, "cupola.db"), store.Options{})
	failsWith(t, err, core.StoreError)
}

func TestACancelledCallSaysSo(t *testing.T) {
	s := open(t, storePath(t), store.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	failsWith(t, store.PromptsIn(s).Save(ctx, aPrompt("a", "x")), core.Cancelled)
	s.Close()
	failsWith(t, store.PromptsIn(s).Save(t.Context(), aPrompt("a", "x")), core.StoreError)
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestWhatIsNoFileIsNoStore(t *testing.T) {
	for _, part := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		path := storePath(t)
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), syscall.Mkfifo(path+part, 0o600)); err != nil {
			t.Fatal(err)
		}
		for what, use := range map[string]func(context.Context) error{
			"open": func(ctx context.Context) error {
				s, err := store.Open(ctx, path, store.Options{})
				if err == nil {
					err = s.Close()
				}
				return err
			},
			"read": func(ctx context.Context) error {
				s, err := store.OpenReadOnly(ctx, path, store.Options{})
				if err == nil {
					_, err = store.PromptsIn(s).Find(ctx, store.PromptQuery{})
				}
				return err
			},
			"inspect": func(ctx context.Context) error {
				_,
					err := store.Inspect(ctx, path, store.Options{})
				return err
			},
		} {
			ended := make(chan error, 1)
			go func() { ended <- use(t.Context()) }()
			select {
			case err := <-ended:
				if e := core.AsError(err); part == "" &&
					(!e.HasCode(core.StoreError) || !strings.Contains(e.Error(), "no regular file")) {
					t.Errorf("%s with a FIFO as %q: %v", what, part, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s with a FIFO as %q waits", what, part)
			}
		}
		if left, _ := filepath.Glob(path + ".corrupt-*"); len(left) > 0 {
			t.Errorf("it is set aside: %v", left)
		}
	}
}

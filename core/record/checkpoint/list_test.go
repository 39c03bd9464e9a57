package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/config/recipe"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// keep makes a checkpoint.
func keep(t *testing.T, root, name string, at time.Time) {
	t.Helper()
	d, err := Begin(root, name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	if err := d.Write("panes/1.txt", []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	if err := d.WritePrompts([]Prompt{{ID: "p1", At: noon, Text: "run\nthem"}, {ID: "p2", Text: "again"}}); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(&Checkpoint{
		Session: "api", At: at,
		Recipe: recipe.Recipe{Panes: []recipe.Pane{{Kind: "claude"}}}, Prompts: 2,
	}); err != nil {
		t.Fatal(err)
	}
}

func TestACheckpointIsWholeOrNotThere(t *testing.T) {
	root := filepath.Join(t.TempDir(), "made", "for it")
	if all, err := List(root); err != nil || all == nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
	keep(t, root, "first", noon)
	keep(t, root, "second", noon.Add(time.Hour))
	d, err := Begin(root, "third")
	if err != nil {
		t.Fatal(err)
	}
	all, err := List(root)
	if err != nil || len(all) != 2 || all[0].Name != "second" || all[1].Name != "first" || all[1].Bytes < 100 ||
		all[1].Fault != "" {
		t.Errorf("got %+v, %v", all, err)
	}
	d.Discard()
	if left, err := os.ReadDir(root); err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
	c, dir, err := Load(root, "first")
	if err != nil || c.Session != "api" || !c.At.Equal(noon) || c.Recipe.Panes[0].Kind != "claude" {
		t.Fatalf("got %+v, %v", c, err)
	}
	prompts, err := os.ReadFile(filepath.Join(dir, promptFile))
	if lines := strings.SplitAfter(string(prompts), "\n"); err != nil || len(lines) != 3 ||
		!strings.Contains(lines[0], `"run\nthem"`) {
		t.Errorf("got %q, %v", lines, err)
	}
	for _, path := range []string{root, dir} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestACheckpointIsNeverOverwritten(t *testing.T) {
	root := t.TempDir()
	slow, err := Begin(root, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Discard()
	if _, err := Begin(root, "one"); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("one of that name is being made: %v", err)
	}
	keep(t, root, "two", noon)
	if err := os.Rename(filepath.Join(root, "two"), filepath.Join(root, "one")); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(root, "one"); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("got %v", err)
	}
	if err := slow.Commit(&Checkpoint{Session: "web"}); !core.AsError(err).HasCode(core.AlreadyExists) {
		t.Errorf("got %v", err)
	}
	if c, _, err := Load(root, "one"); err != nil || c.Session != "api" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestABrokenCheckpointIsListedWithItsFault(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"cut": `{"version":1,`, "newer": `{"version":99}`, "none": `{}`, "empty": `{"version":1,"session":"api"}`,
		"out": `{"version":1,"session":"api","recipe":{"panes":[{}]},"trees":[{"patch":"../../x"}]}`,
	} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name, recordFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(root, name); !core.AsError(err).HasCode(core.DecodeFailed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	all, err := List(root)
	if err != nil || len(all) != 5 ||
		slices.ContainsFunc(all, func(e Entry) bool { return e.Fault == "" || e.At.IsZero() || e.Name == "" }) {
		t.Errorf("got %+v, %v", all, err)
	}
	_, _, err = Load(root, "newr")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || !slices.Contains(e.Suggestions, "newer") {
		t.Errorf("got %v", err)
	}
}

func TestAPlaceThatCannotHoldCheckpointsIsAnError(t *testing.T) {
	root := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for op, try := range map[string]func() error{
		"list": func() error { _, err := List(root); return err },
		"load": func() error { _, _, err := Load(root, "one"); return err },
		"make": func() error { _, err := Begin(root, "one"); return err },
	} {
		if e := core.AsError(try()); !e.HasCode(core.CheckpointFailed) || !strings.Contains(e.Message, root) {
			t.Errorf("%s: got %v", op, e)
		}
	}
}

func TestADraftWhoseFolderIsGoneCannotBecomeACheckpoint(t *testing.T) {
	root := t.TempDir()
	d, err := Begin(root, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	if err := d.Write("panes", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Write("panes/1.txt", nil); !core.AsError(err).HasCode(core.CheckpointFailed) {
		t.Errorf("a file is the folder of another: %v", err)
	}
	if err := errors.Join(os.RemoveAll(d.dir), os.WriteFile(d.dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(&Checkpoint{Session: "api"}); !core.AsError(err).HasCode(core.CheckpointFailed) {
		t.Errorf("got %v", err)
	}
	if all, err := List(root); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestDraftsOfMakersThatAreGoneAreSweptAway(t *testing.T) {
	root := t.TempDir()
	dead, err := Begin(root, "dead")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(dead.Write("panes/1.txt", []byte("half")),
		dead.lock.Close()); err != nil { // as when its maker is killed
		t.Fatal(err)
	}
	old := filepath.Join(root, draftPrefix+"1234")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	alive, err := Begin(root, "alive")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Discard()
	keep(t, root, "dead", noon)
	for _, dir := range []string{dead.dir, old} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := os.Stat(alive.dir); err != nil {
		t.Error(err)
	}
}

func TestNamesAreFoldersThatNeedNoQuotes(t *testing.T) {
	for name, near := range map[string]string{
		"a b": "a-b", "../x": "x", "": "", "-x": "x", "é": "",
		strings.Repeat("x", 101): strings.Repeat("x", 80),
	} {
		e := core.AsError(checkName(name))
		if !e.HasCode(core.InvalidInput) || strings.Join(e.Suggestions, "") != near {
			t.Errorf("%q: got %v, %q", name, e, e.Suggestions)
		}
	}
	for session, want := range map[string]string{
		"api":         "api-20260131-120000",
		"feature/x y": "feature-x-y-20260131-120000", "é": "session-20260131-120000",
	} {
		if got := DefaultName(session, noon); got != want || checkName(got) != nil {
			t.Errorf("%s: got %s", session, got)
		}
	}
}

func FuzzRecordsAreReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"version":1,"session":"api","recipe":{"panes":[{"kind":"claude","ordinal":1}]},"trees":[{"patch":"trees/0.patch"}]}`))
	f.Add([]byte(`{"version":1e9}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := decode(text)
		if err == nil && (c.Session == "" || len(c.Recipe.Panes) == 0 || c.Version > Version) {
			t.Fatalf("%q: %+v", text, c)
		}
	})
}

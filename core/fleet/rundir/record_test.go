package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
)

func TestTheLastRevisionIsReadWithoutTheRest(t *testing.T) {
	for body, want := range map[string]core.Revision{
		`{"revision":57,"ceiling":300,"pid":1,"snapshot":{"sessions":[`: 57,
		`{"revision": 18446744073709551615 , "x`:                        18446744073709551615,
		`{"ceiling":300}`:                                               0,
		`{"revision":-1}`:                                               0,
		`{"revision":"57"}`:                                             0,
		`[57]`:                                                          0,
		``:                                                              0,
	} {
		dir, info := t.TempDir(), engine.Info{Socket: "/s"}
		if err := os.WriteFile(FilesOf(dir, info).Record, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := LastRevision(FilesOf(dir, info)); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}

func TestReadingTheLastRevisionLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"", dir, filepath.Join(dir, "none")} {
		if got := LastRevision(FilesOf(folder, engine.Info{})); got != 0 {
			t.Errorf("%q: %d", folder, got)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v %v", left, err)
	}
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keeper.json")
	pane := fleettest.Pane(0, "%1", fleettest.Claude(core.Idle))
	wrote := Record{
		Revision: 5, Ceiling: 261, PID: 7, Since: fleettest.Dawn,
		Snapshot: fleettest.Snapshot(fleettest.Session("$1", "api", pane)),
	}
	for range 2 {
		if err := wrote.Write(path); err != nil {
			t.Fatal(err)
		}
	}
	read, err := ReadRecord(path)
	if diff := cmp.Diff(wrote, read); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("it left %q", left)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestABrokenRecordIsSetAsideAndStillTellsItsRevisions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keeper.json")
	if err := os.WriteFile(path, []byte(`{"revision":57,"ceiling":300,"snapshot":{"revi`), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ReadRecord(path)
	if err == nil || !strings.Contains(err.Error(), "set aside") {
		t.Errorf("it says %v", err)
	}
	if read.Revision != 57 || read.Ceiling != 300 || read.Snapshot != nil {
		t.Errorf("%+v", read)
	}
	if _, err := os.Stat(path + ".unreadable"); err != nil {
		t.Error(err)
	}
}

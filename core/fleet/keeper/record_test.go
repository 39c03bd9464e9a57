package keeper

import (
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
)

func TestTheRecordIsWrittenBeforeItsCeilingIsPassed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keeper.json")
	r := recordWriter{path: path}
	r.allow(3)
	for _, revision := range []core.Revision{1, 2, 3, 3 + headroom} {
		r.allow(revision)
		if read, err := rundir.ReadRecord(path); err != nil || read.Ceiling != 3+headroom {
			t.Fatalf("at %d: %+v %v", revision, read, err)
		}
	}
	r.allow(4 + headroom)
	if read, _ := rundir.ReadRecord(path); read.Ceiling != 4+2*headroom {
		t.Errorf("the ceiling is %d", read.Ceiling)
	}
	r.close(4+headroom, nil)
	if read, _ := rundir.ReadRecord(path); read.Ceiling != 4+headroom || read.Revision != 4+headroom {
		t.Errorf("after an orderly end: %+v", read)
	}
}

func TestADiskThatIsSlowHoldsUpNoEvent(t *testing.T) {
	r := recordWriter{record: rundir.Record{Ceiling: 5}}
	r.writing.Lock()
	passed := make(chan struct{})
	go func() {
		defer close(passed)
		r.allow(5)
	}()
	select {
	case <-passed:
	case <-time.After(testTimeout):
		t.Error("a revision that is allowed waits for the disk")
	}
}

func TestTakeoverIsRecordedBeforeItIsPublished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keeper.json")
	k := &keeper{
		former: rundir.Record{Revision: 50, Ceiling: 306}, hub: newHub(0), now: time.Now,
		records: recordWriter{path: path}, tags: newTagWriter(nil, nil), tracker: observe.NewTracker(true),
		writer: newJournalWriter(nil, nil), alerts: newAlertTracker(alert.Defaults()),
	}
	k.server.open = make(chan struct{})
	k.publish(fleettest.Snapshot())
	_, revision := k.hub.known()
	if read, err := rundir.ReadRecord(path); err != nil || revision != 307 || read.Ceiling < revision {
		t.Errorf("at revision %d the record is %+v (%v)", revision, read, err)
	}
}

func TestANewKeeperContinuesWhereAnybodyCanHaveSeen(t *testing.T) {
	killed := rundir.Record{Revision: 50, Ceiling: 306}
	for name, c := range map[string]struct {
		former  rundir.Record
		own     core.Revision // 0: it followed none
		greeted []core.Revision
		want    core.Revision
	}{
		"the first of all":                         {rundir.Record{}, 0, nil, 0},
		"after an orderly end":                     {rundir.Record{Revision: 50, Ceiling: 50}, 0, nil, 50},
		"after a kill with no survivor":            {killed, 0, nil, 306},
		"after a kill before the first record":     {rundir.Record{Ceiling: 258}, 0, nil, 258},
		"after a kill it followed":                 {killed, 52, nil, 52},
		"after a kill others followed":             {killed, 0, []core.Revision{51, 53, 0}, 53},
		"after a kill another followed further":    {killed, 52, []core.Revision{54}, 54},
		"after a kill, from one who fell behind":   {killed, 40, []core.Revision{45}, 306},
		"a member that says what cannot be":        {killed, 52, []core.Revision{1 << 60}, 52},
		"a record that is lost, but not survivors": {rundir.Record{}, 52, []core.Revision{54}, 54},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keeper{former: c.former, hub: newHub(c.own), followed: c.own > 0}
			k.server.seen = c.greeted
			if got := k.base(); got != c.want {
				t.Errorf("it continues from %d, want %d", got, c.want)
			}
		})
	}
}

package records

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
)

func TestWhatBecameOfACrewIsAnAlert(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		note     orchestrator.Note
		what     core.AlertType
		severity core.Severity
		message  string
	}{
		"works":   {note: orchestrator.Note{State: crew.Running, At: now.Add(-4 * time.Minute)}},
		"paused":  {note: orchestrator.Note{State: crew.Paused, At: now.Add(-time.Hour)}},
		"stopped": {note: orchestrator.Note{State: crew.Stopped, Reason: crew.StoppedBy, At: now}},
		"stalled": {
			orchestrator.Note{State: crew.Running, At: now.Add(-6 * time.Minute)},
			core.AlertCrewStalled,
			core.SeverityWarning, "the crew c1 works, but nothing happened in it for 5m",
		},
		"failed": {
			orchestrator.Note{State: crew.Failed, Reason: crew.AllDead, Error: "a.x: 429", At: now},
			core.AlertCrew,
			core.SeverityError, "the crew c1 failed: a.x: 429",
		},
		"cut off": {
			orchestrator.Note{State: crew.Interrupted, At: now},
			core.AlertCrew, core.SeverityError,
			"the crew c1 was cut off: its process ended before it did",
		},
		"guardrail": {
			orchestrator.Note{State: crew.Completed, Reason: crew.PingPong, At: now},
			core.AlertCrewGuard,
			core.SeverityWarning, "the guardrail ping_pong ended the crew c1",
		},
		"ended": {
			orchestrator.Note{State: crew.Completed, Reason: crew.Converged, At: now},
			core.AlertCrewEnded,
			core.SeverityInfo, "the crew c1 has ended: converged",
		},
	} {
		test.note.ID = "c1"
		told, is := noted(&test.note, now)
		if is != (test.what != "") {
			t.Errorf("%s: %+v", name, told)
			continue
		}
		if is && (told.Type != test.what || told.Severity != test.severity || told.Message != test.message ||
			told.Subject != "crew/c1" || !told.Since.Equal(test.note.At)) {
			t.Errorf("%s: %+v", name, told)
		}
	}
}

func TestACrewWithALongAnswerIsNotStalled(t *testing.T) {
	paths := config.Paths{State: t.TempDir()}
	book := orchestrator.Book{Dir: paths.Crews()}
	put := func(path, text string, ago time.Duration) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-ago)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	tell := Outside(paths)
	alerts := func() int {
		t.Helper()
		all, err := tell(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, told := range all {
			if told.Type != core.AlertCrewStalled {
				t.Errorf("got %+v", told)
			}
		}
		return len(all)
	}
	if n := alerts(); n != 0 {
		t.Errorf("%d alerts without a crew", n)
	}
	hold(t, filepath.Join(book.Folder("c1"), "lock"))
	put(filepath.Join(book.Dir, "notes", "c1"), `{"id":"c1","state":"running"}`, 10*time.Minute)
	if n := alerts(); n != 1 {
		t.Errorf("%d alerts though nothing happens", n)
	}
	put(filepath.Join(book.Relays("c1"), "open", "r1"), "", 10*time.Minute)
	events := filepath.Join(book.Relays("c1"), "r1", "events.ndjson")
	put(events, "{}\n", time.Second)
	if n := alerts(); n != 0 {
		t.Errorf("%d alerts though an agent writes", n)
	}
	put(events, "{}\n", 10*time.Minute)
	if n := alerts(); n != 1 {
		t.Errorf("%d alerts though the agent is silent", n)
	}
}

func TestWhatBecameOfRunsOfStories(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		run      story.Run
		what     core.AlertType
		severity core.Severity
	}{
		"it works":            {story.Run{State: story.Running}, "", ""},
		"it needs you":        {story.Run{State: story.Failed, Error: "no"}, core.AlertStory, core.SeverityError},
		"it was cut off":      {story.Run{State: story.Interrupted, PID: 1}, core.AlertStory, core.SeverityError},
		"it never began":      {story.Run{State: story.Interrupted}, "", ""},
		"it was stopped":      {story.Run{State: story.Stopped}, "", ""},
		"it is done":          {story.Run{State: story.Completed, Ended: now}, core.AlertStoryEnded, core.SeverityInfo},
		"it is done for long": {story.Run{State: story.Completed, Ended: now.Add(-2 * time.Hour)}, "", ""},
	} {
		told, is := ranStories(&test.run, now)
		if is != (test.what != "") ||
			is && (told.Type != test.what || told.Severity != test.severity || told.Message == "") {
			t.Errorf("%s: %+v", name, told)
		}
	}
}

// hold makes this process seem to run what a lock belongs to.
func hold(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(path)
	if taken, err := lock.TryLock(); err != nil || !taken {
		t.Fatal(taken, err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
}

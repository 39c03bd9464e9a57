package own_test

import (
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"cupola/core/engine"
	"cupola/core/term/cast"
)

// A file that cannot grow is to the server what a full disk is.
func TestAFullDiskEndsTheRecordingAndNotThePane(t *testing.T) {
	t.Parallel()
	s := private(t)
	other := createIn(t, s, "other", `while read x; do echo "got $x"; done`)
	hello, err := s.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const most = 4096
	if err := unix.Prlimit(hello.PID, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.0.cast")
	loc, err := s.Create(t.Context(), engine.Launch{
		Session: "s", Argv: []string{"/bin/sh", "-c", "echo first; read x; seq 2000; echo ended; exec sleep 1000"},
		Record: file,
	})
	if err != nil {
		t.Fatal(err)
	}
	// What is read at once is one event, and the disk may not take all of it.
	shows(t, s, loc.Pane, "first")
	if err := s.Paste(t.Context(), loc.Pane, []byte("on\n")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, loc.Pane, "ended")
	if err := s.Paste(t.Context(), other.Pane, []byte("on\n")); err != nil {
		t.Fatal(err)
	}
	shows(t, s, other.Pane, "got on")
	recording, err := cast.Load(file)
	if err != nil || len(recording.Events) == 0 {
		t.Fatalf("what was recorded before: %+v, %v", recording, err)
	}
	if screen := recording.ScreenAt(recording.Length()).Lines(); slices.Contains(screen, "ended") {
		t.Errorf("more is recorded than the disk takes: %q", screen)
	}
	if _, err := s.Create(t.Context(), engine.Launch{Session: "full", Record: "/dev/full"}); err == nil {
		t.Error("a pane is recorded where nothing can be written")
	}
	if l, err := s.List(t.Context(), engine.Brief); err != nil || len(l.Sessions) != 2 {
		t.Errorf("sessions are %+v, %v", l.Sessions, err)
	}
}

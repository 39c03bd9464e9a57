package tmux_test

import (
	"os"
	"path/filepath"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// TestOnlyAServerThatEndsWithItsLastSessionNotesThat ends servers as users and accidents do. Where the last program
// exits by itself, tmux 3.3 often ends before its hooks run: that is not noted reliably.
func TestOnlyAServerThatEndsWithItsLastSessionNotesThat(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for name, c := range map[string]struct {
		end   []string
		notes bool
	}{
		"its last session ended": {[]string{"kill-session", "-t", "s"}, true},
		"it was ended":           {[]string{"kill-server"}, false},
		"it was killed":          {[]string{"run-shell", "kill -9 #{pid}"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := enginetest.Private(t)
			s, err := tmux.Open(tmux.Options{Binary: m.Binary, Socket: m.Socket, Environ: m.Environ})
			if err != nil {
				t.Fatal(err)
			}
			note := filepath.Join(m.Dir, `it's "#{over}" $HOME`)
			for _, session := range []string{"s", "other"} {
				m.Run("new-session", "-d", "-s", session, "sh")
			}
			if err := s.NoteEnd(t.Context(), note); err != nil {
				t.Fatal(err)
			}
			noted := func() bool { _, err := os.Stat(note); return err == nil }
			m.Run("kill-session", "-t", "other")
			if noted() {
				t.Error("a session is left")
			}
			_, _ = m.Try(c.end...) // a server that is killed does not answer
			enginetest.Eventually(t, enginetest.Timeout, func() bool {
				_, err := m.Try("list-sessions")
				return err != nil
			}, nil)
			if c.notes { // the server does not wait for the program that notes it
				enginetest.Eventually(t, enginetest.Timeout, noted, nil)
			} else if noted() {
				t.Error("it was noted")
			}
		})
	}
}

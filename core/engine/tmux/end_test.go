package tmux_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/system/process"
)

// TestOnlyAServerThatEndsWithItsLastSessionNotesThat ends servers as users, programs and accidents do.
func TestOnlyAServerThatEndsWithItsLastSessionNotesThat(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for name, c := range map[string]struct {
		end   []string
		notes bool
	}{
		// A second later there is no client, for which the server would wait.
		"its last program ended": {[]string{"send-keys", "-t", "s", "exec sleep 1", "Enter"}, true},
		"its last session ended": {[]string{"kill-session", "-t", "s"}, true},
		"it was ended":           {[]string{"kill-server"}, false},
		"it was told to end":     {[]string{"run-shell", "kill #{pid}"}, false},
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
			server, err := strconv.Atoi(strings.TrimSpace(m.Run("display-message", "-p", "#{pid}")))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = m.Try(c.end...) // a server that is killed does not answer
			enginetest.Eventually(t, enginetest.Timeout, func() bool {
				found, gone := process.Find(server)
				return gone != nil || found.Zombie
			}, nil)
			if c.notes { // the server does not wait for the program that notes it
				enginetest.Eventually(t, enginetest.Timeout, noted, nil)
			} else if noted() {
				t.Error("it was noted")
			}
		})
	}
}

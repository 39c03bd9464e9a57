package tmux_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
)

// configured opens a private tmux whose user has a configuration.
func configured(t *testing.T, lines ...string) *tmux.Server {
	t.Helper()
	m := enginetest.Private(t)
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(m.Dir, ".tmux.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := tmux.Open(tmux.Options{Binary: m.Binary, Socket: m.Socket, Environ: m.Environ})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTagsAreOnWhatWasMadeWhateverHooksMake: hooks of the user split, select, swap and add before the pane that was
// asked for is tagged.
func TestTagsAreOnWhatWasMadeWhateverHooksMake(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for _, does := range []string{
		"split-window", "split-window -b", "split-window ; swap-pane -U", "new-window -a", "new-window ; last-window",
		"split-window -h ; select-layout tiled",
	} {
		s := configured(t, "set-hook -g after-new-session '"+does+"'",
			"set-hook -g after-new-window[9] 'split-window -b'",
			"set-hook -g after-split-window[9] 'select-pane -t :.0'")
		session, err := s.Create(t.Context(), engine.Launch{
			Session: "s", Argv: []string{"cat"}, Tags: map[string]string{engine.TagName: "first"},
			SessionTags: map[string]string{engine.TagOrigin: "spawn"},
		})
		if err != nil {
			t.Fatalf("%s: %v", does, err)
		}
		window, err1 := s.Create(t.Context(), engine.Launch{
			Into: session.Session, Argv: []string{"cat"}, Tags: map[string]string{engine.TagName: "second"},
		})
		pane, err2 := s.Create(t.Context(), engine.Launch{
			Into: session.Session, Split: window.Window, Tags: map[string]string{engine.TagName: "third"},
		})
		listing, err3 := s.List(t.Context(), engine.WithCommand)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatalf("%s: %v", does, err)
		}
		want := map[string]engine.Location{"first": session, "second": window, "third": pane}
		tagged := 0
		for i := range listing.Panes {
			row := &listing.Panes[i]
			name := row.Tags[engine.TagName]
			if name == "" {
				continue
			}
			tagged++
			loc := want[name]
			if row.ID != loc.Pane || row.Session != loc.Session || row.Window.ID != loc.Window ||
				row.Process.PID != loc.PID {
				t.Errorf("%s: %s is %+v; made was %+v", does, name, row, loc)
			}
		}
		if tagged != 3 || listing.Sessions[0].Tags[engine.TagOrigin] != "spawn" {
			t.Errorf("%s: %d panes are tagged, %+v", does, tagged, listing.Sessions)
		}
	}
}

func TestASessionThatTmuxEndsAtOnceIsReportedAsThat(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	for setting, says := range map[string]struct {
		err  error
		text string
	}{
		"set -g destroy-unattached on":                 {engine.ErrUnattached, "destroy-unattached"},
		"set -g exit-unattached on":                    {engine.ErrUnattached, "exit-unattached"},
		"set-hook -g after-new-session 'kill-session'": {engine.ErrEnded, "ended at once"},
	} {
		s := configured(t, setting)
		_, err := s.Create(t.Context(), engine.Launch{Session: "s", Tags: map[string]string{engine.TagRole: "user"}})
		if !errors.Is(err, says.err) || !strings.Contains(err.Error(), says.text) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	s := configured(t, "")
	if _, err := s.Create(t.Context(), engine.Launch{Session: "s"}); err != nil {
		t.Error(err)
	}
}

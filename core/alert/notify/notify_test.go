package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

func raised(severity core.Severity, subject string) alert.Change {
	return alert.Change{
		Type:  core.AlertRaised,
		Alert: core.Alert{ID: "waiting_approval:" + subject, Severity: severity, Subject: subject, Message: "it waits"},
	}
}

// heard keeps which programs were started.
type heard struct {
	mu    sync.Mutex
	calls []string
	err   error
}

func (h *heard) run(_ context.Context, argv []string, input []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, strings.Join(argv, " ")+"|"+string(input))
	return h.err
}

func TestOnlySevereEdgesAreNotified(t *testing.T) {
	var h heard
	var bell bytes.Buffer
	n := New(Options{
		Terminal: Terminal{Out: &bell, Bell: true}, Command: []string{"tell", "me"}, Least: core.SeverityWarning,
	})
	n.run = h.run
	for _, change := range []alert.Change{
		raised(core.SeverityWarning, "api.1"), raised(core.SeverityInfo, "api.2"),
		{Type: core.AlertResolved, Alert: core.Alert{Severity: core.SeverityError}},
		{Type: core.AlertDismissed},
	} {
		n.Changed(t.Context(), change)
		n.Wait()
	}
	if bell.String() != "\a" || len(h.calls) != 1 {
		t.Fatalf("bell %q, calls %q", bell.String(), h.calls)
	}
	var got event
	input := strings.TrimPrefix(h.calls[0], "tell me|")
	if err := json.Unmarshal([]byte(input), &got); err != nil || got.Alert.Subject != "api.1" ||
		got.Type != core.AlertRaised {
		t.Errorf("%q: %v", input, err)
	}
}

func TestWhatComesTooSoonIsReportedTogetherALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		n := New(Options{Desktop: true, Every: time.Minute})
		n.run = h.run
		sent := func(want ...string) {
			t.Helper()
			synctest.Wait()
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.calls) != len(want) {
				t.Fatalf("calls %q", h.calls)
			}
			for i := range want {
				if !strings.Contains(h.calls[i], want[i]) {
					t.Errorf("calls %q", h.calls)
				}
			}
		}
		n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
		sent("Cupola: api.1")
		n.Changed(t.Context(), raised(core.SeverityError, "api.2"))
		n.Changed(t.Context(), raised(core.SeverityError, "api.3"))
		time.Sleep(time.Minute - time.Nanosecond)
		sent("Cupola: api.1")
		time.Sleep(time.Nanosecond)
		sent("Cupola: api.1", "api.3 and 1 more")
		n.Changed(t.Context(), raised(core.SeverityError, "api.4"))
		sent("Cupola: api.1", "api.3 and 1 more")
		n.Wait()
		sent("Cupola: api.1", "api.3 and 1 more", "Cupola: api.4")
	})
}

func TestFailedCommandBlocksNothing(t *testing.T) {
	h := heard{err: errors.New("broken")}
	n := New(Options{Command: []string{"tell"}})
	n.run = h.run
	n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
	n.Changed(t.Context(), raised(core.SeverityError, "api.2"))
	n.Wait()
	if len(h.calls) != 2 {
		t.Errorf("calls %q", h.calls)
	}
}

func TestACommandReadsTheEvent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "event")
	n := New(Options{Command: []string{"sh", "-c", `cat > "$1"`, "sh", file}})
	n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
	n.Wait()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"subject":"api.1"`) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWhatGoesWrongIsLoggedAndNothingElse(t *testing.T) {
	for _, broken := range []error{nil, errors.New("broken")} {
		var said bytes.Buffer
		h := heard{err: broken}
		n := New(Options{Desktop: true, Command: []string{"tell"}, Log: slog.New(slog.NewTextHandler(&said, nil))})
		n.run = h.run
		n.Changed(t.Context(), raised(core.SeverityError, "api.1"))
		n.Wait()
		if lines := strings.Count(said.String(), "error=broken"); lines != 0 && broken == nil ||
			lines != 2 && broken != nil || broken == nil && said.Len() > 0 {
			t.Errorf("with %v it logs %s", broken, &said)
		}
		if len(h.calls) != 2 ||
			!strings.Contains(h.calls[0], "Cupola: api.1 it waits|") &&
				!strings.Contains(h.calls[0], "Cupola: api.1|") {
			t.Errorf("calls %q", h.calls)
		}
	}
}

func TestNoNotificationHasACredential(t *testing.T) {
	t.Parallel()
	var h heard
	n := New(Options{Command: []string{"tell"}, Desktop: true})
	n.run = h.run
	change, key := raised(core.SeverityError, "api.1"), strings.Repeat("a1b2", 10)
	change.Alert.Message = "it asks: curl -H 'x-api-key: " + key + "'"
	n.Changed(t.Context(), change)
	n.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if sent := strings.Join(h.calls, "\n"); len(h.calls) == 0 || strings.Contains(sent, key[:8]) {
		t.Errorf("told: %s", sent)
	}
}

func TestATerminalShowsANotificationInItsOwnForm(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		tmux bool
		want string
	}{
		"any": {nil, false, "\x1b]9;Cupola: api.1: it waits,  rm a\x1b\\"},
		"kitty": {
			map[string]string{"KITTY_WINDOW_ID": "1"},
			false,
			"\x1b]99;i=cupola:d=0;Cupola: api.1\x1b\\" +
				"\x1b]99;i=cupola:p=body;it waits,  rm a\x1b\\",
		},
		"foot": {map[string]string{"TERM": "foot"}, false, "\x1b]777;notify;Cupola: api.1;it waits,  rm a\x1b\\"},
		"tmux": {nil, true, "\x1bPtmux;\x1b\x1b]9;Cupola: api.1: it waits,  rm a\x1b\x1b\\\x1b\\"},
	} {
		var out bytes.Buffer
		sequence := SequenceOf(func(name string) string { return c.env[name] })
		n := New(Options{Terminal: Terminal{Out: &out, Sequence: sequence, InTmux: c.tmux}})
		change := raised(core.SeverityError, "api.1")
		change.Alert.Message = "it waits; \x1b\\\a\x1b]0;owned\arm a"
		n.Changed(t.Context(), change)
		n.Wait()
		if out.String() != c.want {
			t.Errorf("%s: %q, not %q", name, out.String(), c.want)
		}
	}
}

package tmux

import (
	"bytes"
	"fmt"
	"strings"

	"cupola/core/engine"
)

// complaints are the prefixes of tmux's error messages. Only the prefix is compared:
// the rest may hold a name that the user chose.
var complaints = []struct {
	text string
	err  error
}{
	{"can't find pane", engine.ErrNoPane},
	{"no such pane", engine.ErrNoPane},
	{"can't find session", engine.ErrNoSession},
	{"no such session", engine.ErrNoSession},
	{"session not found", engine.ErrNoSession},
	{"can't find window", engine.ErrNoWindow},
	{"no such window", engine.ErrNoWindow},
	{"duplicate session", engine.ErrDuplicate},
	{"no space for new pane", engine.ErrNoSpace},
	{"create pane failed: no space", engine.ErrNoSpace},
	{"size or position no space", engine.ErrNoSpace},
	{"target pane has exited", engine.ErrDead},
	{"no server running", engine.ErrNoServer},
	// A server without any session is about to end.
	{"no current target", engine.ErrNoServer},
	{"server exited", engine.ErrNoServer},
	{"lost server", engine.ErrNoServer},
	{"error connecting to", engine.ErrNoServer},
	{"access not allowed", engine.ErrDenied},
	{"unknown key", engine.ErrBadKey},
}

// refusal turns what tmux printed into an error. It wraps a sentinel where the
// reason is known.
func refusal(r reply) error {
	line, _, _ := bytes.Cut(bytes.TrimSpace(r.stderr), []byte("\n"))
	text := string(line)
	if text == "" {
		return fmt.Errorf("tmux ended with status %d", r.exit)
	}
	if strings.HasPrefix(text, "error connecting to") && strings.HasSuffix(text, "(Permission denied)") {
		return fmt.Errorf("%w: %s", engine.ErrDenied, text)
	}
	if strings.HasPrefix(text, "error connecting to") && strings.HasSuffix(text, "(Resource temporarily unavailable)") {
		return fmt.Errorf("%w: %s", engine.ErrSilent, text)
	}
	for _, c := range complaints {
		if strings.HasPrefix(text, c.text) {
			return fmt.Errorf("%w: %s", c.err, text)
		}
	}
	return fmt.Errorf("tmux: %s", text)
}

// anomaly is an answer that a supported tmux would not give.
type anomaly struct{ what string }

func (a anomaly) Error() string { return "unexpected answer from tmux: " + a.what }

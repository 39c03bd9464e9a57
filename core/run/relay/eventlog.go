package relay

import (
	"path/filepath"
	"strings"
	"unicode"

	"cupola/core/run"
	"cupola/core/run/relay/stream"
	"cupola/core/text/secret"
)

// eventLog writes the events of a relay to its file. Text is written up to its last blank behind
// which no secret continues, so that one that comes in pieces is masked as a whole.
type eventLog struct {
	log     *run.Log[Event]
	changed func()
	// held is text that was not written yet, of the message with a number; blank is behind its last
	// blank.
	held    []byte
	blank   int
	message int
}

// mostHeld is how much text is held back, in bytes; no secret is as long.
const mostHeld = 64 << 10

func (b Directory) eventLog(id string) (*eventLog, error) {
	log, _, err := run.OpenLog[Event](filepath.Join(b.files().Folder(id), eventsFile))
	return &eventLog{log: log, changed: b.Changed}, err
}

// write takes an event. What cannot be written is lost: the answer itself is on record at its end.
func (l *eventLog) write(event *Event) {
	if event.Type != stream.Text {
		l.flush(len(l.held))
		masked := *event
		masked.Text = secret.Mask(masked.Text)
		l.line(&masked)
		return
	}
	if event.Message != l.message {
		l.flush(len(l.held))
		l.message = event.Message
	}
	l.held = append(l.held, event.Text...)
	if blank := strings.LastIndexFunc(event.Text, unicode.IsSpace); blank >= 0 {
		l.blank = len(l.held) - len(event.Text) + blank + 1
	}
	if len(l.held) > mostHeld {
		l.flush(len(l.held))
	} else if l.blank > 0 {
		if masked, whole := maskWhole(string(l.held[:l.blank])); whole {
			l.put(l.blank, masked)
		}
	}
}

// longestSecret is how far back a secret may start that continues after a text, in bytes: a key of many lines is
// shorter.
const longestSecret = 8 << 10

// maskWhole masks a text; whole is false if a secret may continue behind it: if what would follow is masked.
func maskWhole(text string) (masked string, whole bool) {
	const next = "abcdefghijklmnopqrst"
	end := text[max(0, len(text)-longestSecret):]
	masked = secret.Mask(end)
	if secret.Mask(end+next) != masked+next {
		return "", false
	}
	if len(end) < len(text) {
		masked = secret.Mask(text)
	}
	return masked, true
}

// flush masks and writes the first n bytes of the held text.
func (l *eventLog) flush(n int) {
	if n > 0 {
		l.put(n, secret.Mask(string(l.held[:n])))
	}
}

// put writes what the first n bytes of the held text are once masked, and no longer holds them.
func (l *eventLog) put(n int, masked string) {
	l.line(&Event{Type: stream.Text, Message: l.message, Text: masked})
	l.held = append(l.held[:0], l.held[n:]...)
	l.blank = 0
}

func (l *eventLog) line(event *Event) {
	if l.log.Append(event) == nil && l.changed != nil {
		l.changed()
	}
}

func (l *eventLog) close() {
	l.flush(len(l.held))
	_ = l.log.Close()
}

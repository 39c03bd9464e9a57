package relay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"cupola/core/relay/stream"
	"cupola/core/secret"
)

// eventLog writes the events of a relay to its file. Text is written up to its last blank, so that
// a secret that comes in pieces is masked as one word.
type eventLog struct {
	file *os.File
	// held is text that was not written yet, of the message with a number.
	held    string
	message int
}

func (b Book) eventLog(id string) (*eventLog, error) {
	file, err := os.OpenFile(filepath.Join(b.files().Folder(id), eventsFile),
		os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	return &eventLog{file: file}, nil
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
	l.held += event.Text
	if blank := strings.LastIndexFunc(l.held, unicode.IsSpace); blank >= 0 && !l.inKey() {
		l.flush(blank + 1)
	}
}

// inKey reports whether the held text ends inside a private key.
func (l *eventLog) inKey() bool {
	begin := strings.LastIndex(l.held, "-----BEGIN ")
	return begin >= 0 && !strings.Contains(l.held[begin:], "-----END ")
}

// flush writes the first n bytes of the held text.
func (l *eventLog) flush(n int) {
	if n == 0 {
		return
	}
	l.line(&Event{Type: stream.Text, Message: l.message, Text: secret.Mask(l.held[:n])})
	l.held = l.held[n:]
}

func (l *eventLog) line(event *Event) {
	line, err := json.Marshal(event)
	if err == nil {
		_, _ = l.file.Write(append(line, '\n'))
	}
}

func (l *eventLog) close() {
	l.flush(len(l.held))
	_ = l.file.Close()
}

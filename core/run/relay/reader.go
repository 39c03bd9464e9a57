package relay

import (
	"strings"

	"cupola/core/run/relay/stream"
)

// Reader reads the answer of a relay while it comes. It reads each event once.
type Reader struct {
	Directory Directory
	ID        string

	offset  int64
	message int
	text    strings.Builder
	doing   string
}

// Read reads the events that are new.
func (r *Reader) Read() error {
	events, offset, err := r.Directory.Events(r.ID, r.offset)
	if err != nil {
		return err
	}
	r.offset = offset
	for i := range events {
		r.take(&events[i])
	}
	return nil
}

func (r *Reader) take(event *Event) {
	switch event.Type {
	case stream.Started:
		r.text.Reset()
		r.message, r.doing = 0, ""
	case stream.Text:
		if event.Message != r.message {
			r.text.Reset()
			r.message = event.Message
		}
		r.text.WriteString(event.Text)
		r.doing = ""
	case stream.Tool, stream.Call:
		r.doing = strings.TrimSpace(event.Tool + " " + event.Status + " " + event.Text)
	case stream.Retrying, stream.Warning:
		r.doing = event.Text
	}
}

// Text is the last message, as far as it has been read.
func (r *Reader) Text() string { return r.text.String() }

// Doing returns the backend's last activity if that was no text: a tool, or another try.
func (r *Reader) Doing() string { return r.doing }

package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// eventName says what happened.
type eventName string

const (
	eventReady     eventName = "ready"
	eventPrompt    eventName = "prompt"
	eventAsk       eventName = "ask"
	eventAnswer    eventName = "answer"
	eventInterrupt eventName = "interrupt"
	eventEnd       eventName = "end"
	eventExit      eventName = "exit"
)

// answerCancel is the text of an answer that was none.
const answerCancel = "cancel"

// event is one line of the log. Text is exactly what was submitted or chosen.
// How is "queued" or "steered" for a prompt that began no turn. Raw repeats a
// text that is no UTF-8 and so cannot be written as a string.
type event struct {
	Event eventName `json:"event"`
	Text  string    `json:"text"`
	How   string    `json:"how,omitempty"`
	Raw   []byte    `json:"raw,omitempty"`
	At    time.Time `json:"at"`
}

// eventLog appends events to a file. The zero value keeps none.
type eventLog struct{ file *os.File }

// openEventLog opens the file at path, or nothing if path is empty.
func openEventLog(path string) (eventLog, error) {
	if path == "" {
		return eventLog{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return eventLog{}, fmt.Errorf("open log: %w", err)
	}
	return eventLog{file: f}, nil
}

// write appends each event as one line, in one write.
func (j eventLog) write(events []event) error {
	if j.file == nil {
		return nil
	}
	for _, e := range events {
		if _, err := j.file.Write(e.line()); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
	}
	return nil
}

func (j eventLog) close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// line encodes the event with its line end.
func (e event) line() []byte {
	e.At = e.At.UTC()
	if !utf8.ValidString(e.Text) {
		e.Raw = []byte(e.Text)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// The event holds nothing that cannot be encoded.
	_ = enc.Encode(e)
	return b.Bytes()
}

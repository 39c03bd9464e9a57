package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"cupola/core/system/plainfile"
)

// Log is the file that takes what happens in a run: a JSON value of type E a line, in the order in which it happened.
type Log[E any] struct{ file *os.File }

// OpenLog opens a log to append to it, and makes it if it is missing. It cuts off the line that a killed process left
// unfinished, and returns the last event; the zero value without one.
func OpenLog[E any](path string) (l *Log[E], last E, err error) {
	events, whole, err := ReadLog[E](path, 0)
	if err != nil {
		return nil, last, err
	}
	if n := len(events); n > 0 {
		last = events[n-1]
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, last, err
	}
	if err = file.Truncate(whole); err != nil {
		_ = file.Close()
		return nil, last, err
	}
	return &Log[E]{file}, last, nil
}

// Append adds an event.
func (l *Log[E]) Append(event *E) error {
	line, err := json.Marshal(event)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	return err
}

// Close closes the file.
func (l *Log[E]) Close() error { return l.file.Close() }

// ReadLog returns the events of a log from an offset in bytes on, and the offset behind them. A line that is half
// written waits for the next call; one that is no such value is left out, and a log that is missing has no events.
func ReadLog[E any](path string, offset int64) (events []E, next int64, err error) {
	file, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, offset, nil
	}
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= offset {
		return nil, offset, err
	}
	text := make([]byte, info.Size()-offset)
	n, err := file.ReadAt(text, offset)
	if err != nil && (n == 0 || !errors.Is(err, io.EOF)) {
		return nil, offset, err
	}
	for line := range bytes.Lines(text[:n]) {
		if line[len(line)-1] != '\n' {
			break
		}
		offset += int64(len(line))
		var event E
		if json.Unmarshal(line, &event) == nil {
			events = append(events, event)
		}
	}
	return events, offset, nil
}

// Package cast writes and reads recordings of terminals, in the format asciicast 2 of asciinema
// (https://docs.asciinema.org/manual/asciicast/v2/): a header and then an event a line, as JSON.
package cast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"cupola/core/system/plainfile"
	"cupola/core/term"
)

// version is the version of the asciicast format, as the header of a recording carries it.
const version = 2

// The kinds of events.
const (
	Output = "o" // bytes that the program wrote
	Resize = "r" // another size, as WIDTHxHEIGHT
)

// ErrFormat means that a file is no recording of this format.
var ErrFormat = errors.New("no recording in the format asciicast 2")

// Header begins a recording.
type Header struct {
	Version int    `json:"version"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Began   int64  `json:"timestamp"` // Unix seconds
	Title   string `json:"title,omitempty"`
}

// Event is one thing that was recorded.
type Event struct {
	// At is how long after the beginning it was.
	At   time.Duration
	Kind string
	Data string
}

// WriteHeader writes the first line of a recording.
func WriteHeader(w io.Writer, width, height int, began time.Time, title string) error {
	return writeLine(w, Header{Version: version, Width: width, Height: height, Began: began.Unix(), Title: title})
}

// WriteEvent writes an event. Its data must be UTF-8.
func WriteEvent(w io.Writer, e Event) error {
	return writeLine(w, []any{json.Number(strconv.FormatFloat(e.At.Seconds(), 'f', 6, 64)), e.Kind, e.Data})
}

func writeLine(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Recording is a recording that was read.
type Recording struct {
	Header
	Events []Event
}

// longestLine bounds a line, in bytes.
const longestLine = 16 << 20

// Read reads a recording. What was cut off at the end, as by a crash, is left out. It returns ErrFormat for what is no
// recording.
func Read(r io.Reader) (*Recording, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	if !lines.Scan() {
		return nil, ErrFormat
	}
	c := &Recording{}
	err := json.Unmarshal(lines.Bytes(), &c.Header)
	if err != nil || c.Version != version || c.Width < 1 || c.Height < 1 {
		return nil, ErrFormat
	}
	for whole := true; whole && lines.Scan(); {
		var e Event
		if e, whole = parseEvent(lines.Bytes()); whole {
			c.Events = append(c.Events, e)
		}
	}
	return c, nil
}

// largestFile bounds a recording that is read, in bytes.
const largestFile = 256 << 20

// Load reads a recording from a file.
func Load(path string) (*Recording, error) {
	text, err := plainfile.Read(path, largestFile)
	if err != nil {
		return nil, err
	}
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// parseEvent parses a line; whole is false for one that is no event.
func parseEvent(line []byte) (e Event, whole bool) {
	var parts []json.RawMessage
	var seconds float64
	const fields = 3
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) != fields {
		return e, false
	}
	err := errors.Join(
		json.Unmarshal(parts[0], &seconds), json.Unmarshal(parts[1], &e.Kind), json.Unmarshal(parts[2], &e.Data))
	e.At = time.Duration(seconds * float64(time.Second))
	return e, err == nil && seconds >= 0 && seconds < 1e9
}

// Length is how long the recording is.
func (c *Recording) Length() time.Duration {
	if len(c.Events) == 0 {
		return 0
	}
	return c.Events[len(c.Events)-1].At
}

// ScreenAt returns the terminal as it was some time after the beginning.
func (c *Recording) ScreenAt(at time.Duration) *term.Terminal {
	t := term.New(min(c.Width, largest), min(c.Height, largest))
	for _, e := range c.Events {
		if e.At > at {
			break
		}
		Apply(t, e)
	}
	return t
}

// largest bounds the width and the height of a terminal that plays a recording.
const largest = 1000

// Apply does to a terminal what an event says.
func Apply(t *term.Terminal, e Event) {
	switch e.Kind {
	case Output:
		_, _ = io.WriteString(t, e.Data)
	case Resize:
		if width, height, ok := parseSize(e.Data); ok {
			t.Resize(min(width, largest), min(height, largest))
		}
	}
}

// SizeOf is the data of an event of the kind Resize.
func SizeOf(width, height int) string { return fmt.Sprintf("%dx%d", width, height) }

func parseSize(text string) (width, height int, ok bool) {
	w, h, _ := strings.Cut(text, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	return width, height, errW == nil && errH == nil && width > 0 && height > 0
}

// Write writes a recording.
func (c *Recording) Write(w io.Writer) error {
	err := WriteHeader(w, c.Width, c.Height, time.Unix(c.Began, 0), c.Title)
	for i := 0; i < len(c.Events) && err == nil; i++ {
		err = WriteEvent(w, c.Events[i])
	}
	return err
}

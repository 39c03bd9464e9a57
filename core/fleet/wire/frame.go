// Package wire is the protocol between a keeper and the other processes: one JSON value a line over a
// Unix socket.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// AlertReport is a report of a process to the keeper about alerts.
type AlertReport struct {
	Dismiss *alert.Selection `json:"dismiss,omitempty"`
	// Edge is an alert that no snapshot shows; it is over if ResolvedAt is set.
	Edge *core.Alert `json:"edge,omitempty"`
	// Reopen are the ids of dismissed alerts to open again.
	Reopen []string `json:"reopen,omitempty"`
}

// Protocol is the version of the protocol on the keeper's socket: one JSON value per line. The member sends a
// Hello, the keeper answers with a Welcome and then sends frames. Different versions do not work together.
// Readers ignore unknown fields and frame types.
const Protocol = 1

// maxLine is the longest line read, in bytes; the snapshot of 10,000 panes fits.
const maxLine = 32 << 20

// Errors of messages from another protocol version and of malformed ones.
var (
	ErrVersion   = errors.New("another protocol version")
	ErrMalformed = errors.New("malformed message")
)

// Hello is the first line of a member.
type Hello struct {
	Protocol int `json:"cupola"`
	PID      int `json:"pid"`
	// Known is true if the member wants what came after Since instead of the whole snapshot.
	Known bool          `json:"known"`
	Since core.Revision `json:"since"`
	// Seen is the newest revision that another keeper gave; 0 is none.
	Seen    core.Revision `json:"seen"`
	Watched bool          `json:"watched"`
	// Hook is a hook's report about Pane, encoded as in the tag. Its sender expects only the welcome.
	Hook string      `json:"hook,omitempty"`
	Pane core.PaneID `json:"pane,omitempty"`
	// Alert is a report about alerts, sent in the same way.
	Alert *AlertReport `json:"alert,omitempty"`
	// Runs says that runs have changed, sent in the same way.
	Runs bool `json:"runs,omitempty"`
}

// Reports reports whether a hello only delivers a report.
func (g *Hello) Reports() bool { return g.Hook != "" || g.Alert != nil || g.Runs }

// Welcome is the first line of a keeper.
type Welcome struct {
	Protocol int       `json:"cupola"`
	PID      int       `json:"pid"`
	Since    time.Time `json:"since"`
}

// The types of frames. An idle keeper sends heartbeats. A frame of runs says that runs have changed.
const (
	FrameBatch     = "batch"
	FrameHeartbeat = "pulse"
	FrameRuns      = "runs"
)

// Frame is every later line of a keeper.
type Frame struct {
	Type     string         `json:"type"`
	Events   []core.Event   `json:"events,omitempty"`
	Snapshot *core.Snapshot `json:"picture,omitempty"`
	Resync   bool           `json:"resync,omitempty"`
}

// LineReader reads JSON lines from a stream.
type LineReader struct {
	source *bufio.Reader
	line   []byte
}

// NewLineReader returns a reader of JSON lines.
func NewLineReader(r io.Reader) *LineReader { return &LineReader{source: bufio.NewReader(r)} }

// next returns the next line without its end; it is valid until the next call. Text after the last line end
// is not a line.
func (l *LineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.source.ReadSlice('\n')
		l.line = append(l.line, part...)
		switch {
		case len(l.line) > maxLine:
			return nil, fmt.Errorf("%w: a line over %d bytes", ErrMalformed, maxLine)
		case err == nil:
			return l.line[:len(l.line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// decode reads the next line into a value.
func (l *LineReader) decode(into any) error {
	line, err := l.next()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// DecodeFirst decodes a hello or a welcome after checking its protocol version.
func (l *LineReader) DecodeFirst(into any) error {
	line, err := l.next()
	if err != nil {
		return err
	}
	var first struct {
		Protocol int `json:"cupola"`
	}
	if err := json.Unmarshal(line, &first); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if first.Protocol != Protocol {
		return fmt.Errorf("%w: %d instead of %d", ErrVersion, first.Protocol, Protocol)
	}
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// Encode returns a value as one line.
func Encode(value any) ([]byte, error) {
	line, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

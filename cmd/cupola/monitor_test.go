package main

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The size of a display, in cells.
const displayWidth, displayHeight = 140, 40

// monitor is a program on a terminal of 140 by 40 that never answers a question.
// It keeps when what was written came, and how much that was.
type monitor struct {
	t       testing.TB
	pty     *os.File
	started time.Time
	done    chan struct{} // closed once the program has ended

	mu      sync.Mutex
	arrived []arrival
	// text is the output since words are awaited; found takes the time when the last of them came.
	text  []byte
	words []string
	found chan time.Time
}

// arrival is one piece of what was written.
type arrival struct {
	at    time.Time
	bytes int
}

// show starts a program and returns when all words are on its display, which
// must come in one piece each.
func show(t testing.TB, cmd *exec.Cmd, words ...string) (*monitor, time.Duration) {
	t.Helper()
	d := &monitor{t: t, done: make(chan struct{})}
	shown := d.await(words...)
	d.started = time.Now()
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: displayHeight, Cols: displayWidth})
	if err != nil {
		t.Fatal(err)
	}
	d.pty = file
	go d.read(cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-d.done
		file.Close()
	})
	return d, d.within(shown).Sub(d.started)
}

// colours is the answer to the query for the background, and to that for what the terminal can do.
const colours = "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?62;22c"

func (d *monitor) read(cmd *exec.Cmd) {
	defer close(d.done)
	chunk := make([]byte, 1<<16)
	for {
		n, err := d.pty.Read(chunk)
		d.take(chunk[:n], time.Now())
		if bytes.Contains(chunk[:n], []byte("\x1b]11;?")) {
			_, _ = d.pty.WriteString(colours) // as terminals do that people have
		}
		if err != nil {
			// A terminal without a holder returns an error here, not io.EOF.
			_ = cmd.Wait()
			return
		}
	}
}

func (d *monitor) take(piece []byte, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.arrived = append(d.arrived, arrival{at, len(piece)})
	if d.words == nil {
		return
	}
	d.text = append(d.text, piece...)
	for _, word := range d.words {
		if !bytes.Contains(d.text, []byte(word)) {
			return
		}
	}
	d.words, d.text = nil, nil
	d.found <- at
}

// await returns a channel that takes when the last of some words was written
// from now on.
func (d *monitor) await(words ...string) <-chan time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text, d.words, d.found = nil, words, make(chan time.Time, 1)
	return d.found
}

// within waits for what is awaited.
func (d *monitor) within(shown <-chan time.Time) time.Time {
	d.t.Helper()
	select {
	case at := <-shown:
		return at
	case <-time.After(testTimeout):
		d.mu.Lock()
		defer d.mu.Unlock()
		d.t.Fatalf("no %q in the %d bytes that end with %q", d.words, len(d.text), d.text[max(0, len(d.text)-2000):])
	}
	return time.Time{}
}

// press writes keys and waits until words are on the display.
func (d *monitor) press(keys string, words ...string) {
	d.t.Helper()
	shown := d.await(words...)
	if _, err := d.pty.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
	d.within(shown)
}

// quit ends the program by its own key.
func (d *monitor) quit() {
	d.t.Helper()
	if _, err := d.pty.WriteString("q"); err != nil {
		d.t.Fatal(err)
	}
	select {
	case <-d.done:
	case <-time.After(testTimeout):
		d.t.Fatal("it does not quit")
	}
}

// written counts the bytes since a moment: those that came when the minute
// changes, as ages do, and all others.
func (d *monitor) written(since time.Time) (minutely, others int) {
	const around = 2 * time.Second
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, each := range d.arrived {
		switch {
		case each.at.Before(since):
		case each.at.Sub(each.at.Truncate(time.Minute)) < around:
			minutely += each.bytes
		default:
			others += each.bytes
		}
	}
	return minutely, others
}

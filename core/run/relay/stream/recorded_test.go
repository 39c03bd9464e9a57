package stream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

// recording is the output of one headless run of a real program, and its end.
type recording struct {
	name   string
	format Format
	stdout []byte
	end    End
}

// recordings reads all of them, or skips the test where there are none.
func recordings(t testing.TB) []recording {
	t.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		t.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	paths, err := filepath.Glob(filepath.Join(data, "headless", "*", "*", "meta.json"))
	if err != nil || len(paths) < 80 {
		t.Fatalf("%d recordings in %s, %v", len(paths), data, err)
	}
	var all []recording
	for _, path := range paths {
		dir := filepath.Dir(path)
		var meta struct {
			Agent    string
			Argv     []string
			ExitCode int `json:"exit_code"`
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &meta)
		}
		if err != nil {
			t.Fatal(err)
		}
		one := recording{name: meta.Agent + "/" + filepath.Base(dir), format: Format(meta.Agent)}
		line := strings.Join(meta.Argv, " ")
		if !strings.Contains(line, "json") {
			one.format = Plain
		}
		if one.stdout, err = os.ReadFile(filepath.Join(dir, "stdout")); err != nil {
			t.Fatal(err)
		}
		stderr, err := os.ReadFile(filepath.Join(dir, "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		one.end = End{Exit: meta.ExitCode, Stderr: string(stderr)}
		if meta.ExitCode < 0 {
			one.end = End{Exit: -1, Signal: "killed"}
		}
		all = append(all, one)
	}
	return all
}

// heard is a reader's result for an output.
type heard struct {
	events []Event
	answer string
	usage  *Usage
}

// hear reads an output that comes in pieces of a size; 0 is all at once.
func hear(t testing.TB, one *recording, size int) heard {
	t.Helper()
	r, err := New(one.format)
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	for rest := one.stdout; len(rest) > 0; {
		n := len(rest)
		if size > 0 {
			n = min(size, n)
		}
		h.events = append(h.events, r.Write(rest[:n])...)
		rest = rest[n:]
	}
	h.events = append(h.events, r.Close(one.end)...)
	h.answer, h.usage = r.Answer(), r.Usage()
	return h
}

// summary returns a caller's view of a run, on one line.
func (h *heard) summary(name string) string {
	last := h.events[len(h.events)-1]
	usage := "-"
	if h.usage != nil {
		encoded, _ := json.Marshal(h.usage)
		usage = string(encoded)
	}
	counts := map[Type]int{}
	for _, event := range h.events {
		counts[event.Type]++
	}
	return fmt.Sprintf("%s\n  %s stop=%s code=%s %q\n  model=%q usage=%s retries=%d warnings=%d tools=%d\n  %q\n",
		name, last.Type, last.Stop, last.Code, last.Text, last.Model, usage, counts[Retrying], counts[Warning],
		counts[Tool], h.answer)
}

// TestRecordedRunsAreRead holds the answer, usage and end of every recorded run to a file that was
// read and compared with the recordings.
func TestRecordedRunsAreRead(t *testing.T) {
	var all strings.Builder
	for _, one := range recordings(t) {
		h := hear(t, &one, 0)
		all.WriteString(h.summary(one.name))
	}
	golden.RequireEqual(t, []byte(all.String()))
}

// TestPiecesChangeNothing cuts every recorded output into pieces of one byte, and of seven.
func TestPiecesChangeNothing(t *testing.T) {
	for _, one := range recordings(t) {
		whole := hear(t, &one, 0)
		for _, size := range []int{1, 7} {
			pieces := hear(t, &one, size)
			if got, want := pieces.summary(one.name), whole.summary(one.name); got != want {
				t.Errorf("in pieces of %d bytes\n%s\nis not\n%s", size, got, want)
			}
			if got, want := texts(pieces.events), texts(whole.events); !slices.Equal(got, want) {
				t.Errorf("%s: in pieces of %d bytes the messages are %q, not %q", one.name, size, got, want)
			}
		}
	}
}

// texts are the messages of the model, put together from their pieces.
func texts(events []Event) []string {
	var all []string
	for _, event := range events {
		if event.Type != Text {
			continue
		}
		for len(all) < event.Message {
			all = append(all, "")
		}
		all[event.Message-1] += event.Text
	}
	return all
}

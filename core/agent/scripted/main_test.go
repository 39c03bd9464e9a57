package scripted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// playVariable makes the test binary play the program itself.
const playVariable = "SCRIPTED_TEST_PLAY"

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) == "" {
		os.Exit(m.Run())
	}
	os.Exit(run(context.Background(), os.Args[1:]))
}

// eventually waits for a condition and shows the state if it never holds.
func eventually(t *testing.T, what string, holds func() bool, state func() string) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never saw %s; last state:\n%s", what, state())
		}
	}
}

// readLog returns the events in a log file so far.
func readLog(t *testing.T, path string) []event {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var events []event
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		var e event
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			t.Fatalf("log line %q: %v", scan.Text(), err)
		}
		events = append(events, e)
	}
	return events
}

// texts are the texts of the events with that name.
func texts(events []event, name eventName) []string {
	found := []string{}
	for _, e := range events {
		if e.Event == name {
			found = append(found, e.Text)
		}
	}
	return found
}

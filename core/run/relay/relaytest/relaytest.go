// Package relaytest puts a relay on record, for tests.
package relaytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Label is the label of the relay, and of its conversation.
const Label = "review"

// id is its id, and record what Put writes of it.
const (
	id     = "k3x9ab2c"
	record = `{"record_version":1,"id":"` + id + `","label":"` + Label + `","backend":"codex","dir":"/home/dev/api",` +
		`"sandbox":"read-only","guarantee":"It only reads.","prompt":"is this safe?","prompt_bytes":210,` +
		`"state":"done","pid":7,"started_at":"2026-11-20T11:58:00Z","ended_at":"2026-11-20T11:58:03Z",` +
		`"text":"It is.","token_counts":{"input_tokens":1400,"output_tokens":42},"stop_reason":"end",` +
		`"elapsed_ms":3000,"first_text_ms":2000,"cost_usd":0.0021,"cost_source":"table"}`
	labels = `[{"label":"` + Label + `","backend":"codex","dir":"/home/dev/api","sandbox":"read-only","count":1,` +
		`"turns":[],"created_at":"2026-08-20T11:58:00Z","last_used_at":"2026-08-20T11:58:03Z"}]`
)

// Put puts a relay with Label into the directory of the relays: one that was answered, or one that has not started.
func Put(t testing.TB, dir string, pending bool) {
	t.Helper()
	text := record
	if pending {
		text = strings.NewReplacer(`"done"`, `"pending"`, `"started_at":"2026`, `"started_at":"2126`).Replace(text)
	}
	if err := os.MkdirAll(filepath.Join(dir, id), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, id, "relay.json"): text, filepath.Join(dir, "labels.json"): labels,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cupola/core/verb/registry"
)

// onFile returns the answer to an example that is on file in robot/verbs, whose fleet does not change; false if only
// a living fleet can answer it.
func onFile(t *testing.T, verb *registry.Verb, example string) (string, bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "robot", "verbs", "testdata", "TestAnswersAreTheSameAsEver",
		verb.Name+".golden"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "$ "+example+" --robot-format=json\n")
	answer, _, _ := strings.Cut(rest, "\n$ cupola ")
	return answer, found && !strings.HasPrefix(answer, `{"success":false`)
}

// moving matches what depends on the machine, the time or the load, and what is on file for
// it.
var moving = []struct {
	found *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`20\d{6}-\d{6}-[0-9a-z]{4}\b`), "STAMP"},
	{regexp.MustCompile(`\b[0-9a-z]{9}-[0-9a-z]{10}\b`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "UUID"},
	{regexp.MustCompile(`"(elapsed_ms|waited_s|idle_s|revision|pid|owner_pid|enters|reaped)":[\d.]+`), `"$1":N`},
	{regexp.MustCompile(`"(round_trip_ms|cores|load|memory_free_mb|disk_free_mb)":[\d.]+`), `"$1":N`},
	{regexp.MustCompile(`"hostname":"[^"]+"`), `"hostname":"MACHINE"`},
	{regexp.MustCompile(`"head":"[0-9a-f]+"`), `"head":"COMMIT"`},
	{regexp.MustCompile(`"answered within \d+ ms"`), `"answered within N ms"`},
	{regexp.MustCompile(`"marks":\["[^"]+"\]`), `"marks":["MARK"]`},
	// The evidence of a delivery depends on when the pane was captured.
	{regexp.MustCompile(`"evidence":"([^"\\]|\\.)+"`), `"evidence":"EVIDENCE"`},
	// The title that a terminal begins with is the machine's name, some shells become
	// the command that they run, and prompts are as long as a profile makes them.
	{regexp.MustCompile(`"title":"[^"]*","view"`), `"title":"TITLE","view"`},
	{regexp.MustCompile(`"process":\{"pid":N,"command":"[^"]*"`), `"process":{"pid":N,"command":"COMMAND"`},
	{regexp.MustCompile(`"cursor":\{"x":\d+,`), `"cursor":{"x":N,`},
}

// racing are the fields of some examples' answers that show how far another process has
// come.
var racing = []struct {
	example string
	fields  *regexp.Regexp
}{
	{"cupola spawn ", regexp.MustCompile(`"(state)":"[^"]*"`)},
	{"cupola add ", regexp.MustCompile(`"(state)":"[^"]*"`)},
	{"cupola restore ", regexp.MustCompile(`"(state)":"[^"]*"`)},
	{" --wait ", regexp.MustCompile(`"(from)":"[^"]*"`)},
	{" --background", regexp.MustCompile(`"(state|attempts|started_at)":("[^"]*"|\d+)`)},
}

// still is an answer without what moves.
func still(m *machine, example, answer string) string {
	m.t.Helper()
	dir, err := filepath.EvalSymlinks(m.tmux.Dir)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, folder := range []struct{ path, name string }{
		{dir, "/machine"},
		{m.tmux.Dir, "/machine"},
		{filepath.Dir(m.program), "/bin"},
	} {
		answer = strings.ReplaceAll(answer, folder.path, folder.name)
	}
	for _, of := range moving {
		answer = of.found.ReplaceAllString(answer, of.name)
	}
	for _, of := range racing {
		if strings.Contains(example+" ", of.example) {
			answer = of.fields.ReplaceAllString(answer, `"$1":"RACES"`)
			// A step began or not, and the end of a turn was seen or not yet.
			answer = strings.ReplaceAll(answer, `"RACES","started_at":"RACES"}`, `"RACES"}`)
			answer = strings.ReplaceAll(answer, `"notes":["done"]`, `"notes":[]`)
		}
	}
	return answer
}

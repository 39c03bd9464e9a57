package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"

	"cupola/core/system/shell/shelltest"
)

// row is a line of testdata/reference: what a document of another program asks for, and what this one answers.
type row struct {
	// Topic is the subject of the row, in the document's own words.
	Topic string
	// Variables are set for the call, as NAME=value; Words are its command line without the program.
	Variables, Words []string
	// Status is the exit status.
	Status int
	// Condition is a jq expression that is true of the answer. The answer is the document on standard output, or on
	// standard error if the former is empty; an array if there are several; the text if it is none. $stderr is the text
	// on standard error.
	Condition string
}

var assignment = regexp.MustCompile(`^[A-Z_]+=`)

// readRows reads the rows of a document.
func readRows(t *testing.T, path string) []row {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " | ", 4)
		if len(parts) != 4 {
			t.Fatalf("%s: %q has not four parts", path, line)
		}
		r := row{Topic: parts[0], Words: words(t, parts[1]), Condition: parts[3]}
		for len(r.Words) > 0 && assignment.MatchString(r.Words[0]) {
			r.Variables, r.Words = append(r.Variables, r.Words[0]), r.Words[1:]
		}
		if len(r.Words) == 0 || r.Words[0] != "cupola" {
			t.Fatalf("%s: %q does not call cupola", path, line)
		}
		r.Words = r.Words[1:]
		if r.Status, err = strconv.Atoi(parts[2]); err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		if r.Condition == "true" || r.Condition == ".success" {
			t.Fatalf("%s: %q proves nothing of the answer", path, line)
		}
		rows = append(rows, r)
	}
	return rows
}

// holds reports what is wrong with an answer; nil if it is as the row says.
func (r *row) holds(got answer) error {
	if got.status != r.Status {
		return errors.New("exit status " + strconv.Itoa(got.status) + ", not " + strconv.Itoa(r.Status))
	}
	text := got.stdout
	if strings.TrimSpace(text) == "" {
		text = got.stderr
	}
	var about any = text
	if docs, err := documents(text); err == nil && len(docs) == 1 {
		about = docs[0]
	} else if err == nil && len(docs) > 1 {
		about = docs
	}
	query, err := gojq.Parse(r.Condition)
	if err != nil {
		return err
	}
	code, err := gojq.Compile(query, gojq.WithVariables([]string{"$stderr"}))
	if err != nil {
		return err
	}
	value, _ := code.Run(about, got.stderr).Next()
	switch value := value.(type) {
	case error:
		return value
	case bool:
		if value {
			return nil
		}
	}
	return errors.New("not so: " + r.Condition)
}

// referenceMachine is a fleet with two backends that answer at once: echoer says the prompt, talker plays a crew.
func referenceMachine(t *testing.T) *machine {
	t.Helper()
	m := newFleet(t)
	kinds, bin := filepath.Join(m.home, ".config", "cupola", "agents"), filepath.Join(m.tmux.Dir, "backends")
	if err := errors.Join(os.MkdirAll(kinds, 0o700), os.Mkdir(bin, 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"echoer": "#!/bin/sh\ntail -n 1\n",
		"talker": "#!/bin/sh\ncat >/dev/null\necho '@user: It is done.'\n",
	} {
		kind := fmt.Sprintf(`id = %q
short = "%.2sr"
name = %[1]q
launch.command = [%[1]q]
[headless]
format = "text"
sandbox.read-only.guarantee = "It only prints."
`, name, name)
		if err := errors.Join(os.WriteFile(filepath.Join(kinds, name+".toml"), []byte(kind), 0o600),
			shelltest.WriteProgram(filepath.Join(bin, name), []byte(script))); err != nil {
			t.Fatal(err)
		}
	}
	m.putFirst(bin)
	return m
}

func TestReferenceRows(t *testing.T) {
	t.Parallel()
	shared := referenceMachine(t)
	seen := 0
	for _, name := range []string{"robot-mode", "robot-design", "relay-cli", "interfaces", "story-agents"} {
		rows := readRows(t, filepath.Join("testdata", "reference", name+".txt"))
		seen += len(rows)
		t.Run(name, func(t *testing.T) {
			m := shared.in(t)
			for i := range rows {
				began := time.Now()
				got := m.have(call{Args: rows[i].Words, Environ: m.environ(rows[i].Variables...)})
				if took := time.Since(began); took > time.Second/4 {
					t.Logf("%s: cupola %q takes %s", rows[i].Topic, rows[i].Words, took.Round(time.Millisecond))
				}
				if err := rows[i].holds(got); err != nil {
					t.Errorf("%s: cupola %q: %v\n%.1500s%.600s",
						rows[i].Topic, rows[i].Words, err, got.stdout, got.stderr)
				}
			}
		})
	}
	if seen < 330 {
		t.Errorf("only %d rows", seen)
	}
}

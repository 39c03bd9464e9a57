package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
	"cupola/core/system/shell/shelltest"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// FuzzCommandLine holds any command line to this: it ends, it never panics, and
// what it writes in robot mode is one document, or a stream with an end.
func FuzzCommandLine(f *testing.F) {
	m := newPaddedCell(f)
	source := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		seed := make([]byte, 4+source.IntN(20))
		for i := range seed {
			seed[i] = byte(source.Uint32())
		}
		f.Add(seed)
	}
	dictionary := newDictionary(catalog.All())
	runs := 0
	f.Fuzz(func(t *testing.T, data []byte) {
		m := m.in(t)
		runs++
		if runs%40 == 0 {
			m.endServers()
		}
		args := dictionary.limited(dictionary.commandLine(data))
		cmd := m.command(m.program, args...)
		// Without a terminal of its own it cannot reach that of the tests.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		mustBehave(t, args, m.run(cmd))
	})
}

// newPaddedCell is a machine on which nothing that a command line says is run:
// its shell only copies, and its PATH holds nothing but Cupola and tmux.
func newPaddedCell(t testing.TB) *machine {
	t.Helper()
	m := newMachine(t)
	bin := filepath.Join(m.tmux.Dir, "cell")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"cupola": m.program, "tmux": m.tmux.Binary} {
		if path == "" {
			continue // tmux is not installed
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	shell := filepath.Join(bin, "shell")
	if err := shelltest.WriteProgram(shell, []byte("#!/bin/sh\nexec /bin/cat\n")); err != nil {
		t.Fatal(err)
	}
	m.tmux.Environ = append(m.tmux.Environ, "PATH="+bin)
	m.more = []string{"SHELL=" + shell}
	return m
}

// dictionary has the words of command lines.
type dictionary struct {
	verbs, flags, globals, values, odd []string
	// waiting are the verbs that may wait for long.
	waiting []string
}

func newDictionary(catalog *registry.Catalog) dictionary {
	d := dictionary{
		waiting: waitingVerbs(catalog),
		values: []string{
			"demo", "demo.1", "demo.0", "dem", "%0", "%99", "$0", "a.b", "a:b", "-x", "1", "0", "-1", "2",
			"99999999999999999999", "true", "perhaps", "10ms", "-5s", "rev:0", "rev:x", "2020-01-01", "now", "tiled",
			"cc", "claude=1", "scripted=2", "json", "toon", "terse", "minimal", "session", ".panes[0]", ".[",
			"{{.summary}}", "{{", "minimal,state", "sessions.name", "Enter", "C-c", "NoKey",
			"status", "all", "data", "stderr", "detailed", "stdout", "\x1b[31m", "\xff\xfe", "日本", "two words", "'",
			"`id`", "=",
		},
		odd: []string{
			"--", "-", "", "---", "--=", "-=", "-Jv", "-n5", "-n", "-h", "--help", "--version", "--schema",
			"--robot-", "--no-", "--robot-help",
		},
	}
	for _, verb := range catalog.Verbs {
		d.verbs = append(d.verbs, verb.Names()...)
		for _, field := range verb.Fields() {
			d.flags = append(d.flags, field.Name)
			d.flags = append(d.flags, aliases(field)...)
		}
	}
	for _, field := range registry.GlobalFields() {
		d.globals = append(d.globals, field.Name)
	}
	return d
}

// commandLine makes arguments of bytes.
func (d dictionary) commandLine(data []byte) []string {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	pick := func(words []string) string { return words[next()%len(words)] }
	args := []string{}
	for len(data) > 0 && len(args) < 9 {
		switch next() % 9 {
		case 0, 1:
			args = append(args, pick(d.verbs))
		case 2:
			args = append(args, "--"+pick(d.flags))
		case 3:
			args = append(args, "--"+pick(d.flags)+"="+pick(d.values))
		case 4:
			args = append(args, pick(d.values))
		case 5:
			args = append(args, "--"+pick(d.globals)+"="+pick(d.values))
		case 6:
			args = append(args, "--robot-"+pick(d.verbs)+"="+pick(d.values))
		case 7:
			args = append(args, pick(d.odd))
		case 8:
			n := min(next()%12, len(data))
			args = append(args, strings.ReplaceAll(string(data[:n]), "\x00", ""))
			data = data[n:]
		}
	}
	return args
}

// ownForms are the flags that change an answer's format from JSON.
var ownForms = []string{
	"--jq", "--go-template", "man", "toon", "terse", "markdown", "human", "help", "version", "-h",
	"completion", "-v",
}

func mustBehave(t *testing.T, args []string, got answer) {
	t.Helper()
	for _, sign := range []string{
		"goroutine ", `"error_code":"INTERNAL_ERROR"`, "error_code=INTERNAL_ERROR",
		"error_code: INTERNAL_ERROR",
	} {
		if strings.Contains(got.stdout+got.stderr, sign) {
			t.Fatalf("%q: %+v", args, got)
		}
	}
	if !knownStatus(got.status) {
		t.Errorf("%q: status %d", args, got.status)
	}
	if !strings.HasPrefix(got.stdout, "{") {
		if got.stdout != "" &&
			!slices.ContainsFunc(ownForms,
				func(form string) bool { return strings.Contains(strings.Join(args, " "), form) }) {
			t.Errorf("%q: no JSON: %.300q", args, got.stdout)
		}
		return
	}
	docs, err := documents(got.stdout)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	last, _ := docs[len(docs)-1].(map[string]any)
	if kind := last["type"]; len(docs) > 1 && kind != "end" && kind != "complete" {
		t.Errorf("%q: %d documents without an end: %s", args, len(docs), got.stdout)
	}
	if result, ok := last["result"].(map[string]any); ok && last["type"] == "complete" {
		last = result
	}
	good := last["success"] == true || last["ok"] == true
	if good != (got.status == 0) {
		t.Errorf("%q: status %d for %.300s", args, got.status, got.stdout)
	}
}

func knownStatus(status int) bool {
	return status == 0 || slices.ContainsFunc(core.Codes(),
		func(row core.CodeRow) bool { return status == row.Exit || status == row.Detailed })
}

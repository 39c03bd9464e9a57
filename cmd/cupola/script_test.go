package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"

	"cupola/core/bridge/bead/beadtest"
	"cupola/core/engine/enginetest"
)

// scriptCommands are the commands of scripts besides testscript's own commands.
//
//	exits N PROGRAM ARG...     run it; it must end with status N
//	onejson [stdout|stderr]    the last program wrote exactly one JSON document there
//	json EXPR [VALUE]          the jq expression over it gives VALUE, or true
//	lines EXPR [VALUE]         the same over the array of its NDJSON lines
//	validate VERB              it fits the schema that cupola gives for the verb
//	eventually EXPR PROGRAM..  run it again and again until EXPR is true of its answer
//	seen FILE REGEXP           wait until the file matches
//	tmux ARG...                run tmux on the script's own server
//	workitems DIR BIN          make DIR a project with work items and a history, and put bd into BIN
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits": scriptExits, "onejson": scriptOneJSON, "json": scriptJSON, "lines": scriptLines,
	"validate": scriptValidate, "eventually": scriptEventually, "seen": scriptSeen, "tmux": scriptTmux,
	"workitems": scriptWorkItems,
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got, write := scriptRun(ts, args[1:])
	write()
	if got.status != want {
		ts.Fatalf("exit status %d, not %d", got.status, want)
	}
}

// processes are the scripts in which each line is a process of the program as it is shipped: those about the process
// itself, such as its start, its streams and its end. In all others a process answers one line after another.
var processes = []string{
	"a_killed_pipeline_sends_nothing_twice", "a_killed_send_stays_on_record", "a_lost_server_comes_back_as_it_was",
	"agents_have_modes_and_profiles", "agents_run_in_sandboxes",
	"attach_says_how", "exit_status_says_how_it_failed", "from_spawn_to_kill", "no_server",
	"panes_have_the_callers_environment", "people_get_text", "progress_never_touches_the_answer",
	"robot_mode_is_chosen", "status_on_a_fresh_machine", "tmux_is_missing", "values_that_look_like_flags",
}

// scriptRun runs a program. Its output becomes the output of the script's command after write.
func scriptRun(ts *testscript.TestScript, words []string) (got answer, write func()) {
	m := ts.Value(machineKey{}).(*machine)
	if words[0] == "cupola" && m.variable != nil {
		of := call{Args: words[1:], Dir: ts.MkAbs("."), Environ: []string{"PWD=" + ts.MkAbs(".")}}
		for _, name := range m.variable {
			if value := ts.Getenv(name); value != "" {
				of.Environ = append(of.Environ, name+"="+value)
			}
		}
		got := m.have(of)
		return got, func() {
			fmt.Fprint(ts.Stdout(), got.stdout)
			fmt.Fprint(ts.Stderr(), got.stderr)
		}
	}
	if err := ts.Exec(words[0], words[1:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got.status = exit.ExitCode()
	}
	got.stdout, got.stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
	return got, func() {}
}

// scriptVariables are the names of the variables that a script has: those that it begins with, and those that it sets.
func scriptVariables(name string, begins []string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, pair := range begins {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	for _, set := range settings.FindAllSubmatch(text, -1) {
		names = append(names, string(set[1]))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// settings matches what sets a variable in a script.
var settings = regexp.MustCompile(`(?m)^env (\w+)=`)

func scriptOneJSON(ts *testscript.TestScript, neg bool, args []string) {
	where := "stdout"
	if len(args) > 0 {
		where = args[0]
	}
	_, err := oneDocument(ts.ReadFile(where))
	switch {
	case neg && err == nil:
		ts.Fatalf("%s is one JSON document", where)
	case !neg && err != nil:
		ts.Fatalf("%s: %v", where, err)
	}
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	doc, err := oneDocument(ts.ReadFile("stdout"))
	if err != nil {
		ts.Fatalf("stdout: %v", err)
	}
	expect(ts, neg, doc, args)
}

func scriptLines(ts *testscript.TestScript, neg bool, args []string) {
	docs, err := documents(ts.ReadFile("stdout"))
	if err != nil {
		ts.Fatalf("stdout: %v", err)
	}
	expect(ts, neg, docs, args)
}

func expect(ts *testscript.TestScript, neg bool, doc any, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json EXPR [VALUE]")
	}
	want := "true"
	if len(args) == 2 {
		want = args[1]
	}
	got, err := ask(args[0], doc)
	if err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	if (got == want) == neg {
		ts.Fatalf("%s is %s, wanted %s (not: %v)", args[0], got, want, neg)
	}
}

func scriptValidate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: validate VERB")
	}
	docs, err := documents(ts.ReadFile("stdout"))
	if err != nil {
		ts.Fatalf("stdout: %v", err)
	}
	schema, err := schemaOf(ts.Value(machineKey{}).(*machine), args[0])
	ts.Check(err)
	for _, doc := range docs {
		if err := schema.Validate(doc); err != nil {
			ts.Fatalf("%s: %v", args[0], err)
		}
	}
}

func scriptEventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually EXPR PROGRAM [ARG...]")
	}
	var last answer
	enginetest.Eventually(ts.Value(machineKey{}).(*machine).t, enginetest.Timeout, func() bool {
		got, write := scriptRun(ts, args[1:])
		last = got
		if got.status != 0 {
			return false
		}
		doc, err := oneDocument(got.stdout)
		if err != nil {
			return false
		}
		is, err := ask(args[0], doc)
		if err != nil || is != "true" {
			return false
		}
		write()
		return true
	}, func() string { return fmt.Sprintf("%s\nstdout: %s\nstderr: %s", args[0], last.stdout, last.stderr) })
}

func scriptSeen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: seen FILE REGEXP")
	}
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	var text []byte
	enginetest.Eventually(ts.Value(machineKey{}).(*machine).t, enginetest.Timeout, func() bool {
		text, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && want.Match(text)
	}, func() string { return fmt.Sprintf("%s in %s: %v\n%s", want, args[0], err, text) })
}

func scriptTmux(ts *testscript.TestScript, neg bool, args []string) {
	m := ts.Value(machineKey{}).(*machine)
	out, err := m.tmux.Try(args...)
	fmt.Fprintln(ts.Stdout(), out)
	if (err != nil) != neg {
		ts.Fatalf("tmux %q: %v", args, err)
	}
}

func scriptWorkItems(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: workitems DIR BIN")
	}
	t := ts.Value(machineKey{}).(*machine).t
	for _, dir := range args {
		ts.Check(os.MkdirAll(ts.MkAbs(dir), 0o700))
	}
	beadtest.Project(t, ts.MkAbs(args[0]))
	beadtest.Repository(t, ts.MkAbs(args[0]))
	beadtest.Install(t, ts.MkAbs(args[1]))
}

// oneDocument reads a text that must be one JSON document and nothing else.
func oneDocument(text string) (any, error) {
	docs, err := documents(text)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("%d JSON documents: %q", len(docs), text)
	}
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("no newline at the end of %q", text)
	}
	return docs[0], nil
}

// documents reads JSON documents that follow each other. Numbers stay exact.
func documents(text string) ([]any, error) {
	docs := []any{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for {
		var doc any
		err := decoder.Decode(&doc)
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, text)
		}
		docs = append(docs, doc)
	}
}

// ask evaluates a jq expression: strings are returned as they are, all else as
// JSON.
func ask(expression string, doc any) (string, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return "", err
	}
	value, ok := query.Run(doc).Next()
	if !ok {
		return "", errors.New("no result")
	}
	switch value := value.(type) {
	case error:
		return "", value
	case string:
		return value, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(value)
	return strings.TrimSpace(b.String()), err
}

// mustAsk is ask over an answer that must be one document.
func mustAsk(t testing.TB, expression string, a answer) string {
	t.Helper()
	doc, err := oneDocument(a.stdout)
	if err == nil {
		var got string
		if got, err = ask(expression, doc); err == nil {
			return got
		}
	}
	t.Fatalf("%s: %v\nstdout: %s\nstderr: %s", expression, err, a.stdout, a.stderr)
	return ""
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core/fleet"
	"cupola/robot/command"
	"cupola/robot/registry"
)

func TestProgressIsToldOnlyOfWhatTakesLong(t *testing.T) {
	var out bytes.Buffer
	started := time.Unix(1000, 0)
	now := started
	r := &reporter{started: started, now: func() time.Time { return now }, write: lines(&out)}
	for _, after := range []time.Duration{0, 500 * time.Millisecond, patience - 1} {
		now = started.Add(after)
		r.report(fleet.Progress{Phase: "create", Percent: 10, Message: "early"})
	}
	if out.Len() > 0 || r.told {
		t.Fatalf("told before a second: %q", &out)
	}
	now = started.Add(patience)
	r.report(fleet.Progress{Phase: "ready", Percent: -1, Message: `1 of "2"`})
	now = started.Add(2 * patience)
	r.report(fleet.Progress{Phase: "ready", Percent: 100})
	want := `{"type":"progress","phase":"ready","percent":-1,"message":"1 of \"2\""}` + "\n" +
		`{"type":"progress","phase":"ready","percent":100,"message":""}` + "\n"
	if out.String() != want || !r.told {
		t.Errorf("got %s\nwant %s", &out, want)
	}
}

func TestProgressGoesWhereItWasAskedFor(t *testing.T) {
	for _, test := range []struct {
		why            string
		robotic        bool
		globals        registry.Globals
		stdout, stderr bool
	}{
		{"a program", true, registry.Globals{}, false, true},
		{"a program that reads it with the answer", true, registry.Globals{Progress: "stdout"}, true, false},
		{"a program that says so", true, registry.Globals{Progress: "stderr"}, false, true},
		{"nobody", true, registry.Globals{Progress: "off"}, false, false},
		{"quiet", true, registry.Globals{Quiet: true}, false, false},
		{"a person without a terminal", false, registry.Globals{}, false, false},
	} {
		p := testProgram(t, nil)
		p.robotic, p.inv = test.robotic, &invocation{globals: test.globals}
		if report := p.progress(); report != nil {
			report(fleet.Progress{Phase: "x"})
		}
		p.clearProgress()
		if got := written(t, p.Stdout); (got != "") != test.stdout {
			t.Errorf("%s: standard output got %q", test.why, got)
		}
		if got := written(t, p.Stderr); (got != "") != test.stderr {
			t.Errorf("%s: standard error got %q", test.why, got)
		}
	}
}

func TestPeopleSeeOneLineThatIsOverwrittenAndRemoved(t *testing.T) {
	var out bytes.Buffer
	p := testProgram(t, nil)
	p.reporter = &reporter{started: p.started, now: time.Now, write: overwritten(&out)}
	p.clearProgress()
	if got := written(t, p.Stderr); got != "" {
		t.Errorf("removed what was never shown: %q", got)
	}
	p.reporter.report(fleet.Progress{Phase: "ready", Message: "1 of 2"})
	if out.String() != "\r\x1b[Kready: 1 of 2" {
		t.Errorf("got %q", &out)
	}
	p.clearProgress()
	if got := written(t, p.Stderr); got != "\r\x1b[K" {
		t.Errorf("got %q", got)
	}
}

// testProgram is a program that began long ago and whose output goes to files.
func testProgram(t *testing.T, env map[string]string, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	getenv := func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return map[string]string{"HOME": dir}[name]
	}
	return &program{
		Options: Options{Version: "1.2.3", Args: args, Stdin: file("in"), Stdout: file("out"), Stderr: file("err"), Getenv: getenv},
		catalog: command.Catalog(), inv: &invocation{}, started: time.Now().Add(-time.Hour),
	}
}

// written returns what a file holds.
func written(t *testing.T, f *os.File) string {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

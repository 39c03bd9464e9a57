package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/theme"
)

// said is a report that is made some times, a while apart; an empty one is a pause of
// the reporter.
type said struct {
	times   int
	apart   time.Duration
	message string
}

// follow reports under a clock of its own, and returns the lines that were written and after
// how long each was. The message "#" means a number that counts.
func follow(t *testing.T, reports ...said) []string {
	t.Helper()
	lines := []string{}
	synctest.Test(t, func(*testing.T) {
		started := time.Now()
		r := &reporter{started: started, every: lineEvery, write: func(at core.Progress) {
			lines = append(lines, fmt.Sprintf("%s %s", time.Since(started), at.Message))
		}}
		for _, said := range reports {
			for i := range said.times {
				switch said.message {
				case "":
					r.pause()
				case "#":
					r.report(core.Progress{Phase: "wait", Message: strconv.Itoa(i)})
				default:
					r.report(core.Progress{Phase: "wait", Message: said.message})
				}
				time.Sleep(said.apart)
			}
		}
		r.pause()
	})
	return lines
}

func TestProgressReportsChangesAndEveryMinute(t *testing.T) {
	const moment = 100 * time.Millisecond
	for why, c := range map[string]struct {
		reports []said
		want    []string
	}{
		"what ends at once":            {[]said{{9, reportAfter / 10, "early"}}, []string{}},
		"the same many times a second": {[]said{{450, moment, "0 of 2"}}, []string{"1s 0 of 2"}},
		"a change while nothing else is said": {
			[]said{{1, 10 * time.Second, "0 of 2"}, {1, 10 * time.Second, "1 of 2"}},
			[]string{"1s 0 of 2", "10s 1 of 2"},
		},
		"nothing new for minutes": {
			[]said{{1, 170 * time.Second, "0 of 2"}}, []string{"1s 0 of 2", "1m1s 0 of 2", "2m1s 0 of 2"},
		},
		"changes many times a second": {[]said{{20, 170 * time.Millisecond, "#"}}, []string{"1s 5", "2s 11", "3s 17"}},
		"a change and back": {
			[]said{{1, 11 * moment, "0 of 2"}, {1, 0, "1 of 2"}, {1, 30 * time.Second, "0 of 2"}},
			[]string{"1s 0 of 2"},
		},
		"while something else is written": {
			[]said{{1, 0, "0 of 2"}, {1, 5 * time.Minute, ""}, {1, 0, "1 of 2"}}, []string{"5m0s 1 of 2"},
		},
	} {
		if got := follow(t, c.reports...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", why, got, c.want)
		}
	}
}

func TestNothingIsWrittenOverADashboard(t *testing.T) {
	var out bytes.Buffer
	r := overwritten(&out, plainTheme, func() int { return 80 })
	r.report(core.Progress{Phase: "read", Message: "1 of 2"})
	r.silence()
	shown := out.Len()
	r.report(core.Progress{Phase: "read", Message: "2 of 2"})
	if out.Len() != shown || !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("got %q", &out)
	}
}

func TestProgressForProgramsIsALineOfJSON(t *testing.T) {
	var out bytes.Buffer
	lines(&out)(core.Progress{Phase: "ready", Percent: -1, Message: `1 of "2"`})
	if want := `{"type":"progress","phase":"ready","percent":-1,"message":"1 of \"2\""}` + "\n"; out.String() != want {
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
		{"off", true, registry.Globals{Progress: "off"}, false, false},
		{"quiet", true, registry.Globals{Quiet: true}, false, false},
		{"a person without a terminal", false, registry.Globals{}, false, false},
	} {
		p := testProgram(t, nil)
		p.line.robotic, p.line.globals = test.robotic, test.globals
		r := p.out.newReporter()
		if r != nil {
			r.report(core.Progress{Phase: "x"})
		}
		r.pause()
		if got := written(t, p.Stdout); (got != "") != test.stdout {
			t.Errorf("%s: standard output got %q", test.why, got)
		}
		if got := written(t, p.Stderr); (got != "") != test.stderr {
			t.Errorf("%s: standard error got %q", test.why, got)
		}
	}
}

func TestProgressLinesOnTerminalNeedFlag(t *testing.T) {
	for _, test := range []struct {
		why     string
		robotic bool
		where   string
		want    string
	}{
		{"an answer for people", false, "", "\r\x1b[K⠋ ready: 1 of 2  1h\r\x1b[K"},
		{"an answer for programs that goes elsewhere", true, "", "\r\x1b[K⠋ ready: 1 of 2  1h\r\x1b[K"},
		{"an answer for people, whatever was asked for", false, "stderr", "\r\x1b[K⠋ ready: 1 of 2  1h\r\x1b[K"},
		{
			"lines that were asked for", true, "stderr",
			`{"type":"progress","phase":"ready","percent":50,"message":"1 of 2"}` + "\r\n",
		},
	} {
		display, end, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		p := testProgram(t, map[string]string{"TERM": "xterm", "NO_COLOR": "1"})
		_ = p.settle()
		p.line.robotic, p.line.globals.Progress, p.Stderr = test.robotic, test.where, end
		r := p.out.newReporter()
		r.report(core.Progress{Phase: "ready", Percent: 50, Message: "1 of 2"})
		r.pause()
		got := make([]byte, len(test.want))
		if _, err := io.ReadFull(display, got); err != nil || string(got) != test.want {
			t.Errorf("%s: got %q, %v", test.why, got, err)
		}
		if err := errors.Join(end.Close(), display.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestNoSpinnerTurnsWhereNoLineCanBeOverwritten(t *testing.T) {
	display, end, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer display.Close()
	defer end.Close()
	for _, env := range []map[string]string{{}, {"TERM": "dumb"}, {"TERM": "xterm", "CI": "true"}} {
		p := testProgram(t, env)
		if p.Stderr = end; p.out.newReporter() != nil {
			t.Errorf("with %q a person sees a spinner", env)
		}
	}
}

func TestASpinnerTurnsUntilItIsCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := overwritten(&out, plainTheme, func() int { return 80 })
		r.started = time.Now()
		shown := func() string {
			r.mu.Lock()
			defer r.mu.Unlock()
			return out.String()
		}
		r.report(core.Progress{Phase: "relay", Message: "claude thinking"})
		time.Sleep(spinAfter - time.Millisecond)
		if early := shown(); early != "" {
			t.Errorf("too early: %q", early)
		}
		time.Sleep(time.Second)
		r.pause()
		before := shown()
		time.Sleep(time.Second)
		if turns := strings.Count(before, "claude thinking"); turns < 8 || shown() != before ||
			!strings.HasSuffix(before, "\r\x1b[K") {
			t.Errorf("%d turns: %q", turns, before)
		}
	})
}

func TestProgressForPeopleIsOneLine(t *testing.T) {
	var out bytes.Buffer
	r := overwritten(&out, plainTheme, func() int { return 12 })
	r.pause()
	if out.Len() > 0 {
		t.Errorf("removed what was never shown: %q", &out)
	}
	answer := pausing{&out, r}
	r.report(core.Progress{Phase: "ready", Message: "1 of 2"})
	fmt.Fprint(answer, "done")
	fmt.Fprint(answer, "\n")
	if want := "\r\x1b[K⠋ ready: …\r\x1b[Kdone\n"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
}

// streams are the files that programs of a test read and write, in a home of their own.
type streams struct {
	home         string
	in, out, err *os.File
}

func newStreams(t *testing.T) *streams {
	t.Helper()
	s := &streams{home: t.TempDir()}
	for name, file := range map[string]**os.File{"in": &s.in, "out": &s.out, "err": &s.err} {
		f, err := os.Create(filepath.Join(s.home, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		*file = f
	}
	return s
}

// allVerbs is the catalog of every program of these tests: its verbs are looked at once.
var allVerbs = sync.OnceValue(catalog.All)

// program is one that began long ago, and writes where the one before it did, which is gone.
func (s *streams) program(t *testing.T, env map[string]string, args ...string) *program {
	t.Helper()
	for _, file := range []*os.File{s.in, s.out, s.err} {
		_, err := file.Seek(0, io.SeekStart)
		if err := errors.Join(err, file.Truncate(0)); err != nil {
			t.Fatal(err)
		}
	}
	getenv := func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return map[string]string{"HOME": s.home}[name]
	}
	p := newProgram(&Options{
		Version: "1.2.3", Args: args, Stdin: s.in, Stdout: s.out, Stderr: s.err, Getenv: getenv,
	}, nil, allVerbs())
	p.out.started = time.Now().Add(-time.Hour)
	return p
}

// testProgram is a program with streams of its own.
func testProgram(t *testing.T, env map[string]string, args ...string) *program {
	t.Helper()
	return newStreams(t).program(t, env, args...)
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

// plainTheme is without colour.
func plainTheme() *theme.Theme { return theme.New(theme.Options{}) }

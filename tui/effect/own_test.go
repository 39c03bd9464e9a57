package effect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/tui/intent"
)

// toEnd follows an own command to its end.
func toEnd(t *testing.T, e *Effects, w intent.RunOwn) OwnOutput {
	t.Helper()
	for {
		out, is := e.Do(w)().(OwnOutput)
		if !is {
			t.Fatal("there is no output")
		}
		if out.Ended {
			return out
		}
		w.More = true
	}
}

func TestAnOwnCommandTakesHostileFieldsAsData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `a 'b" $(x)`)
	if err := os.MkdirAll(filepath.Join(dir, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := &Effects{ctx: t.Context(), owns: owns{environ: []string{"PATH=" + os.Getenv("PATH"), "CUPOLA_ROW_KIND=old"}}}
	values := map[string]string{"branch": "$(rm -rf x); `rm -rf x`", "dir": dir, "session": "-n 'x\ny"}
	for id, own := range []config.OwnCommand{
		{Run: []string{"printf", "%s|%s|%s\n", "{branch}", "{dir}", "{session}"}},
		{
			Shell: true,
			Run:   []string{`printf "%s|%s|%s\n" "$CUPOLA_ROW_BRANCH" "$CUPOLA_ROW_DIR" "$CUPOLA_ROW_SESSION$CUPOLA_ROW_KIND"`},
		},
	} {
		argv, _ := own.Filled(values)
		out := toEnd(t, e, intent.RunOwn{ID: id + 1, Argv: argv, Dir: dir, Fields: config.RowEnviron(values)})
		want := strings.Join([]string{values["branch"], dir, values["session"]}, "|") + "\n"
		if out.Text != want || out.Err != nil || out.End.Exit != 0 {
			t.Errorf("it printed %q, not %q: %+v", out.Text, want, out)
		}
	}
	out := toEnd(t, e, intent.RunOwn{ID: 9, Argv: []string{"sh", "-c", "pwd; echo no >&2; exit 3"}, Dir: dir})
	if out.Text != dir+"\nno\n" || out.End.Exit != 3 {
		t.Errorf("in its folder: %+v", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
		t.Error(err)
	}
	out = toEnd(t, e, intent.RunOwn{ID: 10, Argv: []string{"no-such-program"}, Dir: dir})
	if out.End.Exit != 127 || !strings.Contains(out.Text, "no-such-program") {
		t.Errorf("a program that is not there: %+v", out)
	}
	if out = toEnd(t, e, intent.RunOwn{ID: 11, Argv: []string{"pwd"}, Dir: dir + "/gone"}); out.Err == nil {
		t.Errorf("a folder that is not there: %+v", out)
	}
	if len(e.owns.running) > 0 {
		t.Error("what has ended is kept")
	}
}

func TestAnOwnCommandIsStoppedWithAllThatItStarted(t *testing.T) {
	e := &Effects{ctx: t.Context(), owns: owns{environ: os.Environ()}}
	mark := filepath.Join(t.TempDir(), "mark")
	w := intent.RunOwn{ID: 1, Dir: t.TempDir(), Argv: []string{
		"sh", "-c", fmt.Sprintf("(sleep 3; touch %s) & echo $!; sleep 60", mark),
	}}
	out, is := e.Do(w)().(OwnOutput)
	if !is || out.Ended || out.Text == "" {
		t.Fatalf("while it runs: %+v", out)
	}
	began := time.Now()
	if e.Do(intent.RunOwn{ID: 1, Stop: true})() != nil {
		t.Error("to stop has an answer")
	}
	w.More = true
	if out = toEnd(t, e, w); !out.Stopped || time.Since(began) > 2900*time.Millisecond {
		t.Errorf("it was stopped after %s: %+v", time.Since(began), out)
	}
	_ = core.Sleep(t.Context(), time.Until(began.Add(3300*time.Millisecond)))
	if _, err := os.Stat(mark); err == nil {
		t.Error("what it started went on")
	}
}

func TestAnOwnCommandEndsWithTheDashboard(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	e := &Effects{ctx: ctx, owns: owns{environ: os.Environ()}}
	w := intent.RunOwn{ID: 1, Dir: t.TempDir(), Argv: []string{"sh", "-c", "echo on; sleep 60"}}
	e.Do(w)()
	leave()
	began := time.Now()
	e.acts.close()
	if time.Since(began) > 5*time.Second {
		t.Error("it was waited for")
	}
	w.ID = 2
	if e.Do(w)() != nil {
		t.Error("one begins after the end")
	}
}

func TestOnlyTheEndOfMuchOutputIsKept(t *testing.T) {
	e := &Effects{ctx: t.Context(), owns: owns{environ: os.Environ()}}
	out := toEnd(t, e, intent.RunOwn{ID: 1, Dir: t.TempDir(), Argv: []string{"seq", "1", "400000"}})
	if !strings.HasSuffix(out.Text, "\n400000\n") || len(out.Text) > mostOwn || len(out.Text) < mostOwn-10 {
		t.Errorf("%d bytes are kept, to %q", len(out.Text), out.Text[max(0, len(out.Text)-20):])
	}
	if first, _, _ := strings.Cut(out.Text, "\n"); len(first) != 6 || out.Left+len(out.Text) != 2688895 {
		t.Errorf("it begins with %q, %d of %d bytes", first, len(out.Text), out.Left)
	}
}

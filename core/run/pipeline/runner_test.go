package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// fakeVerbs is a set of verbs that only remember: look reads, send sends a prompt,
// make writes.
type fakeVerbs struct {
	calls []string
	// fail says how calls fail, by the text of their argument x: once each time it
	// is named.
	fail map[string][]error
	// during, if not nil, runs within a call.
	during  func(ctx context.Context, call *Call) error
	outcome Outcome
	ids     int
}

func (d *fakeVerbs) Check(call *Call, whole map[string]bool) []CallError {
	if verbs := []string{"look", "send", "make"}; !slices.Contains(verbs, call.Verb) {
		return []CallError{{"verb", unknown("no verb is named "+call.Verb, call.Verb, verbs)}}
	}
	var wrong []CallError
	for _, name := range slices.Sorted(maps.Keys(call.Args)) {
		if name != "x" && name != "session" {
			wrong = append(wrong,
				CallError{"args." + name, unknown("no argument is named "+name, name, []string{"x", "session"})})
		}
	}
	if n, is := call.Args["x"].(int64); is && whole["x"] {
		wrong = append(wrong, CallError{"args.x", core.Errorf(core.InvalidInput, "x is %d", n)})
	}
	return wrong
}

func (d *fakeVerbs) Fields(string) []string { return []string{"text"} }

func (d *fakeVerbs) Reads(verb string) bool { return verb == "look" }

func (d *fakeVerbs) PromptID(verb string) string {
	if verb != "send" {
		return ""
	}
	d.ids++
	return fmt.Sprint("p", d.ids)
}

func (d *fakeVerbs) Call(ctx context.Context, call *Call) (Answer, error) {
	x := fmt.Sprint(call.Args["x"])
	d.calls = append(d.calls, call.Verb+" "+x)
	if d.during != nil {
		if err := d.during(ctx, call); err != nil {
			return nil, err
		}
	}
	if errs := d.fail[x]; len(errs) > 0 {
		d.fail[x] = errs[1:]
		if errs[0] != nil {
			return nil, errs[0]
		}
	}
	return Answer{"text": "saw " + x}, nil
}

func (d *fakeVerbs) Again(_ string, err error) bool {
	return !core.AsError(err).HasCode(core.DeliveryFailed)
}

func (d *fakeVerbs) BackendIn(verb string) string {
	if verb == "make" {
		return "x"
	}
	return ""
}

func (d *fakeVerbs) Outcome(context.Context, *Call) (Outcome, Answer, error) {
	return d.outcome, Answer{"text": "on record"}, nil
}

// start puts a run of a pipeline on record.
func start(t *testing.T, d *fakeVerbs, text string) (*Runner, string) {
	t.Helper()
	text = "name = \"nightly\"\n" + text
	p, err := Load("/src/nightly.toml", text, d, "api", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Directory: DirectoryIn(t.TempDir(), nil, 0), Verbs: d, Now: func() time.Time { return noon }}
	run := &Run{File: "/src/nightly.toml", Text: text, Session: "api"}
	if err := New(r.Directory, p, run, noon); err != nil {
		t.Fatal(err)
	}
	return r, run.ID
}

// told returns a run in words: its state, and the states of its steps.
func told(run *Run) string {
	words := []string{string(run.State) + ":"}
	for _, s := range run.Steps {
		words = append(words, s.Name+" "+string(s.State))
	}
	return strings.Join(words, " ")
}

func step(name, verb, x string, more ...string) string {
	return fmt.Sprintf("[[step]]\nname = %q\nverb = %q\nargs = {x = %q}\n%s\n", name, verb, x, strings.Join(more, "\n"))
}

func TestAnswersGoFromStepToStep(t *testing.T) {
	d := &fakeVerbs{}
	r, id := start(t, d, "[vars]\nv = \"1\"\n"+step("b", "make", "${steps.a.text}, ${steps.a.state}")+
		step("a", "look", "${vars.v} in ${session}"))
	run, err := r.Run(t.Context(), id)
	if err != nil || told(run) != "done: a done b done" {
		t.Fatalf("%s, %v", told(run), err)
	}
	if want := []string{"look 1 in api", "make saw 1 in api, done"}; !slices.Equal(d.calls, want) {
		t.Errorf("got %q, want %q", d.calls, want)
	}
	if _, err := r.Run(t.Context(), id); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("a run that is done runs again: %v", err)
	}
	kept, err := r.Directory.Find("nightly")
	if err != nil || kept.ID != id || kept.Steps[1].Answer["text"] != "saw saw 1 in api, done" ||
		kept.PID != os.Getpid() {
		t.Errorf("got %+v, %v", kept, err)
	}
}

func TestFailuresDecideWhatRuns(t *testing.T) {
	bad := core.Errorf(core.NotReady, "not now")
	for _, test := range []struct{ why, text, want string }{
		{"it stops", step("a", "make", "bad") + step("b", "look", "x"), "failed: a failed b skipped"},
		{
			"it goes on", step("a", "make", "bad", `on_error = "continue"`) + step("b", "look", "x"),
			"done: a failed b done",
		},
		{
			"who needs it is skipped",
			step("a", "make", "bad", `on_error = "continue"`) + step("b", "look", "x", `needs = ["a"]`) +
				step("c", "look", "x", `needs = ["b"]`), "done: a failed b skipped c skipped",
		},
		{
			"a step that asks for it runs",
			step("a", "make", "bad") + step("b", "look", "${steps.a.error_code}", `when = "failure"`) +
				step("c", "look", "x", `when = "always"`),
			"failed: a failed b done c done",
		},
		{
			"no step asks for it",
			step("a", "make", "x") + step("b", "look", "x", `when = "failure"`) +
				step("c", "look", "x", `when = "failure"`, `needs = ["a"]`), "done: a done b skipped c skipped",
		},
		{
			"it is tried again", step("a", "make", "bad", "retries = 1", `pause = "1ms"`) + step("b", "look", "x"),
			"done: a done b done",
		},
	} {
		d := &fakeVerbs{fail: map[string][]error{"bad": {bad}}}
		r, id := start(t, d, test.text)
		run, err := r.Run(t.Context(), id)
		if told(run) != test.want || (err != nil) != (run.State == Failed) {
			t.Errorf("%s: %s, %v", test.why, told(run), err)
		}
		if err != nil && (!core.AsError(err).HasCode(core.NotReady) ||
			!strings.HasPrefix(err.Error(), "step a: not now")) {
			t.Errorf("%s: %v", test.why, err)
		}
	}
}

func TestAPromptThatMayHaveArrivedIsNotTriedAgain(t *testing.T) {
	d := &fakeVerbs{fail: map[string][]error{"x": {core.Errorf(core.DeliveryFailed, "unconfirmed"), nil}}}
	r, id := start(t, d, step("a", "send", "x", "retries = 3"))
	if run, err := r.Run(t.Context(), id); err == nil || len(d.calls) != 1 || run.Steps[0].Attempts != 1 ||
		run.Steps[0].Prompt != "p1" {
		t.Errorf("%q, %v", d.calls, err)
	}
}

func TestATryTakesNoLongerThanItMay(t *testing.T) {
	d := &fakeVerbs{during: func(ctx context.Context, _ *Call) error { <-ctx.Done(); return ctx.Err() }}
	r, id := start(t, d, step("a", "look", "x", `timeout = "5ms"`, "retries = 1"))
	run, err := r.Run(t.Context(), id)
	if !core.AsError(err).HasCode(core.Timeout) || run.State != Failed || run.Steps[0].Attempts != 2 {
		t.Errorf("%s, %v", told(run), err)
	}
}

// cutOff is a run whose process was killed while a step ran.
func cutOff(t *testing.T, d *fakeVerbs, verb string, more ...string) (*Runner, string) {
	t.Helper()
	r, id := start(t, d, step("a", "make", "1")+step("b", verb, "2", more...)+
		step("c", "look", "${steps.b.text}", `when = "always"`))
	run, err := r.Directory.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	run.State = Running
	run.Steps[0].State, run.Steps[0].Answer = Succeeded, Answer{"text": "x"}
	run.Steps[1].State, run.Steps[1].Attempts = Running, 1
	if verb == "send" {
		run.Steps[1].Prompt = "p1"
	}
	if err := r.Directory.Save(run); err != nil {
		t.Fatal(err)
	}
	if now, err := r.Directory.Find(id); err != nil || now.State != Interrupted {
		t.Fatalf("%+v, %v", now, err)
	}
	return r, id
}

func TestInterruptedStepIsNotBlindlyRepeated(t *testing.T) {
	for _, test := range []struct {
		why, verb string
		outcome   Outcome
		rule      Rule
		more      string
		calls     []string
		want      string
	}{
		{"one that reads", "look", Open, Halt, "", []string{"look 2", "look saw 2"}, "done: a done b done c done"},
		{
			"one that says that it may be", "make", Open, Halt, "repeatable = true",
			[]string{"make 2", "look saw 2"},
			"done: a done b done c done",
		},
		{"one that writes", "make", Open, Halt, "", nil, "interrupted: a done b interrupted c pending"},
		{
			"one that is to be repeated", "make", Open, Repeat, "",
			[]string{"make 2", "look saw 2"},
			"done: a done b done c done",
		},
		// Its answer is unknown, too, so steps that use it fail.
		{"one that was done, they say", "make", Open, Assume, "", nil, "failed: a done b done c failed"},
		{
			"a prompt that was delivered", "send", Done, Halt, "",
			[]string{"look on record"},
			"done: a done b done c done",
		},
		{
			"a prompt that was not typed", "send", Undone, Halt, "",
			[]string{"send 2", "look saw 2"},
			"done: a done b done c done",
		},
		{"an unknown outcome", "send", Open, Halt, "", nil, "interrupted: a done b interrupted c pending"},
	} {
		d := &fakeVerbs{outcome: test.outcome}
		r, id := cutOff(t, d, test.verb, test.more)
		r.Interrupted = test.rule
		run, err := r.Run(t.Context(), id)
		if told(run) != test.want || !slices.Equal(d.calls, test.calls) {
			t.Errorf("%s: %s, %q, %v", test.why, told(run), d.calls, err)
		}
		if run.State != Interrupted {
			continue
		}
		if e := core.AsError(err); !e.HasCode(core.Conflict) || !slices.Contains(e.Remedies, core.RemedyResumeSteps) ||
			e.Subject.Run != id ||
			!strings.Contains(e.Message, "step b") {
			t.Errorf("%s: %v", test.why, err)
		}
		r.Interrupted = Repeat
		if run, err := r.Run(t.Context(), id); err != nil || run.State != Succeeded {
			t.Errorf("%s, and then repeated: %s, %v", test.why, told(run), err)
		}
	}
}

func TestAFailedRunGoesOnWhereItFailed(t *testing.T) {
	d := &fakeVerbs{fail: map[string][]error{"bad": {core.Errorf(core.NotReady, "not now")}}}
	r, id := start(t, d, step("a", "make", "1")+step("b", "make", "bad")+step("c", "look", "3"))
	if run, err := r.Run(t.Context(), id); err == nil || told(run) != "failed: a done b failed c skipped" {
		t.Fatalf("%s, %v", told(run), err)
	}
	run, err := r.Run(t.Context(), id)
	if err != nil || told(run) != "done: a done b done c done" ||
		!slices.Equal(d.calls, []string{"make 1", "make bad", "make bad", "look 3"}) {
		t.Errorf("%s, %q, %v", told(run), d.calls, err)
	}
}

func TestAnyProcessCancelsARun(t *testing.T) {
	d := &fakeVerbs{}
	started := make(chan struct{})
	d.during = func(ctx context.Context, call *Call) error {
		if call.Args["x"] != "slow" {
			return nil
		}
		close(started)
		<-ctx.Done()
		return ctx.Err()
	}
	r, id := start(t, d, step("a", "make", "1")+step("b", "make", "slow")+step("c", "look", "3"))
	ended := make(chan error)
	go func() {
		_, err := r.Run(t.Context(), id)
		ended <- err
	}()
	<-started
	if now, err := r.Directory.Find(id); err != nil || now.State != Running {
		t.Errorf("%+v, %v", now, err)
	}
	if _, _, err := r.Directory.Take(t.Context(), id); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("two run it: %v", err)
	}
	run, err := r.Directory.Cancel(t.Context(), id)
	if err != nil || told(run) != "cancelled: a done b interrupted c pending" {
		t.Errorf("%s, %v", told(run), err)
	}
	if err := <-ended; !core.AsError(err).HasCode(core.Cancelled) {
		t.Errorf("the run ends with %v", err)
	}
	if _, err := r.Directory.Cancel(t.Context(), id); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("it is cancelled twice: %v", err)
	}
}

func TestUndoneStepIsNotInDoubtIfItsPauseIsCancelled(t *testing.T) {
	d := &fakeVerbs{fail: map[string][]error{"bad": {core.Errorf(core.NotReady, "not now")}}}
	r, id := start(t, d, step("a", "make", "bad", "retries = 1", `pause = "1h"`))
	ctx, cancel := context.WithCancel(t.Context())
	r.Verbs = refused{d, cancel}
	if run, err := r.Run(ctx, id); !errors.Is(err, context.Canceled) || told(run) != "cancelled: a failed" {
		t.Fatalf("%s, %v", told(run), err)
	}
	if run, err := r.Run(t.Context(), id); err != nil || told(run) != "done: a done" {
		t.Errorf("taken up again: %s, %v", told(run), err)
	}
}

// refused is fakeVerbs whose calls have no effect, and another process cancels
// the run then.
type refused struct {
	*fakeVerbs
	cancel func()
}

func (r refused) Again(verb string, err error) bool {
	defer r.cancel()
	return r.fakeVerbs.Again(verb, err)
}

func TestRunThatEndsDuringAReadIsNotInterrupted(t *testing.T) {
	for range 50 {
		r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
		ended := make(chan error, 1)
		go func() {
			_, err := r.Run(context.WithoutCancel(t.Context()), id)
			ended <- err
		}()
		for started := false; ; {
			run, err := r.Directory.Load(id)
			if err != nil {
				t.Fatal(err)
			}
			if started && run.State == Interrupted {
				t.Fatal("it is called interrupted")
			}
			started = started || run.State == Running
			if run.State == Succeeded {
				break
			}
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunWithoutAProcessIsCancelledOnRecord(t *testing.T) {
	r, id := cutOff(t, &fakeVerbs{}, "make")
	if run, err := r.Directory.Cancel(t.Context(), id); err != nil ||
		told(run) != "cancelled: a done b interrupted c pending" {
		t.Errorf("%s, %v", told(run), err)
	}
}

func TestAPipelineIsCheckedWholeBeforeItRuns(t *testing.T) {
	for _, test := range []struct{ why, text, says, near string }{
		{"a verb", step("a", "lok", "x"), "step a: no verb is named lok", "look"},
		{
			"an argument", "[[step]]\nname = \"a\"\nverb = \"look\"\nargs = {xx = 1}\n",
			"step a: no argument is named xx", "x",
		},
		{"a value", "[[step]]\nname = \"a\"\nverb = \"look\"\nargs = {x = 1}\n", "step a: x is 1", ""},
		{
			"a variable", "[vars]\ngoal = \"x\"\n" + step("a", "look", "${vars.gaol}"),
			"step a: x: ${vars.gaol} has no value", "goal",
		},
		{
			"a field", step("a", "look", "x") + step("b", "look", "${steps.a.txet}"),
			"step b: x: ${steps.a.txet}: look answers no \"txet\"", "text",
		},
	} {
		_, err := Load("p.toml", test.text, &fakeVerbs{}, "api", nil)
		e := core.AsError(err)
		if !e.HasCode(core.InvalidInput) || !strings.Contains(e.Message, test.says) ||
			test.near != "" && !slices.Contains(e.Suggestions, test.near) {
			t.Errorf("%s: got %v, %q", test.why, err, e.Suggestions)
		}
	}
	_, err := Load("p.toml", "[vars]\ngoal = \"x\"\n"+step("a", "look", "${vars.other}"), &fakeVerbs{}, "api",
		map[string]string{"gaol": "y", "other": "z"})
	if e := core.AsError(err); !e.HasCode(core.InvalidInput) || !slices.Equal(e.Suggestions, []string{"goal"}) {
		t.Errorf("got %v", err)
	}
}

func TestAllThatIsWrongIsReportedAtOnceWithItsLine(t *testing.T) {
	text := `[vars]
goal = "x"
[[step]]
name = "a"
verb = "lok"
neds = ["b"]
retries = "3"
[[step]]
name = "b"
verb = "look"
needs = ["zz", "c"]
[step.args]
x = "${vars.gaol} ${steps.q.text} ${var.x}"
xx = "1"
[[step]]
name = "c"
verb = "look"
args = [{x = "1"}]
needs = ["b"]
when = "later"
[[step]]
name = "d"
verb = "look"
args = {x = "${session} ${steps.b.txet}"}
`
	_, err := Load("p.toml", text, &fakeVerbs{}, "", map[string]string{"gaal": "y"})
	e := core.AsError(err)
	told, is := e.Details.(Faults)
	if !is || !e.HasCode(core.ConfigInvalid) ||
		!strings.HasPrefix(e.Message, "p.toml: 14 things are wrong; the first: ") {
		t.Fatalf("got %v, %+v", err, e.Details)
	}
	var got []string
	for _, f := range told.Faults {
		got = append(got, fmt.Sprintf("%d %s %s %s %v", f.Line, f.Step, f.Code, f.Message, f.Suggestions))
	}
	for i, want := range []string{
		"0  INVALID_INPUT the pipeline has no variable \"gaal\" [gaol goal]",
		"5 a INVALID_INPUT no verb is named lok [look]",
		"6 a CONFIG_INVALID unknown key step.neds [needs]",
		"7 a CONFIG_INVALID step.retries is a text; it must be a whole number []",
		"8  CONFIG_INVALID steps wait for each other: b needs c needs b []",
		"11 b CONFIG_INVALID it needs \"zz\", and no step has that name []",
		"13 b CONFIG_INVALID x: ${var.x} means nothing",
		"13 b CONFIG_INVALID x: it refers to ${steps.q.text}, and no step is named \"q\"",
		"13 b INVALID_INPUT x: ${vars.gaol} has no value",
		"14 b INVALID_INPUT no argument is named xx [x]",
		"18 c CONFIG_INVALID step.args is a list; it must be a section []",
		"20 c CONFIG_INVALID when is \"later\"; it must be success, failure, always []",
		"24 d INVALID_INPUT x: ${session} has no value",
		"24 d INVALID_INPUT x: ${steps.b.txet}: look answers no \"txet\" [text]",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("fault %d: want %s in %s", i, want, strings.Join(got, "\n"))
		}
	}
}

func TestRunsThatAreNotThereHaveNearMisses(t *testing.T) {
	r, id := start(t, &fakeVerbs{}, step("a", "look", "x"))
	if err := os.MkdirAll(filepath.Join(r.Directory.Dir, "broken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if all, err := r.Directory.All(); err != nil || len(all) != 1 || all[0].ID != id {
		t.Errorf("got %+v, %v", all, err)
	}
	_, err := r.Directory.Find("nihgtly")
	if e := core.AsError(err); !e.HasCode(core.NotFound) || !slices.Contains(e.Suggestions, "nightly") {
		t.Errorf("got %v", err)
	}
	all, err := DirectoryIn(filepath.Join(r.Directory.Dir, "none"), nil, 0).All()
	if err != nil || all == nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestAStepIsOnDiskBeforeItBegins(t *testing.T) {
	d := &fakeVerbs{}
	r, id := start(t, d, step("a", "send", "x"))
	d.during = func(context.Context, *Call) error {
		kept, err := r.Directory.Load(id)
		if err != nil || kept.Steps[0].State != Running || kept.Steps[0].Prompt != "p1" {
			return errors.Join(fmt.Errorf("on disk is %+v", kept), err)
		}
		return nil
	}
	if _, err := r.Run(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func FuzzRecordsAreReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"version":1,"id":"a","steps":[{"name":"a","state":"running","answer":{"x":[1]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run := &Run{}
		if json.Unmarshal(text, run) == nil && run.Valid() == nil && run.Version != runVersion {
			t.Fatalf("%q: %+v", text, run)
		}
	})
}

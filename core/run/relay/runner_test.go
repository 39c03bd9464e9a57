package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/relay/stream"
)

// says is a script that answers as Claude does, and repeats its arguments.
const says = `cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"m-1"}'
echo '{"type":"result","session_id":"s-1","result":"'"$*"'","usage":{"input_tokens":7,"output_tokens":3}}'`

// newRunner returns a Runner whose program runs a script.
func newRunner(t *testing.T, format stream.Format, script string) *Runner {
	t.Helper()
	r := asker(t)
	r.Backends[0].program.Format = string(format)
	runsScript(t, r, script)
	dir := t.TempDir()
	return &Runner{
		Relay: r, Directory: Directory{Dir: filepath.Join(dir, "relays")},
		Labels:   Labels{Dir: filepath.Join(dir, "relays")},
		Defaults: Defaults{Backend: "echoer", Sandbox: ReadOnly, Dir: dir},
	}
}

// ask plans a request and carries it out.
func ask(t *testing.T, r *Runner, request Request) (*Record, error) {
	t.Helper()
	if request.Prompt == "" {
		request.Prompt = "why?"
	}
	request.Timeout = time.Minute
	plan, err := r.Plan(t.Context(), request)
	if err != nil {
		return nil, err
	}
	return r.Ask(t.Context(), plan, request.Prompt, nil)
}

func TestARelayIsOnRecordWithWhatItUsed(t *testing.T) {
	r := newRunner(t, "claude", says)
	r.Price = func(model string, used *stream.Usage) (float64, bool) { return 0.25, model == "m-1" && used.Input == 7 }
	if _, err := ask(t, r, Request{Prompt: "with sk-ant-abcdefghijklmnopqrstuv"}); err != nil {
		t.Fatal(err)
	}
	all, err := r.Directory.All()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d relays, %v", len(all), err)
	}
	got := all[0]
	if got.State != Done || got.Model != "m-1" || got.Used.Output != 3 || got.CostUSD != 0.25 ||
		got.CostSource != "table" || got.Guarantee != "It only reads." || got.PID != os.Getpid() {
		t.Errorf("on record is %+v", got)
	}
	if got.Prompt != "with sk-ant-[masked]" || !strings.HasPrefix(got.Text, "run --read") {
		t.Errorf("on record is the prompt %q with the answer %q", got.Prompt, got.Text)
	}
	used, err := os.ReadFile(r.Directory.UsageFile())
	if err != nil || !strings.Contains(string(used), `"input_tokens":7`) {
		t.Errorf("counted is %q, %v", used, err)
	}
	if _, err := os.Stat(filepath.Join(r.Directory.Dir, got.ID, planFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a plan is left: %v", err)
	}
}

func TestAConversationContinuesAsItWasLaunched(t *testing.T) {
	r := newRunner(t, "claude", says)
	if _, err := ask(t, r, Request{Label: "design", Model: "big", Sandbox: FullAccess}); err != nil {
		t.Fatal(err)
	}
	record, err := ask(t, r, Request{Label: "design"})
	if err != nil || !strings.Contains(record.Text, "--resume s-1 --model big") || record.Sandbox != FullAccess {
		t.Errorf("the second prompt ran with %q in %s, %v", record.Text, record.Sandbox, err)
	}
	if used, err := os.ReadFile(r.Directory.UsageFile()); err == nil {
		t.Errorf("what the backend's own transcript tells is counted twice: %s", used)
	}
	r.Relay.Backends[0].program.Totals = true
	for turn, want := range []int64{10, 10} {
		runsScript(t, r.Relay, strings.NewReplacer(`:7,`, fmt.Sprintf(":%d,", 7*(turn+1)), `:3}`,
			fmt.Sprintf(":%d}", 3*(turn+1))).Replace(says))
		if record, err := ask(t, r, Request{Label: "totals"}); err != nil || record.Used.Total() != want {
			t.Errorf("prompt %d of a conversation used %+v, %v", turn+1, record.Used, err)
		}
	}
	if err := r.Labels.Remove(t.Context(), "totals"); err != nil {
		t.Fatal(err)
	}
	for _, request := range []Request{
		{Label: "design", Dir: t.TempDir()},
		{Label: "design", Sandbox: ReadOnly},
	} {
		if _, err := ask(t, r, request); !core.AsError(err).HasCode(core.Conflict) {
			t.Errorf("%+v continues: %v", request, err)
		}
	}
	if _, err := ask(t, r, Request{Label: "no/label"}); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("a bad label is %v", err)
	}
	if err := r.Labels.Remove(t.Context(), "desing"); !slices.Contains(core.AsError(err).Suggestions, "design") {
		t.Errorf("an unknown label is %v", err)
	}
	if err := r.Labels.Remove(t.Context(), "design"); err != nil {
		t.Fatal(err)
	}
	if all, err := r.Labels.All(); err != nil || len(all) != 0 {
		t.Errorf("left are %v, %v", all, err)
	}
}

func TestABackendWithoutMemoryGetsTheLastTurnsAgain(t *testing.T) {
	r := newRunner(t, "text", "cat")
	r.Relay.Backends[0].program.Resume = nil
	for _, prompt := range []string{"first", "second"} {
		if _, err := ask(t, r, Request{Prompt: prompt, Label: "talk"}); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := r.Plan(t.Context(), Request{Prompt: "third", Label: "talk", Timeout: time.Minute})
	if err != nil || !strings.Contains(plan.Prompt, "User: first") || !strings.Contains(plan.Prompt, "User: second") {
		t.Errorf("it gets %q, %v", plan.Prompt, err)
	}
	all, err := r.Labels.All()
	if err != nil {
		t.Fatal(err)
	}
	long := []Turn{{strings.Repeat("x", MaxPrompt), "y"}, all[0].Turns[1]}
	plan.Prompt, plan.backend = "third", r.Relay.Backends[1]
	plan.remember(long)
	if plan.Dropped != 1 || len(plan.History) != 1 || plan.Bytes > MaxPrompt {
		t.Errorf("of what does not fit it gets %d turns, %d were dropped", len(plan.History), plan.Dropped)
	}
}

func TestDamagedLabelsAreSetAside(t *testing.T) {
	dir, heard := t.TempDir(), ""
	writeFile(t, filepath.Join(dir, labelsFile), "{")
	all, err := Labels{Dir: dir, Warn: func(text string) { heard = text }}.All()
	aside, _ := filepath.Glob(filepath.Join(dir, labelsFile+".corrupt-*"))
	if err != nil || len(all) != 0 || len(aside) != 1 || !strings.Contains(heard, aside[0]) {
		t.Errorf("%v, %v, %q, %q", all, err, aside, heard)
	}
}

func TestAFailureIsOnRecordWithWhatCameBefore(t *testing.T) {
	r := newRunner(t, "text", "echo half; echo no such model >&2; exit 3")
	record, err := ask(t, r, Request{})
	if !core.AsError(err).HasCode(core.BackendFailed) || record.State != Failed || record.Text != "half" ||
		record.Error != "no such model" {
		t.Errorf("on record is %+v, %v", record, err)
	}
	r.Afford = func(context.Context) error { return core.Errorf(core.BudgetExceeded, "no more") }
	if record, err := ask(t, r, Request{}); record != nil || !core.AsError(err).HasCode(core.BudgetExceeded) {
		t.Errorf("over the ceiling: %+v, %v", record, err)
	}
}

// TestAnotherProcessCancelsARelay cancels one through its directory alone, as another process does.
func TestAnotherProcessCancelsARelay(t *testing.T) {
	r := newRunner(t, "text", "echo $$; exec sleep 600")
	began, ended := make(chan string, 1), make(chan error, 1)
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := r.Ask(t.Context(), plan, "why?", func(event Event) {
			if event.Type == stream.Text {
				began <- event.Text
			}
		})
		ended <- err
	}()
	<-began
	all, err := r.Directory.All()
	if err != nil || len(all) != 1 || all[0].State != Running {
		t.Fatalf("on record is %+v, %v", all, err)
	}
	record, err := r.Directory.Cancel(t.Context(), all[0].ID)
	if err != nil || record.State != Cancelled {
		t.Errorf("cancelled is %+v, %v", record, err)
	}
	if err := <-ended; !core.AsError(err).HasCode(core.Cancelled) {
		t.Errorf("the call ended with %v", err)
	}
	if _, err := r.Directory.Cancel(t.Context(), all[0].ID); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("cancelled twice: %v", err)
	}
}

func TestARelayWhoseProcessIsGoneIsInterrupted(t *testing.T) {
	r := newRunner(t, "text", "cat")
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Directory.New(t.Context(), plan, "why?", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	record.State = Running
	if err := r.Directory.files().Save(record); err != nil {
		t.Fatal(err)
	}
	log, err := r.Directory.eventLog(record.ID)
	if err != nil {
		t.Fatal(err)
	}
	log.write(&Event{Type: stream.Text, Message: 1, Text: "because\nof "})
	got, err := r.Directory.Find(record.ID)
	if err != nil || got.State != Interrupted || got.Error == "" || got.Text != "because\nof " {
		t.Errorf("it is %+v, %v", got, err)
	}
	log.close()
	if _, err := r.Directory.Find("zzzzzzzz"); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("an unknown id is %v", err)
	}
}

func TestAPlanOnDiskIsCarriedOutAsItWasMade(t *testing.T) {
	r := newRunner(t, "text", "cat; echo $MODE")
	plan, err := r.Plan(t.Context(), Request{Prompt: "why?", Timeout: time.Minute, Quiet: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Directory.New(t.Context(), plan, "why?", time.Now())
	if err == nil {
		err = r.Directory.savePlan(record.ID, plan, "why?")
	}
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.Resume(t.Context(), record.ID)
	if err != nil || done.State != Done || !strings.HasSuffix(done.Text, "why?read") {
		t.Errorf("it is %+v, %v", done, err)
	}
	if _, err := r.Resume(t.Context(), record.ID); err == nil {
		t.Error("it is carried out twice")
	}
	var heard strings.Builder
	events, _, err := r.Directory.Events(record.ID, 0)
	for i := range events {
		if events[i].Type == stream.Text {
			heard.WriteString(events[i].Text)
		}
	}
	if err != nil || strings.TrimSpace(heard.String()) != done.Text {
		t.Errorf("heard is %q, %v", heard.String(), err)
	}
}

// TestEventsOnFileHoldNoSecret writes a secret in pieces.
func TestEventsOnFileHoldNoSecret(t *testing.T) {
	directory := Directory{Dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(directory.Dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := directory.eventLog("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{
		"the key sk-ant-abc", "defghijklmnop", "qrstuv is\n-----BEGIN PRIVATE KEY-----\nMII ", "x\n",
	} {
		log.write(&Event{Type: stream.Text, Message: 1, Text: piece})
	}
	log.close()
	if got := directory.SoFar("a"); got != "the key sk-ant-[masked] is\n-----BEGIN PRIVATE KEY-----[masked]" {
		t.Errorf("on file is %q", got)
	}
}

//go:build agents

package fleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// triesVariable says how often each case is tried; empty is once.
const triesVariable = "CUPOLA_TRIES"

// hired is a fleet with one real agent.
type hired struct {
	*fleet.Fleet
	kind    string
	harness *fleettest.Harness
	dir     string
	tally   []string
}

func TestRealAgentsTakeEveryPromptOnce(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) { testRealAgent(t, kind) })
	}
}

func TestRealAgentsTakeTheirFirstPrompt(t *testing.T) {
	for _, kind := range allKinds {
		for range tries() {
			t.Run(kind, func(t *testing.T) {
				r := hire(t, kind)
				defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
				r.start(t)
			})
		}
	}
}

func tries() int {
	n, err := strconv.Atoi(os.Getenv(triesVariable))
	if err != nil {
		return 1
	}
	return n
}

func testRealAgent(t *testing.T, kind string) {
	tries := tries()
	r := hire(t, kind)
	defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
	r.start(t)
	word := "a line of a longer prompt, as people write them\n"
	for name, text := range map[string]string{
		"one line":       "hello TOKEN and nothing else",
		"60 lines":       "hello TOKEN\n" + strings.Repeat(word, 58) + "the end",
		"three lines":    "hello TOKEN\nsecond line\nthird line",
		"3 kB line":      "hello TOKEN " + strings.Repeat("0123456789 ", 280) + "the end",
		"unicode":        "hello TOKEN naïve café — 日本語 🎉",
		"mention":        "hello TOKEN see @mai",
		"path":           "/nowhere/TOKEN/file",
		"hash":           "# TOKEN is a heading",
		"flags":          "--help TOKEN -X 'quotes' \"$HOME\" `id` #{pane_id}",
		"blank ends":     "  TOKEN\nsecond line  ",
		"mention inside": "hello TOKEN @mai and /help as words",
	} {
		for range tries {
			r.deliver(t, name, text, core.Delivered)
		}
	}
	for range tries {
		r.whileWorking(t)
	}
	for range tries {
		r.atADialog(t)
	}
	r.interrupted(t)
	r.draft(t)
	r.command(t)
}

// command sends a command of the agent's own, which opens something.
func (r *hired) command(t *testing.T) {
	t.Helper()
	for _, text := range map[string][]string{
		"claude": {"/help", "/cost"}, "codex": {"/status", "/model"}, "gemini": {"/help", "/about"},
		"opencode": {"/help", "/models"},
		"copilot":  {"/help", "/usage"}, "qwen": {"/help", "/about"},
	}[r.kind] {
		sent, err := r.Sender.Send(t.Context(),
			deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: text, Command: true})
		if err != nil || sent.Deliveries[0].Outcome != core.Delivered {
			t.Errorf("%s: %+v, %v\n%s", text, sent.Deliveries, err, r.screen(t))
		}
		r.settle(t)
		r.note(text, sent.Deliveries[0], -1)
	}
}

// hire prepares a fleet, and the folder and home of an agent.
func hire(t *testing.T, kind string) *hired {
	harness := fleettest.Real(t)
	server := enginetest.Private(t)
	r := &hired{kind: kind, harness: harness, dir: filepath.Join(server.Dir, "work")}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "main.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server.Environ = append(server.Environ, harness.Environ(t, server.Dir, kind)...)
	if kind == "qwen" {
		r.asksBeforeItActs(t)
	}
	engine := fleettest.EngineOf(t, server, "")
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	r.Fleet = fleet.Open(fleet.Options{
		Engine: engine, Kinds: kinds, Environ: server.Environ,
		Runtime: filepath.Join(server.Dir, "run"),
	})
	t.Cleanup(func() {
		if _, err := r.Launcher.Kill(context.Background(),
			lifecycle.KillRequest{Target: resolve.Target{Session: "real"}}); err != nil {
			t.Log(err)
		}
		r.Close()
	})
	return r
}

// asksBeforeItActs sets Qwen's approval mode: newer versions begin in one that judges by itself.
func (r *hired) asksBeforeItActs(t *testing.T) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(r.dir), "home-qwen", ".qwen")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	settings := []byte(`{"tools": {"approvalMode": "default"}}`)
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
}

// wait waits for a condition on the screen and shows it if it never holds.
func (r *hired) wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	enginetest.Eventually(t, 40*time.Second, holds, func() string { return "never " + what + "\n" + r.screen(t) })
}

func (r *hired) screen(t *testing.T) string {
	tails, err := r.Output.Tail(t.Context(), output.Request{Target: resolve.Target{Session: "real.1"}})
	if err != nil {
		return err.Error()
	}
	return strings.Join(tails[0].Lines, "\n")
}

// note keeps a delivery for the tally.
func (r *hired) note(name string, d core.Delivery, got int) {
	r.tally = append(r.tally, fmt.Sprintf("%-9s %-14s %-11s enters %d, %5d ms, received %d: %s",
		r.kind, name, d.Outcome, d.Enters, time.Duration(d.Elapsed).Milliseconds(), got, d.Saw()))
}

// start spawns the agent with a first prompt.
func (r *hired) start(t *testing.T) {
	first := fleettest.Token()
	answer, err := r.Launcher.Spawn(t.Context(),
		lifecycle.SpawnRequest{Session: "real", Launch: lifecycle.LaunchRequest{
			Dir: r.dir, Agents: []lifecycle.AgentCount{{Kind: r.kind, Count: 1}}, Prompt: "hello " + first,
		}})
	if err != nil {
		t.Fatalf("%v (%+v)\n%s", err, core.AsError(err).Details, r.screen(t))
	}
	d := *answer.Panes[1].Delivery
	r.exactly(t, "first prompt", d, first, "hello "+first)
}

// deliver sends a prompt and sees that the model got it once, as it was.
func (r *hired) deliver(t *testing.T, name, text string, want core.Outcome) {
	t.Helper()
	mark := fleettest.Token()
	text = strings.ReplaceAll(text, "TOKEN", mark)
	sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: text, ReplaceDraft: true})
	// Where the end of the prompt before or of the start is not seen, its turn may still begin.
	late := (r.kind == "gemini" || r.kind == "qwen") && err == nil && sent.Deliveries[0].Outcome == core.Queued
	if err != nil || sent.Deliveries[0].Outcome != want && !late {
		t.Errorf("%s: %+v, %v\n%s", name, sent.Deliveries, err, r.screen(t))
	}
	if len(sent.Deliveries) == 1 {
		r.exactly(t, name, sent.Deliveries[0], mark, text)
	}
}

// exactly wants the model to get a prompt once and waits for the turn to end.
func (r *hired) exactly(t *testing.T, name string, d core.Delivery, mark, text string) {
	t.Helper()
	var got []string
	if strings.HasPrefix(name, "mention") && r.kind == "gemini" || name == "path" && r.kind == "gemini" {
		// It puts what it read in the prompt's place, or asks whether it may.
		r.settle(t)
		r.note(name, d, -1)
		return
	}
	r.wait(t, "received "+name, func() bool {
		got = r.harness.Received(t, mark)
		return len(got) > 0
	})
	r.settle(t)
	got = r.harness.Received(t, mark)
	r.note(name, d, len(got))
	if !slices.Equal(got, []string{strings.TrimSpace(text)}) {
		t.Errorf("%s: the model got %q, want %q once", name, got, text)
	}
}

// settle answers what a prompt made the agent ask, and waits for it to be idle.
func (r *hired) settle(t *testing.T) {
	t.Helper()
	r.wait(t, "idle", func() bool {
		state := r.state(t).State
		if state == core.Waiting {
			r.reject(t)
		}
		return state == core.Idle
	})
}

// reject closes an open dialog. A second Escape would open another one.
func (r *hired) reject(t *testing.T) {
	t.Helper()
	r.press(t, "Escape")
	r.wait(t, "without a dialog", func() bool { return r.state(t).State != core.Waiting })
}

func (r *hired) press(t *testing.T, keys ...string) {
	t.Helper()
	if _, err := r.Sender.Keys(t.Context(),
		deliver.KeysRequest{Target: resolve.Target{Session: "real.1"}, Keys: keys}); err != nil {
		t.Fatal(err)
	}
}

// state returns the agent's present status.
func (r *hired) state(t *testing.T) core.Status {
	t.Helper()
	answer, err := r.Sender.Interrupt(t.Context(),
		deliver.InterruptRequest{Target: resolve.Target{Session: "real.1"}, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	return answer[0].Before
}

// whileWorking sends into a running turn: kinds that queue must say so.
func (r *hired) whileWorking(t *testing.T) {
	t.Helper()
	busy, next := fleettest.Token(), fleettest.Token()
	if _, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: "slow 5 " + busy}); err != nil {
		t.Errorf("%v\n%s", err, r.screen(t))
	}
	r.wait(t, "working", func() bool { return r.state(t).State == core.Working })
	if r.kind == "codex" {
		r.steered(t)
	}
	text := "hello " + next
	sent, err := r.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: text})
	want := core.Queued
	if r.kind == "codex" {
		want = core.Delivered
	}
	if err != nil || sent.Deliveries[0].Outcome != want {
		t.Errorf("while working: %+v, %v\n%s", sent.Deliveries, err, r.screen(t))
	}
	r.exactly(t, "while working", sent.Deliveries[0], next, text)
}

// steered sends into a running turn of an agent that takes it as its part.
func (r *hired) steered(t *testing.T) {
	t.Helper()
	mark := fleettest.Token()
	sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: "hello " + mark, Now: true})
	if err != nil || sent.Deliveries[0].Outcome != core.Steered {
		t.Errorf("steered: %+v, %v\n%s", sent.Deliveries, err, r.screen(t))
	}
	r.exactly(t, "steered", sent.Deliveries[0], mark, "hello "+mark)
	if _, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: "slow 5 " + fleettest.Token()}); err != nil {
		t.Errorf("%v\n%s", err, r.screen(t))
	}
	r.wait(t, "working", func() bool { return r.state(t).State == core.Working })
}

// atADialog sends while the agent asks for approval: it must refuse, and nothing
// may be answered.
func (r *hired) atADialog(t *testing.T) {
	t.Helper()
	ask, mark := fleettest.Token(), fleettest.Token()
	made := filepath.Join(r.dir, ask)
	prompt := fmt.Sprintf("tool-bash `touch %s` %s", made, ask)
	if sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: prompt}); err != nil {
		t.Errorf("%+v, %v\n%s", sent.Deliveries, err, r.screen(t))
	}
	r.wait(t, "asking", func() bool { return r.state(t).State == core.Waiting })
	for range 5 {
		sent, err := r.Sender.Send(t.Context(),
			deliver.Request{
				Target: resolve.Target{Session: "real.1"}, Text: "hello " + mark, ReplaceDraft: true,
				Now: true,
			})
		if err == nil || sent.Deliveries[0].Outcome != core.Refused || sent.Deliveries[0].Why != "dialog" ||
			sent.Deliveries[0].Enters > 0 {
			t.Errorf("at a dialog: %+v, %v\n%s", sent.Deliveries, err, r.screen(t))
		}
		r.note("at a dialog", sent.Deliveries[0], len(r.harness.Received(t, mark)))
	}
	if status := r.state(t); status.State != core.Waiting {
		t.Errorf("the dialog is gone: %+v\n%s", status, r.screen(t))
	}
	r.reject(t)
	r.settle(t)
	if _, err := os.Stat(made); err == nil {
		t.Error("the command was approved")
	}
	if got := r.harness.Received(t, mark); len(got) > 0 {
		t.Errorf("the model got %q", got)
	}
}

// interrupted stops a turn.
func (r *hired) interrupted(t *testing.T) {
	t.Helper()
	mark := fleettest.Token()
	if _, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "real.1"}, Text: "slow 60 " + mark}); err != nil {
		t.Errorf("%v\n%s", err, r.screen(t))
	}
	r.wait(t, "received slow",
		func() bool { return len(r.harness.Received(t, mark)) > 0 && r.state(t).State == core.Working })
	next := fleettest.Token()
	started := time.Now()
	answer, err := r.Sender.Interrupt(t.Context(),
		deliver.InterruptRequest{Target: resolve.Target{Session: "real.1"}, Text: "hello " + next})
	if err != nil || answer[0].After.State != core.Idle || answer[0].Delivery == nil {
		t.Errorf("%+v, %v\n%s", answer, err, r.screen(t))
		return
	}
	r.tally = append(r.tally, fmt.Sprintf("%-9s interrupted and sent in %v: %+v", r.kind,
		time.Since(started).Round(time.Millisecond), answer[0].After))
	r.exactly(t, "after stopping", *answer[0].Delivery, next, "hello "+next)
}

// draft checks that a draft is refused, kept, and replaced on request.
func (r *hired) draft(t *testing.T) {
	t.Helper()
	target := resolve.Target{Session: "real.1"}
	for name, text := range map[string]string{
		"short": "half a thought", "lines": "half\na\n\nthought",
		"wide": strings.Repeat("words that wrap ", 18),
	} {
		if _, err := r.Sender.Send(t.Context(),
			deliver.Request{Target: target, Text: text, NoEnter: true}); err != nil {
			t.Fatalf("%v\n%s", err, r.screen(t))
		}
		sent, err := r.Sender.Send(t.Context(), deliver.Request{Target: target, Text: "no"})
		if err == nil || sent.Deliveries[0].Why != "draft" {
			t.Errorf("%+v, %v\n%s", sent, err, r.screen(t))
		}
		r.deliver(t, "over a "+name+" draft", "hello TOKEN", core.Delivered)
	}
}

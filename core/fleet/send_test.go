package fleet_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

// hardTexts are prompts that are easily mangled.
var hardTexts = map[string]string{
	"one line":      "say hello",
	"one character": "y",
	"60 lines":      "say\n" + strings.Repeat("a line of a longer prompt, as people write them\n", 59) + "end",
	"ten lines":     "say 1\n2\n3\n4\n5\n6\n7\n8\n9\n10",
	"wide lines":    "say " + strings.Repeat("words that wrap at the edge of the composer ", 20),
	"20 kB":         "say " + strings.Repeat("0123456789abcde\n", 1280) + "end",
	"3 kB line":     "say " + strings.Repeat("0123456789", 300),
	"unicode":       "say naïve café — 日本語 🎉👩‍👩‍👧 e\u0301",
	"only emoji":    "🎉🎉",
	"keys":          "Enter C-c Escape",
	"flags":         "-X cancel --help",
	"dash":          "-",
	"semicolons":    "say a ; b \\; c;",
	"formats":       "say #{pane_id} #(id) ##[x] %H $HOME ~ `id` \\ 'q' \"p\"",
	"slash":         "/compact now",
	"slash alone":   "/",
	"shell":         "!rm -rf nothing",
	"mention":       "say look at @main.go",
	"hash":          "# a heading",
	"tabs":          "say a\tb\t\tc",
	"blank ends":    "  say x  ",
	"lines between": "say a\n\n\nb",
	"the mark":      "› Type a prompt",
	"a rule":        "say\n────────────────\nx",
	"a dialog":      "say Allow this command?\nenter to confirm · esc to cancel",
}

func TestEveryTextArrivesOnceAndExactly(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0", "--settle", "50ms")
	var want []string
	for name, text := range hardTexts {
		want = append(want, text)
		if d := s.must(t, core.Delivered, deliver.Request{Text: text}); d.Enters == 0 || d.Why != "" ||
			d.Saw() == "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	s.onlyPrompts(t, want...)
}

func TestLineEndsBecomeNewlines(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.must(t, core.Delivered, deliver.Request{Text: "say a\r\nb\r\n"})
	s.onlyPrompts(t, "say a\nb")
}

func TestAnEnterThatBecomesALineBreakIsPressedAgain(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0", "--settle", "900ms")
	var want []string
	// One that comes late is not swallowed.
	enginetest.Eventually(t, testTimeout, func() bool {
		want = append(want, "say early")
		return s.must(t, core.Delivered, deliver.Request{Text: "say early"}).Enters > 1
	}, nil)
	s.onlyPrompts(t, want...)
}

func TestAnOpenDialogIsNeverAnswered(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	for i, prompt := range []string{"approve", "ask", "plan"} {
		s.must(t, core.Delivered, deliver.Request{Text: prompt})
		s.shows(t, "api.1", "enter to confirm")
		for range 20 {
			d := s.must(t, core.Refused, deliver.Request{Text: "say yes", ReplaceDraft: true, Now: true})
			if d.Why != terminal.WhyDialog || d.Enters != 0 ||
				!strings.Contains(d.Saw(), "rule "+[]string{"approval", "question", "plan"}[i]) {
				t.Fatalf("%+v", d)
			}
		}
		s.must(t, core.Refused, deliver.Request{Text: "say yes", DryRun: true})
		if answers := s.events(t, "answer"); len(answers) != i {
			t.Fatalf("an agent answered: %v", answers)
		}
		s.press(t, "api.1", "Escape")
		s.idle(t, "api.1")
	}
	s.onlyPrompts(t, "approve", "ask", "plan")
}

func TestSendRefusesAndKeepsUserDraft(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.must(t, core.Typed, deliver.Request{Text: "half a thought", NoEnter: true})
	d := s.must(t, core.Refused, deliver.Request{Text: "say mine"})
	if d.Why != terminal.WhyDraft || !strings.Contains(d.Saw(), "half a thought") || d.Enters != 0 {
		t.Errorf("%+v", d)
	}
	s.shows(t, "api.1", "› half a thought")
	s.must(t, core.Delivered, deliver.Request{Text: "say mine", ReplaceDraft: true})
	s.onlyPrompts(t, "say mine")
}

func TestALongDraftIsClearedWhole(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	for _, draft := range []string{"one\ntwo\n\nfour\nfive six seven", strings.Repeat("folded\n", 40)} {
		s.must(t, core.Typed, deliver.Request{Text: draft, NoEnter: true})
		d := s.must(t, core.Delivered, deliver.Request{Text: "say mine", ReplaceDraft: true})
		if !strings.Contains(d.Saw(), "was cleared") {
			t.Errorf("%+v", d)
		}
	}
	s.onlyPrompts(t, "say mine", "say mine")
}

func TestAWorkingAgentQueues(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	s.must(t, core.Queued, deliver.Request{Text: "say next"})
	if got := s.events(t, "prompt"); len(got) != 2 || got[1].How != "queued" || got[1].Text != "say next" {
		t.Errorf("log: %+v", got)
	}
}

func TestADryRunTypesNothing(t *testing.T) {
	t.Parallel()
	s := play(t, 2, "--speed", "0")
	sent, err := s.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "api", All: true}, Text: "say x", DryRun: true})
	if err != nil || len(sent.Deliveries) != 3 {
		t.Fatalf("%+v, %v", sent, err)
	}
	for i, d := range sent.Deliveries {
		if d.Outcome != core.Planned || d.Ordinal != i || d.Saw() == "" {
			t.Errorf("%+v", d)
		}
	}
	s.onlyPrompts(t)
}

func TestManyPanesGetItAtOnce(t *testing.T) {
	t.Parallel()
	s := play(t, 12, "--speed", "0")
	started := time.Now()
	sent, err := s.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: "api"}, Text: "say to all"})
	if err != nil || len(sent.Deliveries) != 12 {
		t.Fatalf("%+v, %v", sent, err)
	}
	for i, d := range sent.Deliveries {
		if d.Outcome != core.Delivered || d.Ordinal != i+1 || d.Agent != fmt.Sprintf("scr_%d", i+1) {
			t.Errorf("delivery %d: %+v", i, d)
		}
	}
	s.onlyPrompts(t, slices.Repeat([]string{"say to all"}, 12)...)
	t.Logf("12 panes took %v", time.Since(started))
}

func TestSendsToOnePaneComeOneAfterAnother(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	done := make(chan error)
	for i := range 6 {
		go func() {
			_, err := s.Sender.Send(t.Context(),
				deliver.Request{
					Target: resolve.Target{Session: "api.1"},
					Text:   "say " + strings.Repeat(fmt.Sprint(i), 800),
				})
			done <- err
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	got := s.prompts(t)
	slices.Sort(got)
	for i, text := range got {
		if text != "say "+strings.Repeat(fmt.Sprint(i), 800) {
			t.Errorf("prompt %d: %.60q", i, text)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d prompts", len(got))
	}
}

// sendVariable makes the test binary send a text, as another process does:
// socket, runtime folder, pane and text, separated by newlines.
const sendVariable = "CUPOLA_TEST_SEND"

func TestSendFromAnotherProcess(t *testing.T) {
	t.Parallel()
	job := strings.SplitN(os.Getenv(sendVariable), "\n", 4)
	if len(job) < 4 {
		t.Skip("it is run by other tests")
	}
	engine := fleettest.EngineAt(t, job[0])
	f := fleet.Open(fleet.Options{Engine: engine, Kinds: fleettest.Kinds(t, fleettest.StubKind), Runtime: job[1]})
	if sent, err := f.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: job[2]}, Text: job[3]}); err != nil {
		t.Fatalf("%+v, %v", sent, err)
	}
}

func TestProcessesDoNotMixTheirTexts(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	done := make(chan string)
	for i := range 4 {
		text := "say " + strings.Repeat(fmt.Sprintf("text of process %d\n", i), 6) + "end"
		want = append(want, text)
		cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestSendFromAnotherProcess$", "-test.v")
		cmd.Env = append(slices.Clone(s.tmux.Environ),
			sendVariable+"="+strings.Join([]string{s.tmux.Socket, s.options.Runtime, "api.1", text}, "\n"))
		go func() {
			out, err := cmd.CombinedOutput()
			if err == nil {
				out = nil
			}
			done <- string(out)
		}()
	}
	for range want {
		if out := <-done; out != "" {
			t.Error(out)
		}
	}
	got := s.prompts(t)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the agent got %q", got)
	}
	left, err := filepath.Glob(filepath.Join(s.options.Runtime, "*-type-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("locks are left: %v, %v", left, err)
	}
}

func TestWithoutARuntimeFolderItGoesOnAndSaysSo(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.reopen(func(o *fleet.Options) { o.Runtime = filepath.Join(s.log, "impossible") })
	if d := s.must(t, core.Delivered, deliver.Request{Text: "say x"}); !strings.Contains(d.Saw(),
		"other processes were not kept from typing") {
		t.Errorf("%+v", d)
	}
}

func TestPanesThatTakeNothingRefuse(t *testing.T) {
	t.Parallel()
	s := play(t, 2, "--speed", "0")
	s.spawn(t, "over", lifecycle.LaunchRequest{Commands: []string{"exit 3"}})
	s.until(t, func(snapshot *core.Snapshot) bool {
		s.tmux.Reap()
		return snapshot.Session("over").Panes[1].Process.ExitStatus != 0
	})
	if d := s.must(t, core.Refused,
		deliver.Request{Target: resolve.Target{Session: "over.1"}, Text: "x"}); d.Why != terminal.WhyDead ||
		!strings.Contains(d.Saw(), "status 3") {
		t.Errorf("dead: %+v", d)
	}
	s.tmux.Run("copy-mode", "-t", s.paneID(t, "api.2"))
	if d := s.must(t, core.Refused,
		deliver.Request{Target: resolve.Target{Session: "api.2"}, Text: "x"}); d.Why != "copy_mode" {
		t.Errorf("copy mode: %+v", d)
	}
	sent, err := s.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: "api"}, Text: "say x"})
	if known := fleettest.WantError(t, err, core.DeliveryFailed,
		""); known.Message != "1 of 2 panes did not take the prompt" {
		t.Errorf("message = %q", known.Message)
	}
	if sent.ID == "" || sent.Bytes != 5 || sent.Deliveries[0].Outcome != core.Delivered ||
		sent.Deliveries[1].Why != "copy_mode" {
		t.Errorf("%+v", sent)
	}
	s.onlyPrompts(t, "say x")
}

func TestAShellInAnAgentsPlaceRefuses(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.tmux.Run("new-session", "-d", "-s", "mine", "--", "sh")
	snapshot := s.until(t, func(snapshot *core.Snapshot) bool {
		mine := snapshot.Session("mine")
		return mine != nil && observe.IsShell(mine.Panes[0].Process.Command)
	})
	if _, err := s.Launcher.Adopt(t.Context(),
		lifecycle.AdoptRequest{Pane: snapshot.Session("mine").Panes[0].Address(), Kind: "claude"}); err != nil {
		t.Fatal(err)
	}
	d := s.must(t, core.Refused, deliver.Request{Target: resolve.Target{Session: "mine.0"}, Text: "touch nothing"})
	if d.Why != terminal.WhyLeft || !strings.Contains(d.Saw(), "Claude Code is gone") {
		t.Errorf("%+v", d)
	}
	if screen := s.screen(t, "mine.0"); strings.Contains(screen, "touch") {
		t.Errorf("it was typed:\n%s", screen)
	}
}

func TestAStartingAgentIsWaitedFor(t *testing.T) {
	t.Parallel()
	starting := func(delay string) *loggedFleet {
		log := filepath.Join(t.TempDir(), "log")
		s := &loggedFleet{open(t, tmux.Auto, "--log", log, "--start-delay", delay, "--drop-early", "--speed", "0"), log}
		s.spawn(t, "api", lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}})
		return s
	}
	if d := starting("1h").must(t, core.Planned,
		deliver.Request{Text: "say x", DryRun: true}); !strings.Contains(d.Saw(), "waited for") {
		t.Errorf("%+v", d)
	}
	s := starting("1500ms")
	s.must(t, core.Delivered, deliver.Request{Text: "say x"})
	s.onlyPrompts(t, "say x")
}

func TestTextForCommandsIsTypedAsItIs(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.spawn(t, "raw", lifecycle.LaunchRequest{Commands: []string{"exec cat"}})
	if d := s.must(t, core.Delivered,
		deliver.Request{Target: resolve.Target{Session: "raw.1"}, Text: "as it is"}); d.Enters != 1 || d.Saw() == "" {
		t.Errorf("%+v", d)
	}
	s.shows(t, "raw.1", "as it is\nas it is")
	sent, err := s.Sender.Send(t.Context(),
		deliver.Request{Target: resolve.Target{Session: "raw.0", All: true}, Text: "echo $((40+2))"})
	if err != nil || sent.Deliveries[0].Outcome != core.Delivered {
		t.Errorf("%+v, %v", sent, err)
	}
	s.shows(t, "raw.0", "42")
}

func TestTheFirstPromptFollowsTheStart(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	s := &loggedFleet{open(t, tmux.Auto, "--log", log, "--start-delay", "300ms", "--drop-early", "--speed", "0"), log}
	answer := s.spawn(t, "api",
		lifecycle.LaunchRequest{Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 3}}, Prompt: "say first"})
	for _, launched := range answer.Panes[1:] {
		if launched.Delivery == nil || launched.Delivery.Outcome != core.Delivered {
			t.Errorf("%+v", launched.Delivery)
		}
	}
	s.onlyPrompts(t, "say first", "say first", "say first")
}

// paneID is the engine's id of a pane.
func (s *loggedFleet) paneID(t *testing.T, address string) string {
	t.Helper()
	seen, err := s.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	_, pane, err := resolve.Locate(seen.Snapshot, address)
	if err != nil {
		t.Fatal(err)
	}
	return string(pane.ID)
}

func TestSteeringWaitsForTheTurnUnlessNow(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	s := &loggedFleet{open(t, tmux.Auto, "--log", log, "--steer"), log}
	s.reopen(func(o *fleet.Options) { o.Kinds = fleettest.Kinds(t, steering(log)) })
	s.spawn(t, "api", lifecycle.LaunchRequest{
		Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 1}}, WaitReady: true,
	})
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	s.must(t, core.Steered, deliver.Request{Text: "slow 1 steered", Now: true})
	waited := make(chan core.Outcome, 1)
	go func() {
		sent, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "say waited"})
		if err != nil {
			t.Error(err)
		}
		waited <- sent.Deliveries[0].Outcome
	}()
	s.stop(t, deliver.InterruptRequest{})
	if outcome := <-waited; outcome != core.Delivered {
		t.Errorf("once the turn had ended it was %s", outcome)
	}
	got := s.events(t, "prompt")
	if len(got) != 3 || got[1].How != "steered" || got[2].How != "" {
		t.Errorf("log: %+v", got)
	}
}

func TestDeliveryRefusesAgentThatEnded(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	seen, err := s.Observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	pane := seen.Snapshot.Session("api").Panes[1]
	s.tmux.Run("kill-pane", "-t", string(pane.ID))
	d := s.Sender.DeliverPrompt(t.Context(), &pane, "", "say x", false)
	if d.Outcome != core.Refused || d.Why != terminal.WhyGone {
		t.Errorf("%+v", d)
	}
}

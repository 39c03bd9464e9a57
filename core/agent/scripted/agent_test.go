package scripted

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core/term/cells"
)

// driver drives an agent through a test by hand.
type driver struct {
	*testing.T
	agent *agent
	now   time.Time
}

// newDriver starts an agent in real time, with the given changes.
func newDriver(t *testing.T, change func(*traits)) *driver {
	s := &driver{T: t, now: noon, agent: &agent{traits: traits{
		name: "cc_1", model: "mock-1", folder: "/src/api", speed: 1,
	}}}
	if change != nil {
		change(&s.agent.traits)
	}
	s.agent.start(s.now)
	s.agent.drain()
	return s
}

// keys presses keys of the given kinds.
func (s *driver) keys(kinds ...keyKind) *driver {
	for _, k := range kinds {
		s.agent.handle(s.now, key{kind: k})
	}
	return s
}

// typed types text.
func (s *driver) typed(text string) *driver {
	s.agent.handle(s.now, key{text: text})
	return s
}

func (s *driver) pasted(text string) *driver {
	s.agent.handle(s.now, key{kind: keyPaste, text: text})
	return s
}

// after lets time pass in the agent's own steps.
func (s *driver) after(d time.Duration) *driver {
	end := s.now.Add(d)
	for next := s.agent.next(); !next.IsZero() && next.Before(end); next = s.agent.next() {
		s.agent.advance(next)
	}
	s.now = end
	s.agent.advance(end)
	return s
}

// printed checks the events since the last call, written as "name text how".
func (s *driver) printed(want ...string) *driver {
	s.Helper()
	var got []string
	for _, e := range s.agent.drain() {
		got = append(got, strings.TrimSpace(string(e.Event)+" "+e.Text+" "+e.How))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("events (-want +got):\n%s", diff)
	}
	return s
}

// screen returns the rows of an 80x24 terminal.
func (s *driver) screen() string {
	var b strings.Builder
	for _, r := range (drawing{s.agent, 80, 24}).screen().rows {
		b.WriteString(cells.Strip(r) + "\n")
	}
	return b.String()
}

// shows checks that lines are on the screen as they are.
func (s *driver) shows(lines ...string) *driver {
	s.Helper()
	screen := s.screen()
	for _, want := range lines {
		if !strings.Contains("\n"+screen, "\n"+want+"\n") {
			s.Errorf("no line %q on\n%s", want, screen)
		}
	}
	return s
}

// hides checks that a text is nowhere on the screen.
func (s *driver) hides(text string) *driver {
	s.Helper()
	if screen := s.screen(); strings.Contains(screen, text) {
		s.Errorf("%q is on\n%s", text, screen)
	}
	return s
}

func TestTurn(t *testing.T) {
	s := newDriver(t, nil)
	s.shows("◆ cc_1 1.0.0", "  model mock-1", "› Type a prompt", "  ? for help · mock-1").hides("esc to interrupt")
	s.typed("slow 3 stream 1 tool make").keys(keyEnter).printed("prompt slow 3 stream 1 tool make")
	s.shows("> slow 3 stream 1 tool make", "* Thinking… (0s · esc to interrupt)", "  esc to interrupt · mock-1")
	s.after(2 * time.Second).shows("* Thinking… (2s · esc to interrupt)")
	s.after(1100*time.Millisecond).shows("  The handler", "* Writing… (3s · esc to interrupt)")
	s.after(2*time.Second).shows("  "+lines[0], "□ make", "* Running… (5s · esc to interrupt)")
	s.after(5*time.Second).shows("  "+lines[0], "■ make", "- done in 5s", "› Type a prompt").hides("* ")
	s.hides("esc to interrupt").printed()
}

func TestBusyLineMovesWhileItsTextStays(t *testing.T) {
	s := newDriver(t, nil).typed("slow 5").keys(keyEnter)
	before := s.agent.busy(VerbThinking)
	s.after(frameTime)
	after := s.agent.busy(VerbThinking)
	if cells.Strip(before) != cells.Strip(after) || before == after {
		t.Errorf("%q became %q", before, after)
	}
}

func TestEscInterrupts(t *testing.T) {
	s := newDriver(t, nil).typed("stream 5").keys(keyEnter).after(time.Second).printed("prompt stream 5")
	s.keys(keyEsc).printed("interrupt").shows("  The handler reads the", "- interrupted").hides("* ")
	s.keys(keyEsc).printed()
}

func TestPromptsWaitForTheTurn(t *testing.T) {
	s := newDriver(t, nil).typed("slow 2").keys(keyEnter)
	s.typed("say one").keys(keyEnter).typed("say two").keys(keyEnter)
	s.printed("prompt slow 2", "prompt say one queued", "prompt say two queued")
	s.shows("Queued: say one", "Queued: say two", "› Type a prompt").hides("> say one")
	s.after(2500*time.Millisecond).shows("> say one", "Queued: say two")
	s.after(3*time.Second).shows("one", "two", "> say two").hides("Queued").printed()
}

func TestAnInterruptedTurnKeepsTheQueue(t *testing.T) {
	s := newDriver(t, nil).typed("slow 60").keys(keyEnter).typed("say next").keys(keyEnter)
	s.keys(keyEsc).after(2*time.Second).shows("- interrupted", "> say next", "next").hides("Queued")
}

func TestSteeredPromptsJoinTheTurn(t *testing.T) {
	s := newDriver(t, func(c *traits) { c.steers = true })
	s.typed("slow 2").keys(keyEnter).typed("say too").keys(keyEnter)
	s.printed("prompt slow 2", "prompt say too steered").shows("> say too").hides("Queued")
	s.after(5 * time.Second)
	if n := strings.Count(s.screen(), MarkOutcome+OutcomeDone); n != 1 {
		t.Errorf("%d turns ended, want one:\n%s", n, s.screen())
	}
	s.shows("too")
}

func TestEnterTooSoonAfterAPasteIsANewline(t *testing.T) {
	s := newDriver(t, func(c *traits) { c.settle = 300 * time.Millisecond })
	s.pasted("say a\nb").after(299 * time.Millisecond).keys(keyEnter).printed()
	s.after(time.Millisecond).keys(keyEnter).printed("prompt say a\nb")
	s.after(time.Second).pasted("say c").after(300 * time.Millisecond).keys(keyEnter).printed("prompt say c")
	s.after(time.Second).typed("say d").keys(keyEnter).printed("prompt say d")
}

func TestNothingIsNoPrompt(t *testing.T) {
	newDriver(t, nil).keys(keyEnter).typed(" \n ").keys(keyEnter).printed()
}

func TestCtrlC(t *testing.T) {
	s := newDriver(t, nil).typed("draft").keys(keyStop).hides("draft").hides(HintLeave)
	s.keys(keyStop).shows("  " + HintLeave).typed("x").hides(HintLeave).keys(keyBackspace)
	s.keys(keyStop).printed().keys(keyStop).printed("exit ctrl-c")
	s.typed("late").keys(keyEnter).printed()
}

func TestDialogs(t *testing.T) {
	tests := map[string]struct {
		prompt string
		press  func(s *driver)
		answer string
		shows  string
	}{
		"enter takes the first choice": {"approve", func(s *driver) { s.keys(keyEnter) }, "Yes", "- done in 1s"},
		"a digit takes its choice":     {"approve", func(s *driver) { s.typed("2") }, "No", "- declined"},
		"arrows move, and stop": {
			"approve", func(s *driver) { s.keys(keyDown, keyDown, keyEnter) }, "No",
			"- declined",
		},
		"arrows move back": {
			"approve", func(s *driver) { s.keys(keyDown, keyUp, keyUp, keyEnter) }, "Yes",
			"- done in 1s",
		},
		"esc cancels":    {"approve", func(s *driver) { s.keys(keyEsc) }, "cancel", "- interrupted"},
		"ctrl-c cancels": {"ask", func(s *driver) { s.keys(keyStop) }, "cancel", "- interrupted"},
		"a digit without choice waits": {
			"approve", func(s *driver) { s.typed("3").typed("1") }, "Yes",
			"- done in 1s",
		},
		"pastes are lost": {
			"approve", func(s *driver) { s.pasted("2").keys(keyEnter) }, "Yes",
			"› Type a prompt",
		},
		"other text is lost": {
			"approve", func(s *driver) { s.typed("please").keys(keyEnter) }, "Yes",
			"› Type a prompt",
		},
		"what follows goes to the draft": {"approve", func(s *driver) { s.typed("1abc") }, "Yes", "› abc"},
		"a question has three choices": {
			"ask", func(s *driver) { s.typed("3") }, "Leave it as it is",
			"  answered: Leave it as it is",
		},
		"a plan": {
			"plan", func(s *driver) { s.keys(keyEnter) }, "Yes, go ahead",
			"- done in 1s",
		},
		"a plan turned down": {"plan", func(s *driver) { s.typed("2") }, "No, keep planning", "- declined"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newDriver(t, nil).typed(tt.prompt).keys(keyEnter).after(time.Second).printed("prompt " + tt.prompt)
			s.shows(HintDialog).hides("* ").hides(HintInterrupt).hides(Placeholder)
			tt.press(s)
			s.printed("answer " + tt.answer).shows(tt.shows).hides(HintDialog)
		})
	}
}

func TestApprovalBox(t *testing.T) {
	newDriver(t, nil).typed("approve tool make deploy").keys(keyEnter).after(time.Minute).
		shows(TitleApproval, "  $ make deploy", "› 1. Yes", "  2. No", HintDialog).
		keys(keyDown).shows("  1. Yes", "› 2. No").
		keys(keyUp, keyEnter).shows("□ make deploy").after(3 * time.Second).shows("■ make deploy")
}

func TestTroubleEndsTheTurn(t *testing.T) {
	for prompt, banner := range map[string]string{
		"fail auth tool x": "! error: the API key is not valid (401)",
		"limit tool x":     "! rate limit reached, resets at 13:00",
	} {
		s := newDriver(t, nil).typed(prompt).keys(keyEnter).after(9 * time.Second)
		s.shows(banner, "› Type a prompt").hides("■ x").hides(MarkOutcome)
	}
}

func TestRetriesAreCounted(t *testing.T) {
	s := newDriver(t, nil).typed("retry 2").keys(keyEnter)
	s.after(time.Second).shows("* Retrying 1/2… (1s · esc to interrupt)")
	s.after(2 * time.Second).shows("* Retrying 2/2… (3s · esc to interrupt)")
	s.after(2 * time.Second).shows("- done in 4s")
}

func TestPromptsEndTheProgram(t *testing.T) {
	for prompt, want := range map[string]ending{"bye": {reason: "bye"}, "crash": {reason: "crash", code: 3}} {
		s := newDriver(t, nil).typed(prompt).keys(keyEnter).after(time.Second).printed("prompt "+prompt, "exit "+prompt)
		if s.agent.ended == nil || *s.agent.ended != want {
			t.Errorf("%s ended with %v", prompt, s.agent.ended)
		}
	}
}

func TestSpeedZeroTakesNoTime(t *testing.T) {
	s := newDriver(t, func(c *traits) { c.speed = 0 })
	s.typed("slow 100 stream 2 retry 3").keys(keyEnter).shows("- done in 0s").hides("* ")
}

func TestTitle(t *testing.T) {
	s := newDriver(t, nil)
	title := func(want string) {
		t.Helper()
		if got := s.agent.title(); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
	title("cc_1 · idle")
	s.typed("approve").keys(keyEnter)
	title("cc_1 · working")
	s.after(time.Second)
	title("cc_1 · waiting")
	s.agent = &agent{traits: s.agent.traits}
	title("cc_1 · starting")
}

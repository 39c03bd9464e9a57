package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/agent/scripted"
	"cupola/core/system/process/child"
)

func TestMain(m *testing.M) {
	scripted.Main(context.Background())
	os.Exit(m.Run())
}

// scene is a scripted agent and what its client reports.
type scene struct {
	*Client
	t      *testing.T
	mu     sync.Mutex
	events []Event
}

// play starts an agent with faults; set changes the options.
func play(t *testing.T, set func(*Options), faults ...scripted.Fault) (*scene, error) {
	t.Helper()
	s := &scene{t: t}
	opts := Options{
		Program: os.Args[0], Dir: t.TempDir(), Env: os.Environ(), Within: 20 * time.Second,
		Args: []string{"scripted", "--acp", "--speed=0", "--records=" + filepath.Join(t.TempDir(), "records")},
	}
	if set != nil {
		set(&opts)
	}
	for _, fault := range faults {
		opts.Args = append(opts.Args, "--fault="+string(fault))
	}
	client, err := Open(t.Context(), opts, func(e Event) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events = append(s.events, e)
	})
	if err != nil {
		return nil, err
	}
	s.Client = client
	t.Cleanup(func() {
		client.Close()
		<-client.Done()
	})
	return s, nil
}

func mustPlay(t *testing.T, set func(*Options), faults ...scripted.Fault) *scene {
	t.Helper()
	s, err := play(t, set, faults...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until waits for an event, and returns it.
func (s *scene) until(what string, is func(Event) bool) Event {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(30 * time.Second); ; {
		if found := s.find(is); found != nil {
			return *found
		}
		select {
		case <-tick.C:
		case <-deadline:
			s.t.Fatalf("never saw %s: %s", what, s.story())
		}
	}
}

// find returns the first event that fits; nil if there is none.
func (s *scene) find(is func(Event) bool) *Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.events, is); i >= 0 {
		return &s.events[i]
	}
	return nil
}

func (s *scene) ended(prompt int) Event {
	s.t.Helper()
	return s.until(fmt.Sprintf("the end of prompt %d", prompt), func(e Event) bool {
		return e.Type == Ended && e.Prompt == prompt
	})
}

func (s *scene) prompt(text string) int {
	s.t.Helper()
	number, _, err := s.Prompt(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return number
}

// story is the types of all events so far, with their texts.
func (s *scene) story() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, e := range s.events {
		lines = append(lines, fmt.Sprintf("%s %d %.80q %v", e.Type, e.Prompt, e.Text, e.Stop))
	}
	return strings.Join(lines, "\n")
}

// count counts the events that fit.
func (s *scene) count(is func(Event) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if is(e) {
			n++
		}
	}
	return n
}

func noticed(text string) func(Event) bool {
	return func(e Event) bool { return e.Type == Notice && strings.Contains(e.Text, text) }
}

func TestATurnHasAllItsSteps(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, func(o *Options) { o.Mode = "Plan" })
	if mode := settingOf(s.Settings(), ModeSetting); mode == nil || mode.Value != "plan" {
		t.Fatalf("the mode is %+v", mode)
	}
	n := s.prompt("say hello")
	if end := s.ended(n); end.Stop != EndTurn || end.Err != nil || end.Usage.Input != 1500 {
		t.Errorf("it ended as %+v", end)
	}
	for _, want := range []Type{Sent, Taken, Thought, Said, Ended, Commanded} {
		if s.count(func(e Event) bool { return e.Type == want }) == 0 {
			t.Errorf("no event %s:\n%s", want, s.story())
		}
	}
	n = s.prompt("tool make")
	s.ended(n)
	call := s.until("the end of the call", func(e Event) bool { return e.Type == Called && e.Call.Status == Completed })
	if call.Call.Command != "make" || call.Call.Output != "done" || call.Call.Kind != "execute" {
		t.Errorf("the call is %+v", call.Call)
	}
}

func TestAPromptWaitsForTheRunningTurn(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, nil, scripted.BusyCancels)
	first := s.prompt("approve tool make")
	ask := s.until("a request", func(e Event) bool { return e.Type == Permission })
	second, sent, err := s.Prompt("say later")
	if sent || err != nil {
		t.Fatalf("the second prompt was sent: %v, %v", sent, err)
	}
	if !s.Answer(ask.Ask.Key, ask.Ask.Allow()) {
		t.Fatal("it takes no answer")
	}
	if end := s.ended(first); end.Stop != EndTurn {
		t.Errorf("the first turn ended as %s", end.Stop)
	}
	s.ended(second)
	s.until("the answer", func(e Event) bool { return e.Type == Said && strings.Contains(e.Text, "later") })
}

func TestOptionsAreChosenByKind(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"allow", "deny"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := mustPlay(t, nil, scripted.AlwaysFirst)
			n := s.prompt("approve tool make")
			ask := s.until("a request", func(e Event) bool { return e.Type == Permission }).Ask
			if ask.Options[0].Kind != "allow_always" {
				t.Fatalf("the options are %+v", ask.Options)
			}
			option, want := ask.Allow(), Completed
			if answer == "deny" {
				option, want = ask.Deny(), Failed
			}
			s.Answer(ask.Key, option)
			s.ended(n)
			if s.count(func(e Event) bool { return e.Type == Called && e.Call.Status == want }) == 0 {
				t.Errorf("no call is %s:\n%s", want, s.story())
			}
			if s.Answer(ask.Key, option) {
				t.Error("a request was answered twice")
			}
		})
	}
}

func TestWhatATurnLeavesOpenIsClosed(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, nil, scripted.OpenCalls)
	n := s.prompt("approve tool make")
	ask := s.until("a request", func(e Event) bool { return e.Type == Permission }).Ask
	s.Answer(ask.Key, ask.Deny())
	s.ended(n)
	s.until("a dropped call", func(e Event) bool { return e.Type == Called && e.Call.Status == Dropped })
	n = s.prompt("approve tool make")
	s.until("a second request", func(e Event) bool { return e.Type == Permission && e.Ask.Key != ask.Key })
	if !s.Cancel() {
		t.Fatal("no turn runs")
	}
	if end := s.ended(n); end.Stop != Cancelled || len(s.Asks()) > 0 {
		t.Errorf("it ended as %s, with %v open", end.Stop, s.Asks())
	}
	if s.Cancel() {
		t.Error("a turn that ended was cancelled")
	}
}

// errAny is any refusal of an agent.
var errAny = errors.New("a refusal")

func TestAConversationIsTakenUp(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		continues Continue
		faults    []scripted.Fault
		unknown   bool
		want      error
		replayed  bool
	}{
		"by resume":                    {},
		"by load":                      {continues: Load, replayed: true},
		"resume advertised, not there": {faults: []scripted.Fault{scripted.NoResume}, replayed: true},
		"resume wanted, not there": {
			continues: Resume, faults: []scripted.Fault{scripted.NoResume}, want: ErrNever,
		},
		"never":                          {continues: Never, want: ErrNever},
		"an unknown one that loads":      {unknown: true, faults: []scripted.Fault{scripted.EmptyLoad}, want: ErrEmpty},
		"an unknown one that is refused": {unknown: true, want: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := "--records=" + filepath.Join(t.TempDir(), "records")
			first := mustPlay(t, func(o *Options) { o.Args = append(o.Args, records) })
			first.ended(first.prompt("say once"))
			session := first.Session()
			if one.unknown {
				session = "unheard-of"
			}
			second, err := play(t, func(o *Options) {
				o.Args = append(o.Args, records)
				o.Session, o.Continues = session, one.continues
			}, one.faults...)
			if one.want != nil {
				refused := (*Failure)(nil)
				if !errors.Is(err, one.want) && (!errors.Is(one.want, errAny) || !errors.As(err, &refused)) {
					t.Fatalf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			second.ended(second.prompt("say twice"))
			before := second.count(func(e Event) bool { return e.Type == Said && e.Replayed && e.Text == "once\n" })
			if (before > 0) != one.replayed {
				t.Errorf("replayed %d:\n%s", before, second.story())
			}
		})
	}
}

func TestAModeThatIsNotHeldIsAnError(t *testing.T) {
	t.Parallel()
	_, err := play(t, func(o *Options) { o.Mode = "yolo" })
	if err == nil || !strings.Contains(err.Error(), "plan, ask") {
		t.Errorf("an unknown mode: %v", err)
	}
	s := mustPlay(t, func(o *Options) { o.Mode = "plan" }, scripted.KeepsMode)
	s.ended(s.prompt("say x"))
	if mode := settingOf(s.Settings(), ModeSetting); mode.Value != "auto" {
		t.Errorf("the mode is reported as %s", mode.Value)
	}
}

func TestFailuresAreReported(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, nil)
	first, second := s.prompt("fail auth"), s.prompt("say still here")
	if end := s.ended(first); end.Err == nil || !strings.Contains(end.Err.Text, "401") {
		t.Errorf("it ended as %+v", end)
	}
	// What was queued behind a failure waits for the user.
	if s.count(func(e Event) bool { return e.Type == Sent && e.Prompt == second }) > 0 {
		t.Error("a prompt was sent behind a failure")
	}
	s.ended(s.prompt("say go"))
	s.ended(second)

	if _, err := play(t, nil, scripted.Login); err == nil || !strings.Contains(err.Error(), "SCRIPTED_KEY") {
		t.Errorf("without a login: %v", err)
	}
	_, err := play(t, func(o *Options) { o.Args = []string{"scripted", "--no-such-flag"} })
	if failed := (*Failure)(nil); !errors.As(err, &failed) || failed.End == nil ||
		!strings.Contains(failed.Text, "no-such-flag") {
		t.Errorf("a program that does not start: %v", err)
	}
	_, err = play(t, func(o *Options) {
		o.Program, o.Args, o.Within = "/bin/sleep", []string{"30"}, 50*time.Millisecond
	})
	if err == nil || !strings.Contains(err.Error(), "no answer to initialize") {
		t.Errorf("a silent program: %v", err)
	}
}

func TestAnAgentThatEndsIsReported(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		prompt string
		fault  []scripted.Fault
		want   string
	}{
		"crash":       {"crash", nil, "status 3"},
		"half a line": {"say x", []scripted.Fault{scripted.HalfLine}, "status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustPlay(t, nil, one.fault...)
			n := s.prompt(one.prompt)
			if end := s.ended(n); end.Stop != Lost || end.Err == nil || !strings.Contains(end.Err.Text, one.want) {
				t.Errorf("it ended as %+v", end)
			}
			<-s.Done()
			if _, _, err := s.Prompt("more"); err == nil {
				t.Error("it takes a prompt")
			}
			if one.fault != nil && s.count(noticed("cut off")) != 1 {
				t.Errorf("the half line is not reported:\n%s", s.story())
			}
		})
	}
}

func TestHostileOutputIsBounded(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, nil, scripted.Flood)
	s.ended(s.prompt("say x"))
	for text, most := range map[string]int{"16 MiB": 2, "left out": maxNotices} {
		if n := s.count(noticed(text)); n == 0 || n > most {
			t.Errorf("%d notices of %q", n, text)
		}
	}
	if n := s.count(func(e Event) bool { return e.Type == Called && e.Call.Status == Pending }); n != maxOpen {
		t.Errorf("%d calls were passed on", n)
	}
	stray := mustPlay(t, nil, scripted.Stray)
	stray.ended(stray.prompt("say x"))
	for _, text := range []string{
		"not made: 77", "moon_phase full", "another session", "not known: weather", "no message: Update available!",
		"no message: [1,2]",
	} {
		if stray.count(noticed(text)) != 1 {
			t.Errorf("no notice of %q:\n%s", text, stray.story())
		}
	}
}

func TestASilentAgentCanBeClosed(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, nil, scripted.Silent)
	n := s.prompt("say x")
	s.Close()
	if end := s.ended(n); end.Stop != Lost {
		t.Errorf("it ended as %+v", end)
	}
	if s.count(func(e Event) bool { return e.Type == Taken }) > 0 {
		t.Error("a prompt counts as taken that the agent never answered")
	}
}

func TestNoiseIsNoAnswer(t *testing.T) {
	t.Parallel()
	s := mustPlay(t, func(o *Options) { o.Noise = []*regexp.Regexp{regexp.MustCompile(`^Info: `)} })
	s.ended(s.prompt("say Info: 1 update"))
	if s.count(noticed("Info: 1 update")) != 1 || s.count(func(e Event) bool { return e.Type == Said }) > 0 {
		t.Errorf("the story is:\n%s", s.story())
	}
}

func FuzzForeignLines(f *testing.F) {
	for _, seed := range []string{
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"1"}}}`,
		`{"id":1,"result":{"stopReason":"end_turn"}}`, `{"id":"a","method":"session/request_permission","params":{}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"config_option_update","configOptions":[{}]}}}`,
	} {
		f.Add([]byte(seed+"\n"), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		seen := make(chan struct{})
		c := newClient(&Options{Program: "x"}, discard{}, func(e Event) {
			if e.Type == Gone {
				close(seen)
			}
		})
		c.stop = func() {}
		c.talk.id, c.talk.opened = "s", true
		_, _, _ = c.Prompt("x")
		cut = max(0, min(len(text), cut))
		c.talk.conn.Take(text[:cut])
		c.talk.conn.Take(text[cut:])
		c.gone(&ended, nil)
		<-seen
	})
}

var ended = child.End{Exit: 0}

// discard takes everything.
type discard struct{}

func (discard) Write(text []byte) (int, error) { return len(text), nil }
func (discard) Close() error                   { return nil }

func TestTheDraftIsSpokenBehindItsSwitch(t *testing.T) {
	t.Parallel()
	draft := func(o *Options) { o.Draft = true }
	for _, test := range []struct {
		name  string
		set   func(*Options)
		fault []scripted.Fault
		fails string
		draft bool
	}{
		{"both know it", draft, []scripted.Fault{scripted.Draft}, "", true},
		{"the agent refuses to be asked", draft, []scripted.Fault{scripted.DraftRefused}, "", false},
		{"the agent answers with version 1", draft, nil, "", false},
		{"without the switch", nil, []scripted.Fault{scripted.Draft}, "Invalid params", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := play(t, test.set, test.fault...)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("opened: %v", err)
				}
				return
			}
			if err != nil || s.talk.draft != test.draft || s.agent.Name != "Scripted" {
				t.Fatal(err)
			}
			number := s.prompt("approve tool make")
			asked := s.until("a request", func(e Event) bool { return e.Type == Permission })
			if asked.Ask.Call.Title != "make" || asked.Ask.Call.ID == "" ||
				!s.Answer(asked.Ask.Key, asked.Ask.Allow()) {
				t.Errorf("asked %+v", asked.Ask)
			}
			if end := s.ended(number); end.Stop != EndTurn || end.Err != nil {
				t.Errorf("ended %+v", end)
			}
			number = s.prompt("say two")
			second := s.prompt("say three")
			s.ended(number)
			if end := s.ended(second); end.Stop != EndTurn {
				t.Errorf("the queue: %+v", end)
			}
			three := func(e Event) bool { return e.Type == Said && strings.Contains(e.Text, "three") }
			if said := s.count(three); said != 1 {
				t.Errorf("said it %d times: %s", said, s.story())
			}
		})
	}
}

// TestUpdatesOfTheDraftBecomeEvents checks what the draft sends in another form than version 1.
func TestUpdatesOfTheDraftBecomeEvents(t *testing.T) {
	for _, test := range []struct {
		name, update string
		want         Event
	}{
		{
			"a plan", `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"one",` +
				`"status":"pending","priority":"low"}]}}`, Event{Type: Planned, Plan: []Step{{"one", "pending", "low"}}},
		},
		{
			"a message", `{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"hi"}]}`,
			Event{Type: Said, Text: "hi", Message: "m"},
		},
		{
			"a thought", `{"sessionUpdate":"agent_thought","messageId":"m","content":[{"type":"text","text":"hm"}]}`,
			Event{Type: Thought, Text: "hm", Message: "m"},
		},
		{
			"work without a prompt", `{"sessionUpdate":"state_update","state":"running"}`,
			Event{Type: Notice, Text: "it works on something without a prompt"},
		},
		{"unknown", `{"sessionUpdate":"terminal_update"}`, Event{Type: Notice, Text: "terminal_update"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []Event
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = read.Close() })
			c := newClient(&Options{}, write, func(e Event) { got = append(got, e) })
			c.stop = func() {}
			c.talk.draft, c.talk.opened, c.talk.id = true, true, "s"
			c.talk.conn.Take([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` +
				test.update + "}}\n"))
			c.gone(&child.End{}, nil)
			<-c.Done()
			if len(got) != 2 || fmt.Sprintf("%+v", got[0]) != fmt.Sprintf("%+v", test.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Asks returns the requests that wait, the oldest first.
func (c *Client) Asks() []Ask {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	var all []Ask
	for _, a := range c.talk.asks {
		all = append(all, a.Ask)
	}
	return all
}

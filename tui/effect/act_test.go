package effect

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/tui/intent"
)

// fakeFleet is a fleet with prepared answers. What a test does not expect to be asked
// panics.
type fakeFleet struct {
	*deliver.Sender
	*lifecycle.Launcher
	err    error
	sent   deliver.Sent
	killed lifecycle.Killed
	tails  []output.Tail
	// restart is what was asked for, restarted the answer.
	restart   lifecycle.RestartRequest
	restarted []lifecycle.Restarted
	word      string
}

func (p *fakeFleet) Send(_ context.Context, request deliver.Request) (deliver.Sent, error) {
	p.word = request.Target.Session
	return p.sent, p.err
}

func (p *fakeFleet) Kill(_ context.Context, request lifecycle.KillRequest) (*lifecycle.Killed, error) {
	p.word = request.Target.Session
	return &p.killed, p.err
}

func (p *fakeFleet) Tail(_ context.Context, request output.Request) ([]output.Tail, error) {
	p.word = request.Target.Session
	return p.tails, p.err
}

func (p *fakeFleet) Spawn(context.Context, lifecycle.SpawnRequest) (*lifecycle.Launches, error) {
	return &lifecycle.Launches{}, p.err
}

func (p *fakeFleet) Restart(_ context.Context, request lifecycle.RestartRequest) ([]lifecycle.Restarted, error) {
	p.word, p.restart = request.Target.Session, request
	return p.restarted, p.err
}

// ask carries out an intent with a fakeFleet.
func (p *fakeFleet) ask(t *testing.T, wanted intent.Intent) Done {
	t.Helper()
	e := &Effects{
		ctx: t.Context(), fleet: services{sender: p, launcher: p, output: p},
		clip: func(string) error { return p.err },
	}
	return e.Do(wanted)().(Done)
}

func delivery(ordinal int, pane core.PaneID, outcome core.Outcome, evidence string) core.Delivery {
	return core.Delivery{
		PaneRef: core.PaneRef{Session: "api", Ordinal: ordinal, Pane: pane},
		Result:  core.Result{Outcome: outcome, Evidence: []string{evidence}},
	}
}

func TestSendReportsEveryDelivery(t *testing.T) {
	p := &fakeFleet{err: &core.Error{Code: core.DeliveryFailed}}
	p.sent.Deliveries = []core.Delivery{
		delivery(1, "%1", core.Delivered, "it left"), delivery(2, "%2", core.Refused, "a dialog is open"),
		delivery(3, "%3", core.Queued, "it waits"), delivery(4, "%4", core.Unconfirmed, "it never left"),
	}
	done := p.ask(t, intent.Send{Target: intent.Target{Session: "api", Address: "api"}, Text: "x"})
	const want = "api.1 delivered, api.2 refused: a dialog is open, api.3 queued, api.4 unconfirmed: it never left; " +
		"s has the prompt again"
	if done.Said != want {
		t.Errorf("said %q", done.Said)
	}
	if len(done.Unsent) != 2 || done.Unsent[0].Pane != "%2" || done.Unsent[1].Address != "api.4" {
		t.Errorf("unsent %+v", done.Unsent)
	}
}

func TestActsNamePanesByID(t *testing.T) {
	p := &fakeFleet{}
	p.ask(t, intent.Kill{Target: intent.Target{Session: "web", Pane: "%7", Address: "web.2"}})
	if p.word != "%7" {
		t.Errorf("the pane is called %q", p.word)
	}
	p.ask(t, intent.Kill{Target: intent.Target{Session: "web", Address: "web"}})
	if p.word != "web" {
		t.Errorf("the session is called %q", p.word)
	}
}

func TestKillCountsSurvivingProcesses(t *testing.T) {
	for reaped, want := range map[int]string{
		0: "ended web", 1: "ended web and 1 process that outlived it",
		2: "ended web and 2 processes that outlived it",
	} {
		p := &fakeFleet{killed: lifecycle.Killed{Reaped: reaped}}
		if done := p.ask(t, intent.Kill{Target: intent.Target{Session: "web", Address: "web"}}); done.Said != want {
			t.Errorf("said %q, want %q", done.Said, want)
		}
	}
	left := job.Left{Proc: process.Proc{PID: 7, Name: "tmux: server"}, Why: "it serves others"}
	p := &fakeFleet{killed: lifecycle.Killed{Left: []job.Left{left}}}
	want := "ended web; process 7 (tmux: server): it serves others, goes on"
	if done := p.ask(t, intent.Kill{Target: intent.Target{Session: "web", Address: "web"}}); done.Said != want {
		t.Errorf("said %q, want %q", done.Said, want)
	}
}

func TestFailedActHasNoMessage(t *testing.T) {
	broken := errors.New("broken")
	for _, wanted := range []intent.Intent{
		intent.Spawn{Session: "x"},
		intent.Copy{Pane: "%1"},
		intent.Kill{},
		intent.Send{},
	} {
		p := &fakeFleet{err: broken}
		if done := p.ask(t, wanted); done.Said != "" || !errors.Is(done.Err, broken) || len(done.Unsent) != 0 {
			t.Errorf("%T: %+v", wanted, done)
		}
	}
}

func TestRestartsSayWhatWentOn(t *testing.T) {
	pane := intent.Target{Session: "api", Pane: "%1", Address: "api.1"}
	session := intent.Target{Session: "api", Address: "api"}
	for _, test := range []struct {
		wanted    intent.Restart
		restarted []lifecycle.Restarted
		said      string
	}{
		{intent.Restart{Target: pane}, []lifecycle.Restarted{{Session: "a"}}, "restarted api.1 in its last session"},
		{
			intent.Restart{Target: pane},
			[]lifecycle.Restarted{{Fresh: "it recorded none"}},
			"restarted api.1 in a new session: it recorded none",
		},
		{intent.Restart{Target: pane, Fresh: true}, []lifecycle.Restarted{{Fresh: "asked for"}}, "restarted api.1"},
		{
			intent.Restart{Target: session},
			[]lifecycle.Restarted{{Session: "a"}, {}, {Session: "b"}},
			"restarted api: 2 of 3 agents in their last sessions",
		},
	} {
		f := &fakeFleet{restarted: test.restarted}
		done := f.ask(t, test.wanted)
		if done.Said != test.said || done.Err != nil {
			t.Errorf("said %q (%v), want %q", done.Said, done.Err, test.said)
		}
		if f.restart.Fresh != test.wanted.Fresh || f.restart.Every != (test.wanted.Target.Pane == "") {
			t.Errorf("asked %+v", f.restart)
		}
	}
}

func TestKeysArePressedInTheirOrder(t *testing.T) {
	var pressed []string
	press := func(_ context.Context, request deliver.KeysRequest) error {
		pressed = append(pressed, request.Target.Session+":"+strings.Join(request.Keys, ""))
		return nil
	}
	one, two := intent.Target{Pane: "%1"}, intent.Target{Pane: "%2"}
	var keys typist
	var commands []tea.Cmd
	for _, w := range []intent.Press{{Target: one, Keys: "a b"}, {Target: one, Keys: "c"}, {Target: two, Keys: "d"}} {
		commands = append(commands, keys.add(t.Context(), w, press))
	}
	for i := len(commands) - 1; i >= 0; i-- { // whichever command runs first
		if msg := commands[i](); msg != nil {
			t.Errorf("got %+v", msg)
		}
	}
	if got := strings.Join(pressed, " "); got != "%1:abc %2:d" {
		t.Errorf("pressed %s", got)
	}
}

package deliver

import (
	"encoding/json"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cupola/core"
	"cupola/core/agent/acp/desk"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/terminal"
)

// byProtocol makes the scripted agent a kind whose panes show a conversation by protocol.
var byProtocol = fstest.MapFS{"scripted.toml": {Data: []byte("id = \"scripted\"\n[launch]\n" +
	"command = [\"{self}\", \"acp:scripted\"]\n[acp]\ncommand = [\"scripted\"]\n")}}

// program serves a conversation at a socket: it answers each request that is no look with a reply, and none if reply is
// nil. It counts the prompts that it got.
func program(t *testing.T, path string, reply *desk.Reply) (prompts func() []string) {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var request desk.Request
			if json.NewDecoder(conn).Decode(&request) == nil {
				answer := &desk.Reply{Done: true, State: desk.State{State: core.Idle, By: "turn_ended"}}
				if request.Act == desk.Prompt {
					got, answer = append(got, request.Text), reply
				}
				if answer != nil {
					_ = json.NewEncoder(conn).Encode(answer)
				}
			}
			_ = conn.Close()
		}
	}()
	return func() []string {
		_ = listener.Close()
		<-done
		return got
	}
}

func TestAPromptByProtocolIsWhatItsAgentAcknowledged(t *testing.T) {
	working := desk.State{State: core.Working, By: "prompt"}
	for name, c := range map[string]struct {
		reply    *desk.Reply
		outcome  core.Outcome
		why      string
		evidence string
	}{
		"taken":    {&desk.Reply{State: working, Done: true, Number: 3}, core.Delivered, "", "as prompt 3"},
		"queued":   {&desk.Reply{State: working, Queued: true, Number: 4}, core.Queued, "", "running turn"},
		"no sign":  {&desk.Reply{State: working, Number: 5}, core.Unconfirmed, "", "the agent has shown nothing"},
		"refused":  {&desk.Reply{Failed: "it has ended"}, core.Refused, terminal.WhyGone, "it has ended"},
		"cut off":  {nil, core.Unconfirmed, "", "did not say what became of it"},
		"no reply": {&desk.Reply{}, core.Unconfirmed, "", "shown nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := enginetest.ShortDir(t)
			a := fleettest.NewScriptedEngine()
			dir := rundir.New(a, runtime, "", time.Now, slog.New(slog.DiscardHandler))
			prompts := program(t, dir.Found(t.Context()).Conversation("%1"), c.reply)
			sender := open(t, Options{Engine: a, Dir: dir, Kinds: fleettest.Kinds(t, byProtocol)})
			request := Request{Target: resolve.Target{Session: "api"}, Text: "run the tests"}
			sent, err := sender.Send(t.Context(), request)
			got := prompts()
			if len(sent.Deliveries) != 1 {
				t.Fatalf("%+v, %v", sent, err)
			}
			d := sent.Deliveries[0]
			if d.Outcome != c.outcome || d.Why != c.why || !strings.Contains(d.Saw(), c.evidence) {
				t.Errorf("%+v, %v; want %s %s with %q", d, err, c.outcome, c.why, c.evidence)
			}
			if len(got) != 1 || got[0] != "run the tests" || len(a.Pasted)+len(a.Pressed) > 0 || d.Enters != 0 {
				t.Errorf("it got %q; typed were %q and %q", got, a.Pasted, a.Pressed)
			}
		})
	}
}

func TestNothingIsTypedWhereNoProgramServesTheConversation(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	d, took := deliverTo(t, a, nil, byProtocol)
	wantDelivery(t, a, d, core.Refused, terminal.WhyGone, 0, 0, "does not answer")
	if took < servedWithin || took > servedWithin+time.Second {
		t.Errorf("it took %s", took)
	}
}

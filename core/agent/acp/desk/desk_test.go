package desk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/acp"
	"cupola/core/agent/scripted"
)

func TestMain(m *testing.M) {
	scripted.Main(context.Background())
	os.Exit(m.Run())
}

// open serves a conversation with the scripted agent, and returns its socket and the states as they change.
func open(t *testing.T) (socket string, states chan State) {
	t.Helper()
	socket, states = filepath.Join(t.TempDir(), "socket"), make(chan State, 1000)
	d := New(time.Now, func(s State) { states <- s })
	client, err := acp.Open(t.Context(), acp.Options{
		Program: os.Args[0], Args: []string{
			"scripted", "--acp", "--speed=0", "--records=" + filepath.Join(t.TempDir(), "records"),
		},
		Dir: t.TempDir(), Env: os.Environ(),
	}, func(e acp.Event) { d.Take(&e) })
	if err != nil {
		t.Fatal(err)
	}
	d.Open(client)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx, socket) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		client.Close()
		<-client.Done()
	})
	return socket, states
}

// call asks, once the socket is there.
func call(t *testing.T, socket string, r *Request) *Reply {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(30 * time.Second); ; {
		reply, err := Call(t.Context(), socket, r)
		if err == nil {
			return reply
		}
		if !errors.Is(err, ErrNone) {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("no socket")
		}
	}
}

// until waits for a state.
func until(t *testing.T, states chan State, is func(State) bool) State {
	t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		select {
		case s := <-states:
			if is(s) {
				return s
			}
		case <-deadline:
			t.Fatal("the state never came")
		}
	}
}

func TestAConversationIsServed(t *testing.T) {
	socket, states := open(t)
	until(t, states, func(s State) bool { return s.State == core.Idle && s.Session != "" })
	sent := call(t, socket, &Request{Act: Prompt, Text: "approve tool make say hello", Within: time.Minute})
	if !sent.Done || sent.Queued || sent.Failed != "" {
		t.Fatalf("the prompt: %+v", sent)
	}
	waits := until(t, states, func(s State) bool { return s.State == core.Waiting })
	if waits.Line != "make" || waits.Reason != core.ReasonApproval || waits.By != "permission" {
		t.Errorf("it waits as %+v", waits)
	}
	queued := call(t, socket, &Request{Act: Prompt, Text: "say later", Within: time.Minute})
	if queued.Done || !queued.Queued {
		t.Errorf("a prompt behind a turn: %+v", queued)
	}
	if bad := call(t, socket, &Request{Act: Answer, Key: waits.Ask.Key, Option: "ever"}); bad.Done {
		t.Error("it took an option that is not offered")
	}
	answered := call(t, socket, &Request{Act: Answer, Key: waits.Ask.Key, Option: waits.Ask.Allow()})
	if !answered.Done || answered.State.Ask != nil {
		t.Errorf("it took no answer: %+v", answered)
	}
	until(t, states, func(s State) bool { return s.State == core.Idle && s.Last == "later\n" && s.Complete })

	call(t, socket, &Request{Act: Prompt, Text: "approve tool make", Within: time.Minute})
	until(t, states, func(s State) bool { return s.State == core.Waiting })
	if stopped := call(t, socket, &Request{Act: Cancel, Within: time.Minute}); !stopped.Done ||
		stopped.State.State != core.Idle {
		t.Errorf("the interrupt: %+v", stopped)
	}
	if call(t, socket, &Request{Act: Cancel}).Failed == "" {
		t.Error("an interrupt without a turn")
	}
	call(t, socket, &Request{Act: Prompt, Text: "fail auth", Within: time.Minute})
	failed := until(t, states, func(s State) bool { return s.State == core.Errored })
	if failed.Reason != core.ReasonAuth {
		t.Errorf("it failed as %+v", failed)
	}
}

func TestNobodyServesForAnotherProcess(t *testing.T) {
	if _, err := Call(t.Context(), filepath.Join(t.TempDir(), "x"), &Request{Act: Look}); !errors.Is(err, ErrNone) {
		t.Errorf("the error is %v", err)
	}
}

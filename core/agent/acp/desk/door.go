package desk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/rpc"
	"cupola/core/system/private/socket"
)

// causeOf is the state and the reason that a failure proves.
func causeOf(f *acp.Failure) (core.State, core.Reason) {
	if f.Code == rpc.CodeAuthRequired || f.Code == 401 || f.Code == 403 {
		return core.Errored, core.ReasonAuth
	}
	return agent.CauseOf(f.Text)
}

// Act is something that a caller wants.
type Act string

// The acts.
const (
	Look   Act = "look"
	Prompt Act = "prompt"
	Answer Act = "answer"
	Cancel Act = "cancel"
)

// Request asks for an act.
type Request struct {
	Act Act `json:"act"`
	// Text is the prompt.
	Text string `json:"text,omitempty"`
	// Key and Option answer a request: its key, and the id of an option.
	Key    string `json:"key,omitempty"`
	Option string `json:"option,omitempty"`
	// Within is how long to wait until the agent shows that it took a prompt, or until a cancelled turn has ended.
	Within time.Duration `json:"within,omitempty"`
}

// Reply is the answer to a Request, with the state after it.
type Reply struct {
	State State `json:"state"`
	// Done is true if the act has had its effect: the agent took the prompt, the request is answered, the turn ended.
	Done bool `json:"done"`
	// Queued is true for a prompt that waits for the running turn.
	Queued bool `json:"queued,omitempty"`
	// Number is the number of the prompt.
	Number int `json:"number,omitempty"`
	// Failed is why the act was refused; empty if it was not.
	Failed string `json:"failed,omitempty"`
}

// mostAsked is the longest request, in bytes: a prompt of a mebibyte with its escapes.
const mostAsked = 8 << 20

// Serve answers callers at a path until ctx ends, and removes it. Only processes of the user can connect.
func (d *Desk) Serve(ctx context.Context, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, listener.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return nil // it was closed
		}
		go d.serve(ctx, conn)
	}
}

// serve answers one caller.
func (d *Desk) serve(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	var request Request
	if json.NewDecoder(io.LimitReader(bufio.NewReader(conn), mostAsked)).Decode(&request) != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // a caller that goes waits for nothing
		stop()
	}()
	reply := d.Do(ctx, &request)
	reply.State = d.State()
	_ = json.NewEncoder(conn).Encode(reply)
}

// Do carries out a request.
func (d *Desk) Do(ctx context.Context, r *Request) Reply {
	if r.Act == Look {
		return Reply{Done: true}
	}
	if r.Act == Prompt {
		awaitStep(ctx, d.opened, r.Within) // an agent may take seconds to start
	}
	d.mu.Lock()
	client := d.client
	d.mu.Unlock()
	if client == nil {
		return Reply{Failed: "the agent has not started"}
	}
	switch r.Act {
	case Prompt:
		number, sent, err := client.Prompt(r.Text)
		if err != nil {
			return Reply{Failed: err.Error()}
		}
		reply := Reply{Number: number, Queued: !sent}
		reply.Done = sent && awaitStep(ctx, d.step(d.steps, number), r.Within)
		return reply
	case Answer:
		done := client.Answer(r.Key, r.Option)
		if done {
			d.awaitSettled(ctx, r.Key, time.Second)
		}
		return Reply{Done: done}
	case Cancel:
		number := client.Turn()
		if !client.Cancel() {
			return Reply{Failed: "no turn runs"}
		}
		return Reply{Done: awaitStep(ctx, d.step(d.ends, number), r.Within)}
	}
	return Reply{Failed: fmt.Sprintf("there is no act %q", r.Act)}
}

// connectWithin is how long a connection may take.
const connectWithin = 2 * time.Second

// At returns the state of the conversation that is served at a path; false if none is.
func At(ctx context.Context, path string) (State, bool) {
	if path == "" {
		return State{}, false
	}
	reply, err := Call(ctx, path, &Request{Act: Look})
	if err != nil {
		return State{}, false
	}
	return reply.State, true
}

// ErrNone means that no process serves a conversation at a path.
var ErrNone = errors.New("no program serves a conversation there")

// Call asks the program that serves a conversation at a path. The error is ErrNone if none does.
func Call(ctx context.Context, path string, request *Request) (*Reply, error) {
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket {
		return nil, ErrNone
	}
	conn, err := socket.Connect(ctx, path, connectWithin)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := json.NewEncoder(conn).Encode(request); err != nil {
		return nil, err
	}
	var reply Reply
	if err := json.NewDecoder(io.LimitReader(conn, mostAsked)).Decode(&reply); err != nil {
		return nil, err
	}
	return &reply, nil
}

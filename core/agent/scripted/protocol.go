package scripted

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core/system/plainfile"
)

// Fault is a way in which the program differs from the Agent Client Protocol, as agents do.
type Fault string

// The faults.
const (
	// BusyCancels: a prompt during a turn cancels the turn.
	BusyCancels Fault = "busy-cancels"
	// EmptyLoad: an unknown session is loaded, and is empty. NoResume: session/resume is advertised and not there.
	EmptyLoad Fault = "empty-load"
	NoResume  Fault = "no-resume"
	// KeepsMode: another mode is in force after one was set.
	KeepsMode Fault = "keeps-mode"
	// AlwaysFirst: the first option of a request allows for ever. Reversed: its options come in the reverse order.
	AlwaysFirst Fault = "always-first"
	Reversed    Fault = "reversed"
	// ErrorTurn: a failure is an ordinary turn. OpenCalls: a rejected or cancelled tool call never ends.
	ErrorTurn Fault = "error-turn"
	OpenCalls Fault = "open-calls"
	// Login: no session without a login. Silent: no prompt has an answer.
	Login  Fault = "login"
	Silent Fault = "silent"
	// HalfLine: it ends in the middle of a message. Flood: one message of 20 MiB, and thousands of tool calls.
	HalfLine Fault = "half-line"
	Flood    Fault = "flood"
	// Stray: answers without a request, unknown updates, requests and notifications, and lines that are no messages.
	Stray Fault = "stray"
	// Draft: it speaks version 2 of the protocol, and no other. DraftRefused: it refuses to be asked for version 2.
	Draft        Fault = "draft"
	DraftRefused Fault = "draft-refused"
)

// Protocol is the program without a terminal: an agent that speaks the Agent Client Protocol over two streams. Its
// turns are scripted by the same words.
type Protocol struct {
	In  io.Reader
	Out io.Writer
	// Faults are the faults of this agent.
	Faults []Fault
	// Records is a file that keeps what was said in each session; empty keeps nothing.
	Records string
	// Speed multiplies the time that turns take; 0 is none.
	Speed float64
	// Now returns the time; nil is the machine's.
	Now func() time.Time

	// log has the prompts, requests and answers; the zero value keeps none.
	log eventLog

	mu      sync.Mutex
	answers map[string]chan json.RawMessage
	count   int
	mode    string
	running *protocolTurn
	records map[string][]said
}

// said is a message on record.
type said struct{ Kind, Text string }

// protocolTurn is a running turn.
type protocolTurn struct {
	id      json.RawMessage
	session string
	cancel  context.CancelFunc
	done    chan struct{}
}

// rpc is a message on the wire.
type rpc struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

type fields = map[string]any

// errBye ends the program with a status.
type errBye int

func (e errBye) Error() string { return fmt.Sprintf("status %d", int(e)) }

// Run answers until the input ends, and returns the exit status.
func (p *Protocol) Run(ctx context.Context) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.answers, p.mode, p.records = map[string]chan json.RawMessage{}, "ask", map[string][]said{}
	if text, err := plainfile.Read(p.Records, plainfile.Record); err == nil {
		_ = json.Unmarshal(text, &p.records)
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		in := bufio.NewReader(p.In)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return 0
			}
			p.take(ctx, stop, line)
		case <-ctx.Done():
			if bye := errBye(0); errors.As(context.Cause(ctx), &bye) {
				return int(bye)
			}
			return 0
		}
	}
}

func (p *Protocol) has(fault Fault) bool { return slices.Contains(p.Faults, fault) }

func (p *Protocol) send(m rpc) {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err == nil {
		p.print(string(text) + "\n")
	}
}

func (p *Protocol) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.Out, text) // a client that is gone ends the input too
}

func (p *Protocol) reply(id json.RawMessage, result any) { p.send(rpc{ID: id, Result: result}) }

func (p *Protocol) refuse(id json.RawMessage, code int, text string) {
	p.send(rpc{ID: id, Error: fields{"code": code, "message": text}})
}

func (p *Protocol) update(session string, update fields) {
	p.send(rpc{Method: "session/update", Params: fields{"sessionId": session, "update": update}})
}

// request is a message of the client.
type request struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Params struct {
		Version int    `json:"protocolVersion"`
		Session string `json:"sessionId"`
		Mode    string `json:"modeId"`
		Prompt  []struct{ Text string }
	}
}

// take answers a message of the client.
func (p *Protocol) take(ctx context.Context, stop context.CancelCauseFunc, line []byte) {
	var m request
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch m.Method {
	case "":
		p.mu.Lock()
		waiting := p.answers[string(m.ID)]
		delete(p.answers, string(m.ID))
		p.mu.Unlock()
		if waiting != nil {
			waiting <- m.Result
		}
	case "initialize":
		switch {
		case p.has(Draft) && m.Params.Version != 2 || p.has(DraftRefused) && m.Params.Version != 1:
			p.refuse(m.ID, -32602, "Invalid params")
			return
		case p.has(Draft):
			p.reply(m.ID, fields{
				"protocolVersion": 2, "info": fields{"name": "scripted", "title": "Scripted", "version": Version},
				"capabilities": fields{"session": fields{}},
			})
			return
		}
		sessions := fields{"list": fields{}}
		if !p.has(EmptyLoad) {
			sessions["resume"] = fields{}
		}
		p.reply(m.ID, fields{
			"protocolVersion": 1, "agentInfo": fields{"name": "scripted", "title": "Scripted", "version": Version},
			"agentCapabilities": fields{"loadSession": true, "sessionCapabilities": sessions},
			"authMethods":       []fields{{"id": "key", "name": "Set SCRIPTED_KEY"}},
		})
	case "session/new", "session/load", "session/resume":
		p.open(&m)
	case "session/set_mode":
		p.reply(m.ID, fields{})
		p.mode = m.Params.Mode
	case "session/prompt":
		p.prompt(ctx, stop, &m)
	case "session/cancel":
		if p.running != nil {
			p.running.cancel()
		}
	default:
		p.refuse(m.ID, -32601, "no method "+m.Method)
	}
}

// open makes or takes up a session.
func (p *Protocol) open(m *request) {
	session := cmp.Or(m.Params.Session, fmt.Sprintf("s%d", p.Now().UnixNano()))
	before, known := p.records[session]
	switch {
	case p.has(Login):
		p.refuse(m.ID, -32000, "Authentication required")
		return
	case m.Method == "session/resume" && p.has(NoResume):
		p.refuse(m.ID, -32601, "no method session/resume")
		return
	case m.Method != "session/new" && !known && !p.has(EmptyLoad):
		p.refuse(m.ID, -32602, "no session "+session)
		return
	case m.Method == "session/load":
		for _, each := range before {
			p.update(session, fields{"sessionUpdate": each.Kind, "content": fields{"type": "text", "text": each.Text}})
		}
	}
	p.reply(m.ID, fields{"sessionId": session, "modes": fields{"currentModeId": p.mode, "availableModes": []fields{
		{"id": "plan", "name": "Plan"}, {"id": "ask", "name": "Ask"}, {"id": "auto", "name": "Auto"},
	}}})
	p.update(session, fields{"sessionUpdate": "available_commands_update", "availableCommands": []fields{
		{"name": "compact", "description": "Make the conversation shorter"},
	}})
	if p.has(Stray) {
		p.stray(session)
	}
}

// stray sends what no client asked for.
func (p *Protocol) stray(session string) {
	p.reply(json.RawMessage("77"), fields{})
	p.update(session, fields{"sessionUpdate": "moon_phase", "text": "full"})
	p.update("another", fields{"sessionUpdate": "plan"})
	p.send(rpc{ID: json.RawMessage(`"f1"`), Method: "fs/read_text_file", Params: fields{"path": "/etc/passwd"}})
	p.send(rpc{Method: "$/progress"})
	p.send(rpc{Method: "weather", Params: fields{}})
	p.print("Update available!\n[1,2]\n{\"jsonrpc\":\n")
}

// prompt begins a turn.
func (p *Protocol) prompt(ctx context.Context, stop context.CancelCauseFunc, m *request) {
	if p.has(Silent) {
		return
	}
	before := p.running
	if before != nil && p.has(BusyCancels) {
		before.cancel()
	}
	var text strings.Builder
	for _, part := range m.Params.Prompt {
		text.WriteString(part.Text)
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &protocolTurn{id: m.ID, session: m.Params.Session, cancel: cancel, done: make(chan struct{})}
	p.running = t
	go func() {
		defer close(t.done)
		defer cancel()
		if before != nil {
			<-before.done
		}
		if err := p.play(ctx, t, text.String()); err != nil {
			stop(err)
		}
	}()
}

// Package desk gives other processes a conversation that this one has with an agent: what state it is in, and acts on
// it, over a private socket. The program of a pane serves it; who sends prompts, answers and interrupts calls it.
package desk

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/acp"
)

// State is the state of the conversation, as its messages say.
type State struct {
	State  core.State  `json:"state"`
	Reason core.Reason `json:"reason,omitempty"`
	// Line says in words what the agent does or asks.
	Line string `json:"line,omitempty"`
	// By names the message that the state follows from.
	By      string    `json:"by"`
	Since   time.Time `json:"since"`
	Session string    `json:"session,omitempty"`
	Queued  int       `json:"queued,omitempty"`
	// Ask is the oldest request that waits; nil if none does.
	Ask *acp.Ask `json:"ask,omitempty"`
	// Last is the last message of the agent, and Complete is true once its turn has ended.
	Last     string `json:"last,omitempty"`
	Complete bool   `json:"complete,omitempty"`
	// Usage has the tokens and costs that the agent reported last; nil if it reported none.
	Usage *acp.Usage `json:"usage,omitempty"`
}

// mostLast bounds Last, in bytes.
const mostLast = 1 << 20

// Desk follows a conversation. Take gets its events.
type Desk struct {
	// Now returns the time; Changed is called after each change of the state.
	now     func() time.Time
	changed func(State)

	mu     sync.Mutex
	client *acp.Client
	// opened is closed when there is a client.
	opened chan struct{}
	state  State
	asks   []*acp.Ask
	apart  bool
	// steps are closed when the agent took a prompt, and ends when the turn of one ended.
	steps, ends map[int]chan struct{}
	// settled is closed and replaced when a request is settled.
	settled chan struct{}
}

// New returns a desk for a conversation that begins. Changed is called after each change of the state.
func New(now func() time.Time, changed func(State)) *Desk {
	return &Desk{
		now: now, changed: changed, steps: map[int]chan struct{}{}, ends: map[int]chan struct{}{},
		settled: make(chan struct{}), opened: make(chan struct{}),
		state: State{State: core.Starting, By: "start", Since: now()},
	}
}

// Open gives the desk the client that it acts with.
func (d *Desk) Open(client *acp.Client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.client == nil {
		close(d.opened)
	}
	d.client = client
}

// State returns the state.
func (d *Desk) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Take follows an event.
func (d *Desk) Take(e *acp.Event) {
	d.mu.Lock()
	before := d.state
	d.follow(e)
	if before.State != d.state.State || before.Reason != d.state.Reason || before.Line != d.state.Line {
		d.state.Since = d.now()
		defer d.changed(d.state)
	}
	d.mu.Unlock()
}

// follow changes the state by an event.
func (d *Desk) follow(e *acp.Event) {
	s := &d.state
	to := func(state core.State, reason core.Reason, line string) {
		s.State, s.Reason, s.Line, s.By = state, reason, line, string(e.Type)
	}
	if e.Usage != nil && *e.Usage != (acp.Usage{}) {
		s.Usage = e.Usage
	}
	switch e.Type {
	case acp.Opened:
		s.Session = e.Text
		to(core.Idle, "", "")
	case acp.Queued:
		s.Queued++
	case acp.Sent:
		s.Last, s.Complete, s.Queued = "", false, max(0, s.Queued-1)
		to(core.Working, "", "")
	case acp.Taken:
		d.pass(d.steps, e.Prompt)
	case acp.Thought:
		d.work(core.ReasonThinking, "", e)
	case acp.Said:
		d.said(e)
		d.work(core.ReasonStreaming, "", e)
	case acp.Called:
		d.apart = true
		if e.Call.Status.Open() {
			d.work(core.ReasonTool, cmp.Or(e.Call.Command, e.Call.Title), e)
		}
	case acp.Permission:
		d.asks = append(d.asks, e.Ask)
		d.waits(string(e.Type))
	case acp.Settled:
		for i, ask := range d.asks {
			if ask.Key == e.Ask.Key {
				d.asks = append(d.asks[:i:i], d.asks[i+1:]...)
				break
			}
		}
		d.waits(string(e.Type))
		close(d.settled)
		d.settled = make(chan struct{})
	case acp.Ended:
		d.pass(d.steps, e.Prompt)
		d.pass(d.ends, e.Prompt)
		d.asks, s.Ask, s.Complete = nil, nil, true
		to(core.Idle, "", "")
		if e.Err != nil {
			to(Failure(e.Err), reasonOf(e.Err), e.Err.Text)
		}
	case acp.Gone:
		s.Ask = nil
		to(core.Exited, core.ReasonFailed, e.Err.Text)
	}
}

// work notes what the agent works on, unless it waits for an answer or says something outside a turn.
func (d *Desk) work(reason core.Reason, line string, e *acp.Event) {
	if d.state.State == core.Working && !e.Replayed {
		d.state.Reason, d.state.Line, d.state.By = reason, line, string(e.Type)
	}
}

// waits notes whether a request waits.
func (d *Desk) waits(by string) {
	s := &d.state
	s.Ask, s.By = nil, by
	if len(d.asks) == 0 {
		if s.State == core.Waiting {
			s.State, s.Reason, s.Line = core.Working, "", ""
		}
		return
	}
	s.Ask = d.asks[0]
	s.State, s.Reason, s.Line = core.Waiting, core.ReasonApproval, cmp.Or(s.Ask.Call.Command, s.Ask.Call.Title)
}

// said keeps the last message.
func (d *Desk) said(e *acp.Event) {
	if d.apart {
		d.state.Last = ""
	}
	d.apart = false
	if len(d.state.Last)+len(e.Text) <= mostLast {
		d.state.Last += e.Text
	}
}

// pass closes the channel of a step of a prompt.
func (d *Desk) pass(of map[int]chan struct{}, prompt int) {
	if prompt == 0 {
		return
	}
	if of[prompt] == nil {
		of[prompt] = make(chan struct{})
	}
	select {
	case <-of[prompt]:
	default:
		close(of[prompt])
	}
	delete(of, prompt-mostSteps)
}

// mostSteps is how many prompts back a caller may still wait for.
const mostSteps = 1000

// step returns the channel of a step of a prompt.
func (d *Desk) step(of map[int]chan struct{}, prompt int) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if of[prompt] == nil {
		of[prompt] = make(chan struct{})
	}
	return of[prompt]
}

// Failure is the state that a turn that failed leads to.
func Failure(f *acp.Failure) core.State {
	if state, _ := causeOf(f); state != "" {
		return state
	}
	return core.Errored
}

func reasonOf(f *acp.Failure) core.Reason {
	_, reason := causeOf(f)
	return cmp.Or(reason, core.ReasonOther)
}

// awaitSettled waits until a request does not wait any more.
func (d *Desk) awaitSettled(ctx context.Context, key string, within time.Duration) {
	for {
		d.mu.Lock()
		open := slices.ContainsFunc(d.asks, func(a *acp.Ask) bool { return a.Key == key })
		settled := d.settled
		d.mu.Unlock()
		if !open || !awaitStep(ctx, settled, within) {
			return
		}
	}
}

// awaitStep waits for a step, not longer than within.
func awaitStep(ctx context.Context, step chan struct{}, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-step:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

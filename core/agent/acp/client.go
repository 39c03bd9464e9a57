package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"

	"cupola/core/agent/acp/rpc"
	"cupola/core/system/process/child"
)

// Client is one conversation with an agent. Its methods may be called by several goroutines, and by the function that
// gets the events.
type Client struct {
	opts  *Options
	talk  *talk
	stop  context.CancelFunc
	agent Agent
}

// talk is the state of a conversation, which the agent's messages and the client's acts change.
type talk struct {
	opts   *Options
	conn   *rpc.Conn
	events *feed

	mu sync.Mutex
	// draft is true for an agent that speaks the version that is a draft.
	draft    bool
	id       string
	settings []Setting
	// opened is true once the session is there: updates before it are replayed, and counted.
	opened   bool
	replayed int
	turn     *turn
	queue    []prompt
	// held is true after a turn that failed: the queue waits for the next prompt.
	held  bool
	count int
	asks  []*ask
	// asked counts requests.
	asked int
	usage Usage
	// end is how the agent ended, and closing that it was ended on purpose.
	end     *child.End
	closing bool
}

// prompt is a prompt with its number.
type prompt struct {
	number int
	text   string
}

// turn is the running turn.
type turn struct {
	prompt
	// taken is true once the agent has shown that it works on the prompt.
	taken bool
	// began is true once the agent said that it works, and pieces are the messages that came in pieces.
	began   bool
	pieces  map[string]bool
	calls   map[string]*Call
	order   []string
	notices int
	said    int
}

// ask is a request that waits, with its id on the wire.
type ask struct {
	Ask
	wire json.RawMessage
}

func newClient(opts *Options, to io.WriteCloser, on func(Event)) *Client {
	t := &talk{opts: opts, events: newFeed(on)}
	t.conn = rpc.New(to, t.handle, func(f rpc.Fault) { t.notice(f.Text) })
	return &Client{opts: opts, talk: t}
}

// Session returns the agent's id of the conversation.
func (c *Client) Session() string {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	return c.talk.id
}

// Settings returns the settings of the session, with their present values.
func (c *Client) Settings() []Setting {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	return slices.Clone(c.talk.settings)
}

// Done is closed once the agent has ended and all events have been passed.
func (c *Client) Done() <-chan struct{} { return c.talk.events.done }

// Prompt sends a prompt, or queues it behind the running turn: agents may cancel a turn for another prompt. It returns
// the number of the prompt, and false for one that is queued. A prompt to an agent that has ended is a *Failure.
func (c *Client) Prompt(text string) (number int, sent bool, err error) {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	if c.talk.end != nil || c.talk.closing {
		return 0, false, &Failure{Text: "the agent has ended", End: c.talk.end}
	}
	c.talk.count++
	c.talk.held = false
	c.talk.queue = append(c.talk.queue, prompt{c.talk.count, text})
	if c.talk.turn != nil {
		c.talk.events.add(Event{Type: Queued, Prompt: c.talk.count, Text: text})
		return c.talk.count, false, nil
	}
	number = c.talk.count
	c.talk.nextTurn()
	return number, c.talk.turn != nil && c.talk.turn.number == number, nil
}

// Withdraw removes the prompts that wait, and returns them.
func (c *Client) Withdraw() []string {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	texts := core.Map(c.talk.queue, func(p prompt) string { return p.text })
	c.talk.queue = nil
	return texts
}

// nextTurn sends the first prompt that waits.
func (c *talk) nextTurn() {
	if len(c.queue) == 0 || c.turn != nil || c.held || c.end != nil {
		return
	}
	c.turn = &turn{prompt: c.queue[0], calls: map[string]*Call{}, pieces: map[string]bool{}}
	c.queue = c.queue[1:]
	c.events.add(Event{Type: Sent, Prompt: c.turn.number, Text: c.turn.text})
	c.conn.Start("session/prompt", map[string]any{
		"sessionId": c.id, "prompt": []map[string]string{{"type": "text", "text": c.turn.text}},
	}, c.answered)
}

// Cancel interrupts the running turn. It returns false if none runs.
func (c *Client) Cancel() bool {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	if c.talk.turn == nil || c.talk.end != nil {
		return false
	}
	c.talk.conn.Notify("session/cancel", map[string]string{"sessionId": c.talk.id})
	c.talk.dropAsks()
	return true
}

// Answer answers a request with one of its options. An empty option cancels it. It returns false for a request that
// does not wait, and for an option that it does not offer.
func (c *Client) Answer(key, option string) bool {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	i := slices.IndexFunc(c.talk.asks, func(a *ask) bool { return a.Key == key })
	if i < 0 {
		return false
	}
	a := c.talk.asks[i]
	if option != "" && !slices.ContainsFunc(a.Options, func(o Option) bool { return o.ID == option }) {
		return false
	}
	c.talk.asks = slices.Delete(c.talk.asks, i, i+1)
	c.talk.settle(a, option)
	return true
}

// settle answers a request that waited.
func (c *talk) settle(a *ask, option string) {
	outcome := map[string]string{"outcome": "cancelled"}
	if option != "" {
		outcome = map[string]string{"outcome": "selected", "optionId": option}
	}
	c.conn.Reply(a.wire, map[string]any{"outcome": outcome}, nil)
	c.events.add(Event{Type: Settled, Ask: &a.Ask, Text: option})
}

func (c *talk) dropAsks() {
	for _, a := range c.asks {
		c.settle(a, "")
	}
	c.asks = nil
}

// Set sets the setting of a category or an id, by the id or the name of a value, and checks that the agent holds it.
func (c *Client) Set(ctx context.Context, category, value string) error {
	c.talk.mu.Lock()
	setting := settingOf(c.talk.settings, category)
	if setting == nil {
		c.talk.mu.Unlock()
		return &Failure{Text: fmt.Sprintf("the agent has no setting for the %s: %q cannot be set", category, value)}
	}
	copied := *setting
	c.talk.mu.Unlock()
	choice, err := copied.Find(value)
	if err != nil {
		return &Failure{Text: err.Error()}
	}
	params := map[string]string{"sessionId": c.Session()}
	switch copied.method {
	case setMode:
		params["modeId"] = choice.ID
	case setModel:
		params["modelId"] = choice.ID
	default:
		params["configId"], params["value"] = copied.ID, choice.ID
	}
	answer, err := c.talk.conn.Call(ctx, cmp.Or(c.opts.Within, time.Minute), cmp.Or(copied.method, setOption), params,
		nil)
	if err != nil {
		refused := &Failure{Text: fmt.Sprintf("the agent refused the %s %q: %v", category, choice.ID, err)}
		if wire, is := errors.AsType[*rpc.Error](err); is {
			refused.Code = wire.Code
		}
		return refused
	}
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	var set struct {
		Options json.RawMessage `json:"configOptions"`
	}
	rpc.Decode(answer, &set)
	c.talk.settings = withOptions(c.talk.settings, set.Options)
	now := settingOf(c.talk.settings, category)
	if copied.method != "" || len(set.Options) == 0 {
		// The answer says nothing of the value. An update that says another one comes before it.
		if now.Value == copied.Value {
			now.Value = choice.ID
		}
	}
	if now.Value != choice.ID {
		return &Failure{Text: fmt.Sprintf("the agent took the %s %q and is in %q", category, choice.ID, now.Value)}
	}
	c.talk.events.add(Event{Type: Moded, Settings: slices.Clone(c.talk.settings)})
	return nil
}

// withOptions returns settings with the values of options that the agent reports.
func withOptions(settings []Setting, raw json.RawMessage) []Setting {
	for _, option := range optionsOf(raw) {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.ID == option.ID })
		if i >= 0 && settings[i].method == "" {
			settings[i] = option
		} else if i < 0 && settingOf(settings, option.Category) == nil && len(settings) < maxOptions {
			settings = append(settings, option)
		}
	}
	return settings
}

// Close ends the agent: its input is closed, and it is killed if it does not end in time.
func (c *Client) Close() {
	c.talk.mu.Lock()
	c.talk.closing = true
	c.talk.mu.Unlock()
	c.talk.conn.CloseOutput()
	timer := time.AfterFunc(closeTime, c.stop)
	go func() {
		<-c.Done()
		timer.Stop()
	}()
}

// closeTime is how long an agent may take to end by itself.
const closeTime = 3 * time.Second

// gone ends the conversation with how the agent ended.
func (c *Client) gone(end *child.End, err error) {
	name := filepath.Base(c.opts.Program)
	why := &Failure{Text: ending(name, end), End: end}
	if err != nil {
		why.Text = err.Error()
	}
	c.talk.mu.Lock()
	c.talk.end = end
	c.talk.mu.Unlock()
	c.talk.conn.End(why)
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	if c.talk.turn != nil {
		c.talk.endTurn(Event{Type: Ended, Stop: Lost, Err: why})
	}
	c.talk.asks = nil
	c.talk.events.add(Event{Type: Gone, Err: why})
	c.talk.events.close()
	c.stop()
}

// ending says how an agent ended.
func ending(name string, end *child.End) string {
	text := fmt.Sprintf("%s ended with status %d", name, end.Exit)
	if end.Signal != "" {
		text = fmt.Sprintf("%s was ended by a signal: %s", name, end.Signal)
	}
	if said := complaint(end.Stderr); said != "" && (end.Exit != 0 || end.Signal != "") {
		text += ": " + said
	}
	return text
}

// notice reports a fault of the agent's output or an update of no other type.
func (c *talk) notice(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noticed(text)
}

func (c *talk) noticed(text string) {
	if t := c.turn; t != nil {
		t.notices++
		switch {
		case t.notices == maxNotices:
			text = "further notices of this turn are left out"
		case t.notices > maxNotices:
			return
		}
	}
	c.events.add(Event{Type: Notice, Text: strings.TrimSpace(text)})
}

// Turn returns the number of the prompt whose turn runs; 0 if none does.
func (c *Client) Turn() int {
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	if c.talk.turn == nil {
		return 0
	}
	return c.talk.turn.number
}

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Conn carries JSON-RPC over two streams. Whole messages are handled in their order, on the goroutine that calls Take.
type Conn struct {
	// handle gets requests and notifications, fault what is wrong with the stream.
	handle func(*Message)
	fault  func(Fault)

	mu      sync.Mutex
	next    int
	pending map[string]func(*Message)
	lines   lines
	// ended is why there will be no more answers; nil while there may be some.
	ended error
	out   outbox
}

// Fault describes something wrong with a stream.
type Fault struct {
	Text string
	// Code is CodeNoMessage for a line that is no message, and 0 otherwise.
	Code int
}

// New returns a connection that writes to a stream, which it closes. Handle gets requests and notifications.
func New(to io.WriteCloser, handle func(*Message), fault func(Fault)) *Conn {
	c := &Conn{handle: handle, fault: fault, pending: map[string]func(*Message){}}
	c.out.changed, c.out.written = sync.NewCond(&c.out.mu), make(chan struct{})
	go c.out.run(to)
	return c
}

// Start sends a request, and returns its id. Done gets the response, or one with an error once there will be none.
func (c *Conn) Start(method string, params any, done func(*Message)) (id json.RawMessage) {
	c.mu.Lock()
	if ended := c.ended; ended != nil {
		c.mu.Unlock()
		done(&Message{Error: &Error{Message: ended.Error()}})
		return nil
	}
	c.next++
	key := strconv.Itoa(c.next)
	c.pending[key] = done
	c.mu.Unlock()
	c.out.add(&Message{ID: json.RawMessage(key), Method: method, Params: encode(params)})
	return json.RawMessage(key)
}

// errLate is why a request has no answer in time.
var errLate = errors.New("no answer")

// Call sends a request and waits for the answer, not longer than within. Seen, if not nil, gets the result before any
// later message is handled. It must not be called by handle.
func (c *Conn) Call(
	ctx context.Context, within time.Duration, method string, params any, seen func(json.RawMessage),
) (json.RawMessage, error) {
	ctx, stop := context.WithTimeoutCause(ctx, within, fmt.Errorf("%w to %s within %s", errLate, method, within))
	defer stop()
	answers := make(chan *Message, 1)
	c.Start(method, params, func(m *Message) {
		if m.Error == nil && seen != nil {
			seen(m.Result)
		}
		answers <- m
	})
	select {
	case m := <-answers:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) {
	c.out.add(&Message{Method: method, Params: encode(params)})
}

// Reply answers a request of the other side.
func (c *Conn) Reply(id json.RawMessage, result any, failed *Error) {
	answer := &Message{ID: id, Error: failed}
	if failed == nil {
		answer.Result = encode(result)
	}
	c.out.add(answer)
}

// Take reads what the other side printed.
func (c *Conn) Take(printed []byte) {
	c.lines.take(printed, c.line, func() {
		c.fault(Fault{Text: fmt.Sprintf("a message of more than %d MiB was left out", maxLine>>20)})
	})
}

func (c *Conn) line(text []byte) {
	var m Message
	if err := json.Unmarshal(text, &m); err != nil {
		c.fault(Fault{"it printed a line that is no message: " + Line(string(text), 200), CodeNoMessage})
		return
	}
	if m.Method != "" {
		c.handle(&m)
		return
	}
	c.mu.Lock()
	done := c.pending[string(m.ID)]
	delete(c.pending, string(m.ID))
	c.mu.Unlock()
	if done == nil {
		c.fault(Fault{Text: "it answered a request that was not made: " + Line(string(m.ID), 200)})
		return
	}
	done(&m)
}

// End fails all requests that have no answer. It reports a line that was cut off.
func (c *Conn) End(why error) {
	if len(c.lines.rest) > 0 {
		c.fault(Fault{"its last message was cut off: " + Line(string(c.lines.rest), 200), CodeNoMessage})
	}
	c.mu.Lock()
	c.ended = why
	pending := c.pending
	c.pending = map[string]func(*Message){}
	c.mu.Unlock()
	for _, done := range pending {
		done(&Message{Error: &Error{Message: why.Error()}})
	}
	c.out.close()
}

// CloseOutput closes the stream to the other side once what waits is written.
func (c *Conn) CloseOutput() { c.out.close() }

// Written is closed once the stream to the other side is closed.
func (c *Conn) Written() <-chan struct{} { return c.out.written }

// mostUnsent is how many messages may wait for a reader that is slow.
const mostUnsent = 10_000

// outbox writes messages on a goroutine of its own, so that a slow reader delays no caller.
type outbox struct {
	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	closed  bool
	// written is closed once all is written, or can be written no more.
	written chan struct{}
}

// add adds a message. It drops it if the reader reads nothing.
func (o *outbox) add(m *Message) {
	m.Version = "2.0"
	text := append(encode(m), '\n')
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed && len(o.queue) < mostUnsent {
		o.queue = append(o.queue, text)
		o.changed.Signal()
	}
}

// close closes the stream once what waits is written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Signal()
}

func (o *outbox) run(to io.WriteCloser) {
	defer close(o.written)
	defer to.Close()
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.changed.Wait()
		}
		queue := o.queue
		o.queue = nil
		o.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, text := range queue {
			if _, err := to.Write(text); err != nil {
				return
			}
		}
	}
}

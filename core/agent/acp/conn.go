package acp

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

// conn carries JSON-RPC over two streams. Whole messages are handled in their order, on the goroutine that calls take.
type conn struct {
	// handle gets requests and notifications, fault what is wrong with the stream.
	handle func(*message)
	fault  func(text string)

	mu      sync.Mutex
	next    int
	pending map[string]func(*message)
	lines   lines
	// ended is why there will be no more answers; nil while there may be some.
	ended error
	out   outbox
}

func newConn(to io.WriteCloser, handle func(*message), fault func(string)) *conn {
	c := &conn{handle: handle, fault: fault, pending: map[string]func(*message){}}
	c.out.changed = sync.NewCond(&c.out.mu)
	go c.out.run(to)
	return c
}

// start sends a request. Done gets the response, or one with an error once there will be none.
func (c *conn) start(method string, params any, done func(*message)) {
	c.mu.Lock()
	if ended := c.ended; ended != nil {
		c.mu.Unlock()
		done(&message{Error: &WireError{Message: ended.Error()}})
		return
	}
	c.next++
	key := strconv.Itoa(c.next)
	c.pending[key] = done
	c.mu.Unlock()
	c.out.add(&message{ID: json.RawMessage(key), Method: method, Params: encode(params)})
}

// errLate is why a request has no answer in time.
var errLate = errors.New("no answer")

// call sends a request and waits for the answer, not longer than within. Seen, if not nil, gets the result before any
// later message is handled. It must not be called by handle.
func (c *conn) call(
	ctx context.Context, within time.Duration, method string, params any, seen func(json.RawMessage),
) (json.RawMessage, error) {
	ctx, stop := context.WithTimeoutCause(ctx, within, fmt.Errorf("%w to %s within %s", errLate, method, within))
	defer stop()
	answers := make(chan *message, 1)
	c.start(method, params, func(m *message) {
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

// notify sends a notification.
func (c *conn) notify(method string, params any) {
	c.out.add(&message{Method: method, Params: encode(params)})
}

// reply answers a request of the agent.
func (c *conn) reply(id json.RawMessage, result any, failed *WireError) {
	answer := &message{ID: id, Error: failed}
	if failed == nil {
		answer.Result = encode(result)
	}
	c.out.add(answer)
}

// take reads what the agent printed.
func (c *conn) take(printed []byte) {
	c.lines.take(printed, c.line, func() {
		c.fault(fmt.Sprintf("a message of more than %d MiB was left out", maxLine>>20))
	})
}

func (c *conn) line(text []byte) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		c.fault("it printed a line that is no message: " + clean(string(text), 200))
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
		c.fault("it answered a request that was not made: " + clean(string(m.ID), maxID))
		return
	}
	done(&m)
}

// end fails all requests that have no answer. It reports a line that was cut off.
func (c *conn) end(why error) {
	if len(c.lines.rest) > 0 {
		c.fault("its last message was cut off: " + clean(string(c.lines.rest), 200))
	}
	c.mu.Lock()
	c.ended = why
	pending := c.pending
	c.pending = map[string]func(*message){}
	c.mu.Unlock()
	for _, done := range pending {
		done(&message{Error: &WireError{Message: why.Error()}})
	}
	c.out.close()
}

// mostUnsent is how many messages may wait for an agent that does not read.
const mostUnsent = 10_000

// outbox writes messages on a goroutine of its own, so that an agent that does not read delays no caller.
type outbox struct {
	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	closed  bool
}

// add adds a message. It drops it if the agent reads nothing.
func (o *outbox) add(m *message) {
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

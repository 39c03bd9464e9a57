package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"cupola/core"
	"cupola/core/host"
)

const (
	// answersMost and callsMost are how much one session may have unread, in bytes: of answers, and of calls.
	answersMost, callsMost = 64 << 20, 8 << 20
	// aliveEvery is the time between two signs of life that each end of a session sends, and goneAfter how long the
	// other end waits for one.
	aliveEvery, goneAfter = 5 * time.Second, 20 * time.Second
	// chunkMost is the largest message, in bytes, where the server allows it.
	chunkMost = 512 << 10
)

// pipe is one end of a session: a stream of bytes in numbered messages. A message that is lost ends it.
type pipe struct {
	*receiveBuffer

	conn *Conn
	id   string
	// gone is closed when the session ends.
	gone chan struct{}
	once sync.Once

	mu sync.Mutex
	// to is the subject of the other end, reply what it answers to.
	to, reply string
	sent      int
	got       int
	heard     time.Time
}

// Open connects to a host. Reads may do with fewer permissions than Acts. The error is a *host.Fault where the host
// cannot be asked.
func (c *Conn) Open(ctx context.Context, h *host.Host, access host.Access) (*host.Link, error) {
	p := &caller{host: h.Name, pipe: &pipe{
		receiveBuffer: newReceiveBuffer(answersMost), conn: c,
		id: nats.NewInbox()[len(nats.InboxPrefix):], heard: time.Now(),
		gone: make(chan struct{}), to: callSubject(h.Name, access), reply: c.nc.NewRespInbox(),
	}}
	if !c.nc.IsConnected() {
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: "the bus does not answer"}
	}
	forget := c.watchDenials(p.pipe, func(text string) {
		reason := "the bus does not allow it: " + core.Excerpt(text)
		p.end(&host.Fault{Host: h.Name, State: host.Refused, Reason: reason})
	})
	sub, err := c.nc.Subscribe(p.reply, p.receive)
	if err != nil {
		forget()
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: err.Error()}
	}
	_ = sub.SetPendingLimits(-1, answersMost) // it is a limit of its own
	go func() {
		p.keepAlive()
		_ = sub.Unsubscribe() // it ends with the connection
		forget()
	}()
	begin := p.message(nil)
	begin.Header.Set(headerBegin, "1")
	if err := c.nc.PublishMsg(begin); err != nil {
		_ = p.Close()
		return nil, &host.Fault{Host: h.Name, State: host.Down, Reason: err.Error()}
	}
	return host.NewLink(ctx, h, p)
}

// caller is the calling end.
type caller struct {
	*pipe
	host string
}

// Close ends the session, and returns why it ended before; nil if it did not.
func (c *caller) Close() error {
	err := c.ended()
	_ = c.pipe.Close()
	if fault, is := errors.AsType[*host.Fault](err); is {
		return fault
	}
	return nil
}

// receive takes a message of the host.
func (c *caller) receive(m *nats.Msg) {
	switch {
	case m.Header.Get("Status") == "503":
		c.end(&host.Fault{Host: c.host, State: host.Down, Reason: "no Cupola serves it on the bus"})
		return
	case m.Header.Get(headerEnd) != "":
		c.end(&host.Fault{Host: c.host, State: host.Down, Reason: core.Excerpt(m.Header.Get(headerEnd))})
		return
	}
	c.mu.Lock()
	if m.Reply != "" {
		c.to = m.Reply
	}
	c.mu.Unlock()
	c.accept(m.Header.Get(headerNumber), m.Data)
}

// accept takes bytes in if nothing is missing before them. Bytes without a number only say that the other end is there.
func (p *pipe) accept(number string, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = time.Now()
	if number == "" {
		return
	}
	if n, err := strconv.Atoi(number); err != nil || n != p.got+1 {
		p.end(fmt.Errorf("a message was lost: %q came after %d", core.Cut(number), p.got))
		return
	}
	p.got++
	p.add(data)
}

// message is the next message of this end.
func (p *pipe) message(data []byte) *nats.Msg {
	m := nats.NewMsg(p.to)
	m.Reply, m.Data = p.reply, data
	m.Header.Set(headerSession, p.id)
	return m
}

// Write sends bytes.
func (p *pipe) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := min(chunkMost, int(p.conn.nc.MaxPayload())/2)
	for written := 0; written < len(data); {
		if err := p.ended(); err != nil {
			return written, err
		}
		chunk := data[written:min(written+most, len(data))]
		m := p.message(chunk)
		m.Header.Set(headerNumber, strconv.Itoa(p.sent+1))
		if err := p.conn.nc.PublishMsg(m); err != nil {
			return written, err
		}
		p.sent++
		written += len(chunk)
	}
	return len(data), nil
}

// keepAlive says that this end is there until the session ends, and ends it if the other one is not.
func (p *pipe) keepAlive() {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.mu.Lock()
			silent := time.Since(p.heard)
			_ = p.conn.nc.PublishMsg(p.message(nil)) // if it is not sent, the silence ends the session at the other end
			p.mu.Unlock()
			if silent > goneAfter {
				p.end(fmt.Errorf("nothing was heard for %s", core.ShortDuration(silent)))
			}
		case <-p.gone:
			return
		}
	}
}

// Close ends the session on both sides.
func (p *pipe) Close() error {
	p.close("1")
	return nil
}

// close ends the session with a reason.
func (p *pipe) close(reason string) {
	p.once.Do(func() {
		close(p.gone)
		p.end(io.ErrClosedPipe)
		p.mu.Lock()
		defer p.mu.Unlock()
		m := p.message(nil)
		m.Header.Set(headerEnd, reason)
		_ = p.conn.nc.PublishMsg(m) // silence ends it too
	})
}

package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
)

const (
	// leaveWithin is how long a host waits for the bus when it leaves.
	leaveWithin = 2 * time.Second
	// pictureEvery is how far the picture of a host may be behind its events.
	pictureEvery = 2 * time.Second
	// heartbeatEvery is how often a host says that it is there.
	heartbeatEvery = 5 * time.Second
	// eventsKept and eventsMost are how long the stream keeps events, and how many bytes of them.
	eventsKept, eventsMost = time.Hour, 256 << 20
	// eventMost is the largest event in bytes; what is larger becomes a picture alone.
	eventMost = 256 << 10
	// eventsHeld is how many events wait for the bus at most; the oldest go first.
	eventsHeld = 1000
	// publishWithin is how long the bus may take to store something, and againAfter when that is tried again.
	publishWithin, againAfter = 5 * time.Second, 500 * time.Millisecond
)

// change is a message of the stream: what changed on a host.
type change struct {
	Delta *core.Delta `json:"delta"`
	// Events led to it.
	Events []core.Event `json:"events,omitempty"`
}

// Heartbeat is the sign of life that a host publishes every few seconds.
type Heartbeat struct {
	Hello    host.Hello    `json:"hello"`
	Revision core.Revision `json:"revision"`
	Counts   core.Counts   `json:"counts"`
}

// bucketConfig and streamConfig describe the bucket and the stream of the bus. The first host makes them.
var (
	// The bucket is a stream that no message can clear, as one of a bucket that JetStream makes by itself can.
	bucketConfig = jetstream.StreamConfig{
		Name: "KV_" + bucketName, Description: "The newest picture of each host",
		Subjects:          []string{"$KV." + bucketName + ".>"},
		MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1, MaxConsumers: -1,
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
		AllowDirect: true, DenyDelete: true, DenyPurge: true,
	}
	streamConfig = jetstream.StreamConfig{
		Name: streamName, Description: "What changes on hosts", Subjects: []string{eventPrefix + "*"},
		MaxAge: eventsKept, MaxBytes: eventsMost, MaxMsgSize: 2 * eventMost, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardOld, DenyDelete: true, DenyPurge: true,
	}
)

// ensure makes the stream and the bucket where they are missing. One that is there stays as its owner set it.
func (c *Conn) ensure(ctx context.Context) (jetstream.KeyValue, error) {
	if _, err := c.js.Stream(ctx, streamName); errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err := c.js.CreateStream(ctx, streamConfig)
		if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	bucket, err := c.js.KeyValue(ctx, bucketName)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = c.js.CreateStream(ctx, bucketConfig)
		if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil, err
		}
		return c.js.KeyValue(ctx, bucketName)
	}
	return bucket, err
}

// publisher publishes what changes on one host.
type publisher struct {
	conn   *Conn
	name   string
	hello  func() host.Hello
	bucket jetstream.KeyValue

	// published is the newest snapshot whose changes are all on the bus; stored is the snapshot in the bucket, put
	// there at storedAt.
	published, stored *core.Snapshot
	storedAt          time.Time
	// heartbeat is when the last one was sent.
	heartbeat time.Time
	// pending is a change that was sent but not acknowledged, and pendingSnapshot what it leads to.
	pending         *nats.Msg
	pendingSnapshot *core.Snapshot

	mu sync.Mutex
	// newest and events are not sent yet; news has an element if there are any.
	newest *core.Snapshot
	events []core.Event
	news   chan struct{}
}

// Publish publishes the frames of a host until they end, and then takes the host off the bus. Frames never wait for the
// bus: what it does not take is offered again, and what came meanwhile after it.
func (c *Conn) Publish(ctx context.Context, name string, hello func() host.Hello, frames <-chan keeper.Frame) {
	ctx, stop := context.WithCancel(ctx)
	p := &publisher{conn: c, name: name, hello: hello, news: make(chan struct{}, 1)}
	var sending sync.WaitGroup
	sending.Go(func() { p.run(ctx) })
	for frame := range frames {
		p.add(&frame)
	}
	stop()
	sending.Wait()
	leaving, left := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer left()
	if err := c.Forget(leaving, name); err != nil {
		c.log.Warn("the bus does not take that this host leaves", "error", err)
	}
}

// add takes a frame in.
func (p *publisher) add(frame *keeper.Frame) {
	if frame.Snapshot == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = frame.Snapshot
	for i := range frame.Events {
		if frame.Events[i].Type != core.Resynced { // the delta has it
			p.events = append(p.events, frame.Events[i])
		}
	}
	p.events = p.events[max(0, len(p.events)-eventsHeld):]
	select {
	case p.news <- struct{}{}:
	default: // it will look
	}
}

// run sends what there is to send until ctx ends.
func (p *publisher) run(ctx context.Context) {
	for {
		wait, err := p.step(ctx)
		if ctx.Err() != nil {
			return
		}
		news := p.news
		if err != nil {
			p.conn.log.Warn("the bus does not take what changes", "error", err)
			wait, news = againAfter, nil
			p.bucket, p.heartbeat = nil, time.Time{} // it may have lost what it had
		}
		timer := time.NewTimer(wait)
		select {
		case <-news:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// step sends what is due, and returns when something is again, unless there are news before.
func (p *publisher) step(ctx context.Context) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, publishWithin)
	defer stop()
	if p.bucket == nil {
		bucket, err := p.conn.ensure(ctx)
		if err != nil {
			return 0, err
		}
		p.bucket, p.stored = bucket, nil
	}
	if err := p.publishChanges(ctx); err != nil {
		return 0, err
	}
	now := time.Now()
	if p.published != nil && p.stored != p.published && now.Sub(p.storedAt) >= pictureEvery {
		if err := p.store(ctx, p.published); err != nil {
			return 0, err
		}
	}
	if p.published != nil && now.Sub(p.heartbeat) >= heartbeatEvery {
		if err := p.sendHeartbeat(ctx); err != nil {
			return 0, err
		}
		p.heartbeat = now
	}
	due := p.heartbeat.Add(heartbeatEvery)
	if p.stored != p.published {
		due = p.storedAt.Add(pictureEvery)
	}
	return max(time.Until(due), 10*time.Millisecond), nil
}

// publishChanges sends what changed since published. A message that was not acknowledged is sent again as it was, so
// that a follower finds each change once.
func (p *publisher) publishChanges(ctx context.Context) error {
	for {
		if p.pending == nil {
			p.mu.Lock()
			newest, events := p.newest, p.events
			p.events = nil
			p.mu.Unlock()
			switch {
			case newest == nil || newest == p.published:
				return nil
			case p.published == nil:
				if err := p.store(ctx, newest); err != nil {
					return err
				}
				p.published = newest
				continue
			case newest.Revision == p.published.Revision:
				p.published = newest
				return nil
			}
			message, err := p.message(newest, events)
			if err != nil {
				return err
			}
			p.pending, p.pendingSnapshot = message, newest
		}
		if len(p.pending.Data) <= eventMost {
			if _, err := p.conn.js.PublishMsg(ctx, p.pending); err != nil {
				return err
			}
		} else if err := p.store(ctx, p.pendingSnapshot); err != nil {
			return err
		}
		p.published, p.pending, p.pendingSnapshot = p.pendingSnapshot, nil, nil
	}
}

// message returns the changes since the published snapshot as a message, which the stream takes once.
func (p *publisher) message(newest *core.Snapshot, events []core.Event) (*nats.Msg, error) {
	delta := core.DeltaOf(p.published, newest)
	text, err := json.Marshal(change{Delta: delta, Events: events})
	if err != nil {
		return nil, core.Errorf(core.InternalError, "encode a change: %w", err)
	}
	m := nats.NewMsg(eventPrefix + p.name)
	m.Data = text
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s-%d-%d", p.name, delta.From, delta.To))
	return m, nil
}

// store puts a snapshot into the bucket.
func (p *publisher) store(ctx context.Context, s *core.Snapshot) error {
	text, err := packed(s)
	if err != nil {
		return err
	}
	if _, err := p.bucket.Put(ctx, p.name+pictureSuffix, text); err != nil {
		return err
	}
	p.stored, p.storedAt = s, time.Now()
	return nil
}

// sendHeartbeat says that the host is there.
func (p *publisher) sendHeartbeat(ctx context.Context) error {
	text, err := json.Marshal(Heartbeat{Hello: p.hello(), Revision: p.published.Revision, Counts: p.published.Counts()})
	if err != nil {
		return core.Errorf(core.InternalError, "encode a heartbeat: %w", err)
	}
	_, err = p.bucket.Put(ctx, p.name+heartbeatSuffix, text)
	return err
}

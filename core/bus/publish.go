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
	// beatEvery is how often a host says that it is there.
	beatEvery = 5 * time.Second
	// eventsKept and eventsMost are how long the stream keeps events, and how many bytes of them.
	eventsKept, eventsMost = time.Hour, 256 << 20
	// eventMost is the largest event in bytes; what is larger is told by a picture alone.
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

// Beat is what a host says of itself every few seconds.
type Beat struct {
	Hello    host.Hello    `json:"hello"`
	Revision core.Revision `json:"revision"`
	Counts   core.Counts   `json:"counts"`
}

// bucketConfig and streamConfig are what the bus has, made by the first host.
var (
	bucketConfig = jetstream.KeyValueConfig{
		Bucket: bucketName, Description: "The newest picture of each host", History: 1, Storage: jetstream.FileStorage,
	}
	streamConfig = jetstream.StreamConfig{
		Name: streamName, Description: "What changes on hosts", Subjects: []string{eventPrefix + "*"},
		MaxAge: eventsKept, MaxBytes: eventsMost, MaxMsgSize: 2 * eventMost, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardOld,
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
		return c.js.CreateOrUpdateKeyValue(ctx, bucketConfig)
	}
	return bucket, err
}

// publisher publishes what changes on one host.
type publisher struct {
	conn   *Conn
	name   string
	hello  func() host.Hello
	bucket jetstream.KeyValue

	// told is the snapshot that the bus can be asked for, drawn the one in the bucket.
	told, drawn   *core.Snapshot
	drawnAt, beat time.Time
	// offered is a message that was sent and of which nobody knows whether it arrived, which makes the snapshot then.
	offered *nats.Msg
	then    *core.Snapshot

	mu sync.Mutex
	// newest and events are what happened since told.
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
		p.note(&frame)
	}
	stop()
	sending.Wait()
	leaving, left := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer left()
	if err := c.Forget(leaving, name); err != nil {
		c.log.Warn("the bus does not take that this host leaves", "error", err)
	}
}

// note takes a frame in.
func (p *publisher) note(frame *keeper.Frame) {
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
			p.bucket, p.beat = nil, time.Time{} // it may have lost what it had
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
		p.bucket, p.drawn = bucket, nil
	}
	if err := p.tell(ctx); err != nil {
		return 0, err
	}
	now := time.Now()
	if p.told != nil && p.drawn != p.told && now.Sub(p.drawnAt) >= pictureEvery {
		if err := p.draw(ctx, p.told); err != nil {
			return 0, err
		}
	}
	if p.told != nil && now.Sub(p.beat) >= beatEvery {
		if err := p.sendBeat(ctx); err != nil {
			return 0, err
		}
		p.beat = now
	}
	due := p.beat.Add(beatEvery)
	if p.drawn != p.told {
		due = p.drawnAt.Add(pictureEvery)
	}
	return max(time.Until(due), 10*time.Millisecond), nil
}

// tell sends what changed since the bus was told last. A message of which nobody knows whether it arrived is sent again
// as it was, so that whoever follows finds each change once.
func (p *publisher) tell(ctx context.Context) error {
	for {
		if p.offered == nil {
			p.mu.Lock()
			newest, events := p.newest, p.events
			p.events = nil
			p.mu.Unlock()
			switch {
			case newest == nil || newest == p.told:
				return nil
			case p.told == nil:
				if err := p.draw(ctx, newest); err != nil {
					return err
				}
				p.told = newest
				continue
			case newest.Revision == p.told.Revision:
				p.told = newest
				return nil
			}
			message, err := p.message(newest, events)
			if err != nil {
				return err
			}
			p.offered, p.then = message, newest
		}
		if len(p.offered.Data) <= eventMost {
			if _, err := p.conn.js.PublishMsg(ctx, p.offered); err != nil {
				return err
			}
		} else if err := p.draw(ctx, p.then); err != nil {
			return err
		}
		p.told, p.offered, p.then = p.then, nil, nil
	}
}

// message is what changed as a message of the stream, which the stream takes once.
func (p *publisher) message(newest *core.Snapshot, events []core.Event) (*nats.Msg, error) {
	delta := core.DeltaOf(p.told, newest)
	text, err := json.Marshal(change{Delta: delta, Events: events})
	if err != nil {
		return nil, core.Errorf(core.InternalError, "encode a change: %w", err)
	}
	m := nats.NewMsg(eventPrefix + p.name)
	m.Data = text
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s-%d-%d", p.name, delta.From, delta.To))
	return m, nil
}

// draw puts a snapshot into the bucket.
func (p *publisher) draw(ctx context.Context, s *core.Snapshot) error {
	text, err := packed(s)
	if err != nil {
		return err
	}
	if _, err := p.bucket.Put(ctx, p.name+pictureSuffix, text); err != nil {
		return err
	}
	p.drawn, p.drawnAt = s, time.Now()
	return nil
}

// sendBeat says that the host is there.
func (p *publisher) sendBeat(ctx context.Context) error {
	text, err := json.Marshal(Beat{Hello: p.hello(), Revision: p.told.Revision, Counts: p.told.Counts()})
	if err != nil {
		return core.Errorf(core.InternalError, "encode a beat: %w", err)
	}
	_, err = p.bucket.Put(ctx, p.name+beatSuffix, text)
	return err
}

package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"cupola/core"
)

const (
	// replayed is how much of the stream is read again at first: more than pictures can be behind.
	replayed = 5 * pictureEvery
	// beatsMissed is after how long without a beat a host is taken for lost.
	beatsMissed = 4 * beatEvery
	// behindMost is how many changes may wait for the reader.
	behindMost = 256
)

// Seen is what the bus knows of a host.
type Seen struct {
	Host string
	// Snapshot is the newest; nil if none came yet. It must not be modified.
	Snapshot *core.Snapshot
	// Events led to it from the one before; empty where something in between is missing.
	Events []core.Event
	Beat   Beat
	// Alive is false once the host says nothing any more, since Heard.
	Alive bool
	Heard time.Time

	// gap is true if changes are missing: the next picture counts.
	gap bool
}

// follower reads the bucket and the stream.
type follower struct {
	each  func(*Seen)
	hosts map[string]*Seen
}

// Follow calls each with what the bus knows of every host, first as it is and then with each change, until ctx ends.
// What it lost it reads again.
func (c *Conn) Follow(ctx context.Context, each func(*Seen)) error {
	f := &follower{each: each, hosts: map[string]*Seen{}}
	for {
		err := c.follow(ctx, f)
		if ctx.Err() != nil {
			return nil
		}
		if e := core.AsError(err); e.HasCode(core.PermissionDenied) {
			return err
		}
		c.log.Debug("the bus is read from the start again", "error", err)
		for _, host := range f.hosts {
			host.gap = true
		}
		f.check(time.Now())
		if core.Sleep(ctx, time.Second) != nil {
			return nil
		}
	}
}

// follow reads until something is lost.
func (c *Conn) follow(ctx context.Context, f *follower) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	bucket, err := c.js.KeyValue(ctx, bucketName)
	if err != nil {
		return readError(err)
	}
	stream, err := c.js.Stream(ctx, streamName)
	if err != nil {
		return readError(err)
	}
	now := stream.CachedInfo().TimeStamp // by the server's clock, as all times of messages are
	pictures, err := bucket.WatchAll(ctx)
	if err != nil {
		return readError(err)
	}
	defer func() { _ = pictures.Stop() }()
	for loading := true; loading; {
		select {
		case entry, more := <-pictures.Updates():
			switch {
			case !more:
				return errors.New("the bucket cannot be read any more")
			case entry == nil:
				loading = false
			default:
				f.entry(entry, now.Sub(entry.Created()))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	from := now.Add(-replayed)
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &from,
	})
	if err != nil {
		return readError(err)
	}
	changes := make(chan jetstream.Msg, behindMost)
	failed := make(chan error, 1)
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case changes <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessages(behindMost), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		if errors.Is(err, jetstream.ErrNoHeartbeat) {
			return // it recovers by itself
		}
		select {
		case failed <- err:
		default: // one is enough
		}
	}))
	if err != nil {
		return readError(err)
	}
	defer consuming.Stop()
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case entry, more := <-pictures.Updates():
			if !more {
				return errors.New("the bucket cannot be read any more")
			}
			if entry != nil {
				f.entry(entry, 0)
			}
		case m := <-changes:
			f.change(m)
		case err := <-failed:
			return readError(err)
		case now := <-tick.C:
			f.check(now)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// readError is why the bus cannot be read.
func readError(err error) error {
	if strings.Contains(strings.ToLower(err.Error()), "permission") {
		return core.Errorf(core.PermissionDenied, "the bus does not let this machine see hosts: %w", err)
	}
	return fmt.Errorf("read the bus: %w", err)
}

// host is what is known of a host.
func (f *follower) host(name string) *Seen {
	h := f.hosts[name]
	if h == nil {
		h = &Seen{Host: name, gap: true}
		f.hosts[name] = h
	}
	return h
}

// entry takes an entry of the bucket that is some time old.
func (f *follower) entry(entry jetstream.KeyValueEntry, age time.Duration) {
	if name := hostOf(entry.Key(), beatSuffix); name != "" {
		h := f.host(name)
		var beat Beat
		if entry.Operation() != jetstream.KeyValuePut || decode(entry.Value(), &beat) != nil {
			h.Alive = false
		} else {
			h.Beat, h.Heard = beat, time.Now().Add(-age)
			h.Alive = age < beatsMissed
		}
		f.tell(h, nil)
		return
	}
	name := hostOf(entry.Key(), pictureSuffix)
	if name == "" || entry.Operation() != jetstream.KeyValuePut {
		return
	}
	h := f.host(name)
	revision, is := revisionOf(entry.Value())
	if !is || !h.gap && h.Snapshot != nil && revision <= h.Snapshot.Revision {
		return
	}
	snapshot, err := unpacked(entry.Value())
	if err != nil {
		return // the next one counts
	}
	h.Snapshot, h.gap = snapshot, false
	f.tell(h, nil)
}

// change takes a message of the stream.
func (f *follower) change(m jetstream.Msg) {
	name := hostOf(strings.TrimPrefix(m.Subject(), eventPrefix), "")
	var got change
	if name == "" || decode(m.Data(), &got) != nil || got.Delta == nil {
		return
	}
	h := f.host(name)
	snapshot, applies := got.Delta.Apply(h.Snapshot)
	if !applies {
		// One that is missing shows in what comes after it; one that came twice is older.
		h.gap = h.gap || h.Snapshot == nil || got.Delta.From > h.Snapshot.Revision
		return
	}
	h.Snapshot, h.gap = snapshot, false
	f.tell(h, got.Events)
}

// check finds the hosts that say nothing any more.
func (f *follower) check(now time.Time) {
	for _, h := range f.hosts {
		if h.Alive && now.Sub(h.Heard) > beatsMissed {
			h.Alive = false
			f.tell(h, nil)
		}
	}
}

func (f *follower) tell(h *Seen, events []core.Event) {
	told := *h
	told.Events = events
	f.each(&told)
}

// Hosts returns what each host said last, by name, and how old that is by the bus's clock.
func (c *Conn) Hosts(ctx context.Context) (map[string]Beat, map[string]time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, publishWithin)
	defer stop()
	beats, ages := map[string]Beat{}, map[string]time.Duration{}
	bucket, err := c.js.KeyValue(ctx, bucketName)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return beats, ages, nil // no host was there yet
	}
	if err != nil {
		return nil, nil, core.AsError(readError(err))
	}
	status, err := bucket.Status(ctx)
	if err != nil {
		return nil, nil, core.AsError(readError(err))
	}
	now := time.Now()
	if s, is := status.(*jetstream.KeyValueBucketStatus); is {
		now = s.StreamInfo().TimeStamp
	}
	watch, err := bucket.Watch(ctx, "*"+beatSuffix)
	if err != nil {
		return nil, nil, core.AsError(readError(err))
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case entry, more := <-watch.Updates():
			if !more || entry == nil {
				return beats, ages, nil
			}
			var beat Beat
			if name := hostOf(entry.Key(), beatSuffix); name != "" && entry.Operation() == jetstream.KeyValuePut &&
				decode(entry.Value(), &beat) == nil {
				beats[name], ages[name] = beat, now.Sub(entry.Created())
			}
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// Forget removes what the bus keeps of a host.
func (c *Conn) Forget(ctx context.Context, name string) error {
	bucket, err := c.js.KeyValue(ctx, bucketName)
	if err != nil {
		return core.AsError(readError(err))
	}
	for _, suffix := range []string{beatSuffix, pictureSuffix} {
		if err := bucket.Purge(ctx, name+suffix); err != nil {
			return core.AsError(readError(err))
		}
	}
	return nil
}

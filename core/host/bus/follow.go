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
	// heartbeatLost is after how long without a heartbeat a host is taken for lost.
	heartbeatLost = 4 * heartbeatEvery
	// behindMost is how many changes may wait for the reader.
	behindMost = 256
)

// HostState is the state of one host as the bus has it.
type HostState struct {
	Host string
	// Snapshot is the newest; nil if none came yet. It must not be modified.
	Snapshot *core.Snapshot
	// Events led to it from the one before; empty where something in between is missing.
	Events    []core.Event
	Heartbeat Heartbeat
	// Alive is false once the host says nothing any more, since Heard; Left is true if it has said that it leaves.
	Alive, Left bool
	Heard       time.Time

	// gap is true if changes are missing: the next picture counts. fromPicture is true if Snapshot is a picture, after
	// which older changes may come.
	gap, fromPicture bool
	// nextPicture is a picture that is newer than Snapshot, whose changes should come, since nextSince.
	nextPicture []byte
	nextSince   time.Time
}

// follower reads the bucket and the stream.
type follower struct {
	each  func(*HostState)
	hosts map[string]*HostState
	// next is the number of the next message of the stream, which was made at a time; 0 before the first.
	next uint64
	made time.Time
}

// Follow calls each with what the bus knows of every host, first as it is and then with each change, until ctx ends.
// What it lost it reads again. The error is PermissionDenied where this machine may not see hosts.
func (c *Conn) Follow(ctx context.Context, each func(*HostState)) error {
	f := &follower{each: each, hosts: map[string]*HostState{}}
	for {
		err := c.follow(ctx, f)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was to end
		}
		if denied := c.readDeniedError(); denied != nil {
			return denied
		}
		c.log.Debug("the bus is read again", "error", err)
		f.check(time.Now())
		if core.Sleep(ctx, time.Second) != nil {
			return nil //nolint:nilerr // it was to end
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
	consumer, err := stream.OrderedConsumer(ctx, f.from(stream.CachedInfo()))
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
	tick := time.NewTicker(heartbeatEvery)
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

// from says where reading of the stream begins: behind what was read before, if that is in it, else shortly before now.
func (f *follower) from(info *jetstream.StreamInfo) jetstream.OrderedConsumerConfig {
	if f.next > 0 && info.Created.Equal(f.made) && f.next <= info.State.LastSeq+1 {
		return jetstream.OrderedConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: f.next,
		}
	}
	f.made = info.Created
	from := info.TimeStamp.Add(-replayed)
	return jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &from,
	}
}

// readError is why the bus cannot be read.
func readError(err error) error { return fmt.Errorf("read the bus: %w", err) }

// host returns the state of a host, and adds an empty one for a new name.
func (f *follower) host(name string) *HostState {
	h := f.hosts[name]
	if h == nil {
		h = &HostState{Host: name, gap: true}
		f.hosts[name] = h
	}
	return h
}

// entry takes an entry of the bucket that is some time old.
func (f *follower) entry(entry jetstream.KeyValueEntry, age time.Duration) {
	if name := hostOf(entry.Key(), heartbeatSuffix); name != "" {
		h := f.host(name)
		var heartbeat Heartbeat
		if h.Left = entry.Operation() != jetstream.KeyValuePut; h.Left {
			h.gap = true // if it comes back, it begins with a picture
		}
		if h.Left || decode(entry.Value(), &heartbeat) != nil {
			h.Alive = false
		} else {
			h.Heartbeat, h.Heard = heartbeat, time.Now().Add(-age)
			h.Alive = age < heartbeatLost
		}
		f.notify(h, nil)
		return
	}
	name := hostOf(entry.Key(), pictureSuffix)
	if name == "" || entry.Operation() != jetstream.KeyValuePut {
		return
	}
	h := f.host(name)
	revision, is := revisionOf(entry.Value())
	switch {
	case !is:
	case h.gap:
		h.nextPicture = entry.Value()
		f.adopt(h)
	case revision > h.Snapshot.Revision:
		if h.nextPicture == nil {
			h.nextSince = time.Now()
		}
		h.nextPicture = entry.Value()
	}
}

// adopt makes the picture of a host that is ahead its snapshot. One that cannot be read is left to the next.
func (f *follower) adopt(h *HostState) {
	snapshot, err := unpacked(h.nextPicture)
	h.nextPicture = nil
	if err != nil {
		return
	}
	h.Snapshot, h.gap, h.fromPicture = snapshot, false, true
	f.notify(h, nil)
}

// change takes a message of the stream.
func (f *follower) change(m jetstream.Msg) {
	if about, err := m.Metadata(); err == nil {
		f.next = about.Sequence.Stream + 1
	}
	name := hostOf(strings.TrimPrefix(m.Subject(), eventPrefix), "")
	var got change
	if name == "" || decode(m.Data(), &got) != nil || got.Delta == nil {
		return
	}
	h := f.host(name)
	snapshot, applies := got.Delta.Apply(h.Snapshot)
	if !applies && (h.Snapshot == nil || !h.fromPicture || got.Delta.From > h.Snapshot.Revision) {
		h.gap = true
		if h.nextPicture == nil {
			return
		}
		f.adopt(h)
		snapshot, applies = got.Delta.Apply(h.Snapshot)
	}
	if !applies {
		return // it is older than the picture
	}
	h.Snapshot, h.gap, h.fromPicture = snapshot, false, false
	if revision, _ := revisionOf(h.nextPicture); revision <= snapshot.Revision {
		h.nextPicture = nil
	}
	f.notify(h, got.Events)
}

// check finds the hosts that say nothing any more, and those whose changes do not come.
func (f *follower) check(now time.Time) {
	for _, h := range f.hosts {
		if h.Alive && now.Sub(h.Heard) > heartbeatLost {
			h.Alive = false
			f.notify(h, nil)
		}
		if h.nextPicture != nil && now.Sub(h.nextSince) > heartbeatEvery {
			f.adopt(h) // its changes did not come
		}
	}
}

// notify passes on what is known of a host, with the events that led to it.
func (f *follower) notify(h *HostState, events []core.Event) {
	state := *h
	state.Events = events
	f.each(&state)
}

// seeError is why hosts cannot be seen.
func (c *Conn) seeError(err error) error {
	if denied := c.readDeniedError(); denied != nil {
		return denied
	}
	return core.Errorf(core.NetworkError, "the bus does not report hosts: %w", err)
}

// Hosts returns what each host said last, by name, and how old that is by the bus's clock.
func (c *Conn) Hosts(ctx context.Context) (map[string]Heartbeat, map[string]time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, publishWithin)
	defer stop()
	heartbeats, ages := map[string]Heartbeat{}, map[string]time.Duration{}
	bucket, err := c.js.KeyValue(ctx, bucketName)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return heartbeats, ages, nil // no host was there yet
	}
	if err != nil {
		return nil, nil, c.seeError(err)
	}
	status, err := bucket.Status(ctx)
	if err != nil {
		return nil, nil, c.seeError(err)
	}
	now := time.Now()
	if s, is := status.(*jetstream.KeyValueBucketStatus); is {
		now = s.StreamInfo().TimeStamp
	}
	watch, err := bucket.Watch(ctx, "*"+heartbeatSuffix)
	if err != nil {
		return nil, nil, c.seeError(err)
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case entry, more := <-watch.Updates():
			if !more || entry == nil {
				return heartbeats, ages, nil
			}
			var heartbeat Heartbeat
			if name := hostOf(entry.Key(), heartbeatSuffix); name != "" && entry.Operation() == jetstream.KeyValuePut &&
				decode(entry.Value(), &heartbeat) == nil {
				heartbeats[name], ages[name] = heartbeat, now.Sub(entry.Created())
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
		return c.seeError(err)
	}
	for _, suffix := range []string{heartbeatSuffix, pictureSuffix} {
		if err := bucket.Delete(ctx, name+suffix); err != nil {
			return c.seeError(err)
		}
	}
	return nil
}

package http

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/robot/service"
)

const (
	// crewPage is how many events of a crew are read at once.
	crewPage = 500
	// maxEvent is the most bytes of a foreign event. As many as the feed keeps must have room.
	maxEvent = 16 << 10
)

// crewFeed follows crews while there are clients: it reads their events when the keeper says that runs have changed.
type crewFeed struct {
	*feed
	// started has an element if a client has started to follow.
	started chan struct{}
	// looking is held by the reader of the records.
	looking sync.Mutex
	// since is the time of the first look, and looked that of the last; zero before.
	since, looked time.Time
	// seen is how far each crew was read.
	seen map[string]*crewRead
}

// crewRead is how many events of a crew were read, and whether it runs.
type crewRead struct {
	events int
	open   bool
}

// run follows crews until ctx ends.
func (c *crewFeed) run(ctx context.Context) {
	for c.server.opts.Runs != nil {
		select {
		case <-c.started:
			if err := c.watch(ctx); err != nil && ctx.Err() == nil {
				c.server.opts.Log.Warn("http: crews cannot be followed", "error", err)
				_ = core.Sleep(ctx, feedAgain) // the loop sees the end of ctx
				c.begin()
			}
		case <-ctx.Done():
			return
		}
	}
}

// begin lets run follow crews.
func (c *crewFeed) begin() {
	select {
	case c.started <- struct{}{}:
	default: // it will
	}
}

// watch reads what is new of crews whenever runs have changed, until there are no clients.
func (c *crewFeed) watch(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	frames, err := c.server.opts.Runs(ctx)
	if err != nil {
		return err
	}
	var drained sync.WaitGroup
	drained.Go(func() {
		for range frames.Frames {
		}
		stop()
	})
	defer drained.Wait()
	defer stop()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for seen := -1; ctx.Err() == nil; {
		now, more := frames.Runs()
		if now != seen {
			seen = now
			c.look(ctx)
		}
		select {
		case <-more:
		case <-beat.C:
			if c.counted() == 0 {
				return nil
			}
		case <-ctx.Done():
		}
	}
	return frames.Err()
}

// look adds the events since the last look. Events before the first look are on record, and not sent.
func (c *crewFeed) look(ctx context.Context) {
	c.looking.Lock()
	defer c.looking.Unlock()
	now := time.Now()
	open := c.crews(ctx, map[string]any{"state": []any{"pending", "running", "paused"}})
	var started []string
	if c.looked.IsZero() {
		c.since = now
		for _, id := range open {
			c.seen[id] = &crewRead{events: c.server.recorded(ctx, id, "")}
		}
	} else {
		started = c.crews(ctx, map[string]any{"since": c.looked.Add(-time.Second).Format(time.RFC3339)})
	}
	c.looked = now
	for _, id := range append(started, open...) {
		if c.seen[id] == nil {
			c.seen[id] = &crewRead{}
		}
		c.seen[id].open = true
	}
	for id, read := range c.seen {
		if read.open {
			read.events += c.tell(ctx, id, read.events)
			read.open = slices.Contains(open, id)
		}
	}
}

// crews returns the ids of the crews that a filter chooses; none if they cannot be read.
func (c *crewFeed) crews(ctx context.Context, filter map[string]any) (ids []string) {
	filter["kind"], filter["limit"] = []any{string(run.Crew)}, json.Number("0")
	list := c.server.read(ctx, "run-list", filter)
	for _, one := range list.Document.Objects("runs") {
		ids = append(ids, one.Text("id"))
	}
	return ids
}

// tell adds the events of a crew from a number on, and returns how many there were.
func (c *crewFeed) tell(ctx context.Context, crew string, from int) (count int) {
	for {
		input := map[string]any{
			"crew": crew, "offset": json.Number(strconv.Itoa(from + count)),
			"limit": json.Number(strconv.Itoa(crewPage)),
		}
		logs := c.server.read(ctx, "crew-logs", input)
		events := logs.Document.Objects("events")
		for _, happened := range events {
			at, err := time.Parse(time.RFC3339, happened.Text("at"))
			if err != nil || at.Before(c.since.Truncate(time.Second)) {
				continue
			}
			if line, err := encoded(happened); err == nil {
				c.add(event{core.Revision(happened.Number("seq")), happened.Text("type"), crew, line})
			}
		}
		count += len(events)
		if more, _ := logs.Document.Get("has_more"); more != true || len(events) == 0 {
			return count
		}
	}
}

// crewEvents streams what happens in crews; the parameter session is the id of one.
func (s *Server) crewEvents(w http.ResponseWriter, r *http.Request) {
	if !s.followsCrews(w) {
		return
	}
	var types []string
	if verb := s.opts.Service.Catalog.Find("crew-logs"); verb != nil {
		types = verb.Field("type").Enum
	}
	s.crews.look(r.Context()) // what was not read yet is no news for this client
	s.crews.begin()
	s.follow(w, r, s.crews.feed, types, func(out *stream, why string) error {
		text, _ := json.Marshal(map[string]any{"type": "resync", "message": why}) // texts can be encoded
		return out.send("resync", s.crews.latest(), text)
	})
}

// followsCrews refuses clients that are confined to sessions: crews are of none.
func (s *Server) followsCrews(w http.ResponseWriter) bool {
	confined := s.opts.Service.Border.Sessions
	if len(confined) > 0 {
		fail(w, http.StatusForbidden, s.opts.Service.Caller().Refusal("crews are of no session"))
	}
	return len(confined) == 0
}

// ingest passes events of crews that run outside of this server to the clients that follow crews here. The body is an
// event with its session and type, or an object with a list of events.
func (s *Server) ingest(w http.ResponseWriter, r *http.Request) {
	if !registry.Answers.Within(s.opts.Service.Caller().Level) {
		fail(w, http.StatusForbidden, core.Errorf(core.PermissionDenied, "this server allows reads"))
		return
	}
	if !s.followsCrews(w) {
		return
	}
	if !s.limits.rate.Allow() {
		busy(w)
		return
	}
	body, status, err := bodyOf(w, r)
	if err != nil {
		fail(w, status, err)
		return
	}
	given, several := body["events"].([]any)
	if !several {
		given = []any{body}
	}
	events := make([]event, len(given))
	for i := range given {
		if events[i], err = ingested(given[i], body); err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
	}
	for i := range events {
		s.crews.add(events[i])
	}
	writeJSON(w, http.StatusAccepted, map[string]any{"success": true, "accepted": len(events)})
}

// ingested is an event that a client sent; its session may be that of the whole.
func ingested(given any, whole map[string]any) (event, error) {
	object, _ := given.(map[string]any)
	kind, _ := object["type"].(string)
	session := ""
	for _, from := range []map[string]any{object, whole} {
		for _, name := range []string{"session", "sessionId"} {
			if id, is := from[name].(string); is && session == "" {
				session = id
			}
		}
	}
	// A kind is written as the name of an event, on a line of its own.
	if kind == "" || session == "" || core.OneLine(kind) != kind || len(kind) > 64 {
		e := core.Errorf(core.InvalidInput, "an event needs a session and a type, each on one line")
		e.Hint = `For example: {"session": "k3x9ab2", "type": "message", "text": "Done."}.`
		return event{}, e
	}
	line, err := json.Marshal(object)
	if len(line) > maxEvent {
		err = core.Errorf(core.InvalidInput, "an event has more than %d bytes", maxEvent)
	}
	return event{kind: kind, session: session, line: line}, err
}

// read answers a verb that only reads.
func (s *Server) read(ctx context.Context, verb string, input map[string]any) robot.Answer {
	return s.opts.Service.Read(ctx, &service.Call{Verb: verb, Input: input})
}

// recorded counts the events of a crew, or those of a type.
func (s *Server) recorded(ctx context.Context, crew, kind string) int {
	input := map[string]any{"crew": crew, "limit": json.Number("1")}
	if kind != "" {
		input["type"] = []any{kind}
	}
	logs := s.read(ctx, "crew-logs", input)
	return int(logs.Document.Number("total_matches")) //nolint:gosec // it is a count
}

package http

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/verb/registry"
	"cupola/robot"
	"cupola/robot/service"
)

const (
	// crewsEvery is how often the records of crews are read while clients follow them.
	crewsEvery = 500 * time.Millisecond
	// crewPage is how many events of a crew are read at once.
	crewPage = 500
	// maxEvent is the most bytes of a foreign event. As many as the feed keeps must have room.
	maxEvent = 16 << 10
)

// crewFeed follows what happens in crews. A crew's own process records that, and sends no event; so records are read
// while there are clients.
type crewFeed struct {
	*feed
	// looking is held by who reads the records.
	looking sync.Mutex
	// seen is how far each crew was read; nil before the first look.
	seen map[string]crewRead
}

// crewRead is how many events of a crew were read, and whether those are all.
type crewRead struct {
	events int
	ended  bool
}

// run reads the records until ctx ends.
func (c *crewFeed) run(ctx context.Context) {
	for core.Sleep(ctx, crewsEvery) == nil {
		if c.counted() > 0 {
			c.look(ctx)
		}
	}
}

// look adds the events since the last look. Events before the first look are on record, and not sent.
func (c *crewFeed) look(ctx context.Context) {
	c.looking.Lock()
	defer c.looking.Unlock()
	list := c.server.read(ctx, "crew-list", map[string]any{"limit": json.Number("0")})
	if list.Code != "" {
		return // it is read again
	}
	seen := map[string]crewRead{}
	for _, one := range list.Document.Objects("crews") {
		id, ended := one.Text("id"), crew.State(one.Text("state")).Ended()
		read, known := c.seen[id]
		switch {
		case c.seen == nil && !ended:
			read.events = c.server.recorded(ctx, id, "")
		case c.seen != nil && (!known || !read.ended):
			read.events += c.tell(ctx, id, read.events)
		}
		read.ended = ended
		seen[id] = read
	}
	c.seen = seen
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
	s.follow(w, r, s.crews.feed, types, func(out *stream, why string) error {
		text, _ := json.Marshal(map[string]any{"type": "resync", "message": why}) // texts can be encoded
		return out.send("resync", s.crews.latest(), text)
	})
}

// followsCrews refuses clients that are confined to sessions: crews are of none.
func (s *Server) followsCrews(w http.ResponseWriter) bool {
	confined := s.opts.Service.Border.Sessions
	if len(confined) > 0 {
		fail(w, http.StatusForbidden, s.opts.Service.Caller().Outside("crews are of no session"))
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
	if !s.rate.Allow() {
		s.busy(w)
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

package http

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/robot/service"
)

const (
	// heartbeat is how often a stream says that it lives.
	heartbeat = 15 * time.Second
	// writeWithin is how long a client may take to accept what is written.
	writeWithin = 10 * time.Second
	// maxReaders is how many clients may follow at once.
	maxReaders = 1000
)

// stream writes Server-Sent Events to one client.
type stream struct {
	w       io.Writer
	packer  *gzip.Writer // nil if the client takes them as they are
	control *http.ResponseController
}

// open begins a stream, packed if its client takes that and wants it; it answers and returns nil if there are too many.
func (s *Server) open(w http.ResponseWriter, packed bool) *stream {
	if s.feed.counted()+s.crews.counted() >= maxReaders {
		busy(w)
		return nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out := &stream{w: w, control: http.NewResponseController(w)}
	if packed {
		w.Header().Set("Content-Encoding", "gzip")
		out.packer, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
		out.w = out.packer
	}
	if out.comment("connected") != nil {
		return nil
	}
	return out
}

// send writes an event; an id of 0 is none.
func (o *stream) send(kind string, id core.Revision, data []byte) error {
	text := "event: " + kind + "\n"
	if id > 0 {
		text += "id: " + strconv.FormatUint(uint64(id), 10) + "\n"
	}
	return o.write(text + "data: " + string(data) + "\n\n")
}

func (o *stream) comment(text string) error { return o.write(": " + text + "\n\n") }

func (o *stream) write(text string) error {
	_ = o.control.SetWriteDeadline(time.Now().Add(writeWithin)) // a writer without deadlines waits
	// HTTP/2 ends a stream at its deadline even if nothing is being written then.
	defer func() { _ = o.control.SetWriteDeadline(time.Time{}) }()
	if _, err := io.WriteString(o.w, text); err != nil {
		return err
	}
	if o.packer != nil {
		if err := o.packer.Flush(); err != nil {
			return err
		}
	}
	return o.control.Flush()
}

// events streams the events of the fleet.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if err := s.mayFollow(r.URL.Query().Get("session")); err != nil {
		fail(w, http.StatusForbidden, err)
		return
	}
	s.follow(w, r, s.feed, core.Words(core.EventTypes), func(out *stream, why string) error {
		return s.resync(r, out, why)
	})
}

// follow streams the events of a feed, of some types. A client continues after the revision that it has (since, or
// Last-Event-ID as browsers send it); events that are not kept any more are replaced by a resync.
func (s *Server) follow(
	w http.ResponseWriter, r *http.Request, from *feed, types []string, resync func(out *stream, why string) error,
) {
	since, given, err := sinceOf(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	query := r.URL.Query()
	wanted, err := filterOf(query.Get("session"), query.Get("types"), types)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	wanted.confined = len(s.opts.Service.Border.Sessions) > 0
	out := s.open(w, false)
	if out == nil {
		return
	}
	from.count(1)
	defer from.count(-1)
	number := from.end()
	if given {
		var found bool
		if number, found = from.at(since); !found && since != from.latest() {
			if resync(out, "the events after this revision are not known any more") != nil {
				return
			}
		}
	} else if resync(out, "the stream begins") != nil {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		events, following, missed, changed := from.next(number)
		number = following
		if missed && resync(out, "the reader was too slow") != nil {
			return
		}
		for i := range events {
			if e := &events[i]; wanted.takes(e) && out.send(e.kind, e.revision, e.line) != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-beat.C:
			if out.comment("heartbeat") != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// resync makes a client read everything again: the event has the snapshot.
func (s *Server) resync(r *http.Request, out *stream, why string) error {
	revision := s.feed.latest()
	text, code := s.snapshots.text(r.Context(), revision, r.URL.Query().Get("session"))
	if code != "" {
		return out.comment("no snapshot: " + string(code))
	}
	return out.send("resync", revision, fmt.Appendf(nil, `{"type":"resync","revision":%d,"message":%q,"snapshot":%s}`,
		revision, why, text))
}

// snapshotFor is how long clients that come one after the other get the same snapshot.
const snapshotFor = 500 * time.Millisecond

// snapshots are the answers of the verb snapshot, taken once for clients that come at the same time.
type snapshots struct {
	service *service.Service

	mu       sync.Mutex
	taken    time.Time
	revision core.Revision
	held     string
}

// text is the snapshot at a revision. Clients that are confined get the status of their session instead.
func (s *snapshots) text(ctx context.Context, revision core.Revision, session string) (string, core.Code) {
	if len(s.service.Border.Sessions) > 0 {
		return s.read(ctx, &service.Call{Verb: "status", Input: map[string]any{"session": session}})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != "" && s.revision == revision && time.Since(s.taken) < snapshotFor {
		return s.held, ""
	}
	text, code := s.read(ctx, &service.Call{Verb: "snapshot"})
	if code == "" {
		s.held, s.revision, s.taken = text, revision, time.Now()
	}
	return text, code
}

// read is the document of a call as JSON; empty for a failure.
func (s *snapshots) read(ctx context.Context, call *service.Call) (string, core.Code) {
	answer := s.service.Read(ctx, call)
	if answer.Code != "" {
		return "", answer.Code
	}
	text, err := encoded(answer.Document)
	if err != nil {
		return "", core.InternalError
	}
	return string(text), ""
}

// sinceOf is the revision that a client has.
func sinceOf(r *http.Request) (since core.Revision, given bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("since")
	}
	if text == "" {
		return 0, false, nil
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(text, "rev:"), 10, 64)
	if err != nil {
		return 0, false, &core.Error{
			Code: core.InvalidInput, Message: "no revision: " + clipped(text), Hint: "Give since=rev:N.",
		}
	}
	return core.Revision(number), true, nil
}

// eventFilter is which events a client wants.
type eventFilter struct {
	session string
	types   []string
	// confined leaves out events of no session, which may speak of others.
	confined bool
}

// filterOf reads what a client wants. It fails with the near miss for a type that does not exist.
func filterOf(session, types string, valid []string) (eventFilter, error) {
	f := eventFilter{session: session}
	if types == "" {
		return f, nil
	}
	f.types = strings.Split(types, ",")
	return f, registry.CheckEnum("types", f.types, valid)
}

func (f *eventFilter) takes(e *event) bool {
	return (f.session == "" || e.session == f.session || e.session == "" && !f.confined) &&
		(len(f.types) == 0 || slices.Contains(f.types, e.kind))
}

// mayFollow returns an error if clients are confined and want more than that.
func (s *Server) mayFollow(session string) error {
	allowed := s.opts.Service.Border.Sessions
	if len(allowed) == 0 || slices.Contains(allowed, session) {
		return nil
	}
	return &core.Error{
		Code: core.PermissionDenied, Message: "this server is confined to " + strings.Join(allowed, ", "),
		Hint: "Give session as one of them.",
	}
}

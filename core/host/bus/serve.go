package bus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"cupola/core"
	"cupola/core/host"
)

// sessionsMost is how many sessions a host has at once.
const sessionsMost = 64

// Session is the connection to a caller: it reads the caller's frames and writes the answers.
type Session = io.ReadWriter

// Answer answers the calls of one session until its input ends.
type Answer func(ctx context.Context, access host.Access, session Session) error

// service is the sessions of a host.
type service struct {
	conn   *Conn
	answer Answer
	// ctx is the context of all sessions.
	ctx context.Context

	mu       sync.Mutex
	sessions map[string]*pipe
	open     sync.WaitGroup
}

// Serve answers calls under a host's name until ctx ends, and then waits for those that act. It calls ready once calls
// reach it, and ends with the error that ready returns.
func (c *Conn) Serve(ctx context.Context, name, version string, ready func() error, answer Answer) error {
	s := &service{conn: c, answer: answer, ctx: ctx, sessions: map[string]*pipe{}}
	served, err := micro.AddService(c.nc, micro.Config{
		Name: serviceName, Version: semantic(version), Description: "Cupola's verbs on " + name,
		Metadata: map[string]string{"host": name, "version": version},
		ErrorHandler: func(_ micro.Service, e *micro.NATSError) {
			c.log.Warn("the service on the bus complains", "subject", e.Subject, "error", e.Description)
		},
	})
	if err != nil {
		return core.Errorf(core.NetworkError, "serve on the bus: %w", err)
	}
	instance := served.Info().ID
	for _, access := range []host.Access{host.Reads, host.Acts} {
		subject := callSubject(name, access)
		own := subject + "." + instance
		handler := micro.HandlerFunc(func(request micro.Request) { s.handle(request, access, own) })
		for i, at := range []string{subject, own} {
			endpoint := fmt.Sprintf("%s-%d", access, i)
			if err := served.AddEndpoint(endpoint, handler, micro.WithEndpointSubject(at)); err != nil {
				_ = served.Stop()
				return core.Errorf(core.NetworkError, "serve on the bus: %w", err)
			}
		}
	}
	err = c.nc.FlushTimeout(connectWithin) // the bus knows the endpoints now
	if err == nil {
		err = ready()
	} else {
		err = core.Errorf(core.NetworkError, "serve on the bus: %w", err)
	}
	if err == nil {
		<-ctx.Done()
	}
	_ = served.Stop() // the connection ends soon
	s.mu.Lock()
	for _, p := range s.sessions {
		p.end(io.EOF)
	}
	s.mu.Unlock()
	s.open.Wait()
	return err
}

// handle takes a message of a session, and begins it with the first.
func (s *service) handle(request micro.Request, access host.Access, own string) {
	id := request.Headers().Get(headerSession)
	if id == "" || len(id) > 64 || request.Reply() == "" {
		return // there is no address to answer to
	}
	key := string(access) + id // what may read does not act in the session of another
	s.mu.Lock()
	p := s.sessions[key]
	if p == nil {
		defer s.mu.Unlock()
		s.begin(request, access, key, own)
		return
	}
	s.mu.Unlock()
	if request.Headers().Get(headerEnd) != "" {
		p.end(io.EOF)
		return
	}
	p.accept(request.Headers().Get(headerNumber), request.Data())
}

// begin begins a session. The lock is held.
func (s *service) begin(request micro.Request, access host.Access, key, own string) {
	refuse := ""
	switch {
	case request.Headers().Get(headerEnd) != "":
		return
	case request.Headers().Get(headerBegin) == "":
		refuse = "the session has ended"
	case len(s.sessions) >= sessionsMost:
		refuse = fmt.Sprintf("it has %d sessions already, which is the most", sessionsMost)
	case s.ctx.Err() != nil:
		refuse = "it ends"
	}
	p := &pipe{
		receiveBuffer: newReceiveBuffer(callsMost), conn: s.conn, id: request.Headers().Get(headerSession),
		gone: make(chan struct{}),
		to:   request.Reply(), reply: own, heard: time.Now(),
	}
	if refuse != "" {
		p.close(refuse)
		return
	}
	s.sessions[key] = p
	go p.keepAlive()
	s.open.Go(func() {
		err := s.answer(s.ctx, access, p)
		reason := "it has ended the session"
		if ended := p.ended(); ended != nil && !errors.Is(ended, io.EOF) {
			err = ended
		}
		if err != nil && !errors.Is(err, io.EOF) {
			reason = core.AsError(err).Error()
		}
		p.close(header(reason))
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, key)
	})
}

// header is a text as the value of a header.
func header(text string) string {
	return core.Excerpt(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text))
}

// semantic is a version as services have it: three numbers.
func semantic(version string) string {
	version = strings.TrimPrefix(version, "v")
	if regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		return version
	}
	return "0.0.0"
}

// Answering returns how many instances serve hosts on the bus now, by name, and how long the first took.
func (c *Conn) Answering(ctx context.Context) (map[string]int, time.Duration, error) {
	inbox := c.nc.NewRespInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, 0, core.Errorf(core.NetworkError, "ask who is on the bus: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	started := time.Now()
	if err := c.nc.PublishRequest(micro.APIPrefix+".PING."+serviceName, inbox, nil); err != nil {
		return nil, 0, core.Errorf(core.NetworkError, "ask who is on the bus: %w", err)
	}
	found, first := map[string]int{}, time.Duration(0)
	for wait := time.Second; ; wait = 200 * time.Millisecond {
		waiting, stop := context.WithTimeout(ctx, wait)
		m, err := sub.NextMsgWithContext(waiting)
		stop()
		if err != nil || m.Header.Get("Status") == "503" {
			return found, first, ctx.Err()
		}
		if first == 0 {
			first = time.Since(started)
		}
		if name := hostOfPing(m); name != "" {
			found[name]++
		}
	}
}

// hostOfPing is the host that a service says it is.
func hostOfPing(m *nats.Msg) string {
	var ping micro.Ping
	if decode(m.Data, &ping) != nil || host.CheckName(ping.Metadata["host"]) != nil {
		return ""
	}
	return ping.Metadata["host"]
}

package frames

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot"
	"cupola/robot/service"
)

// Server answers calls from one other host.
type Server struct {
	// Service says what may be called, and opens the environment of a call.
	Service *service.Service
	// Records keeps answers under their keys.
	Records Records
	// Hello returns the first line of a connection.
	Hello func() host.Hello
	// Watch streams the fleet; nil where nothing can be watched.
	Watch func(ctx context.Context) (*keeper.Live, error)
}

// inputMost is the longest frame that is read, in bytes.
const inputMost = 32 << 20

// Serve answers until the input ends. Calls that only read are then cancelled; others come to their end first.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &serving{server: s, out: json.NewEncoder(out), open: map[int]*open{}, gone: make(chan struct{})}
	if err := c.out.Encode(s.Hello()); err != nil {
		return core.Errorf(core.IOError, "greet: %w", err)
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err := c.read(ctx, reading, in)
	stop()
	close(c.gone)
	c.calls.Wait()
	return err
}

// serving is one connection.
type serving struct {
	server *Server

	writing sync.Mutex
	out     *json.Encoder

	// gone is closed when the other host asks nothing more, and answers no question.
	gone chan struct{}

	mu    sync.Mutex
	open  map[int]*open
	calls sync.WaitGroup
}

// open is a call that is being answered.
type open struct {
	cancel context.CancelFunc
	// answers takes what a person says to a question, and looks the panes that are on display.
	answers chan bool
	looks   chan []core.PaneID
}

// read starts the calls that arrive. Reading ends with the input; ctx ends only when the server is stopped.
func (c *serving) read(ctx, reading context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, inputMost)
	for lines.Scan() {
		var request host.Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return core.Errorf(core.InvalidInput, "a frame cannot be read: %w", err)
		}
		if request.Cancel || request.Yes != nil || request.Display != nil {
			c.tell(&request)
			continue
		}
		own := reading
		if request.Key != "" {
			own = ctx
		}
		c.begin(own, &request)
	}
	if err := lines.Err(); err != nil {
		return core.Errorf(core.IOError, "read frames: %w", err)
	}
	return nil
}

// tell passes to a call that it is cancelled, or the answer to its question.
func (c *serving) tell(request *host.Request) {
	c.mu.Lock()
	call := c.open[request.ID]
	c.mu.Unlock()
	switch {
	case call == nil:
	case request.Cancel:
		call.cancel()
	case request.Display != nil:
		select {
		case <-call.looks: // what is newer counts
		default:
		}
		call.looks <- *request.Display
	default:
		select {
		case call.answers <- *request.Yes:
		default: // nothing was asked
		}
	}
}

// begin answers a call beside the others.
func (c *serving) begin(ctx context.Context, request *host.Request) {
	ctx, cancel := context.WithCancel(ctx)
	call := &open{cancel: cancel, answers: make(chan bool, 1), looks: make(chan []core.PaneID, 1)}
	c.mu.Lock()
	c.open[request.ID] = call
	c.mu.Unlock()
	c.calls.Go(func() {
		defer cancel()
		c.answer(ctx, call, request)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, request.ID)
	})
}

// confirm asks the person on the other host.
func (c *serving) confirm(ctx context.Context, call *open, id int, question string) (bool, error) {
	if err := c.write(host.Response{ID: id, Question: question}); err != nil {
		return false, core.Errorf(core.IOError, "ask: %w", err)
	}
	select {
	case yes := <-call.answers:
		return yes, nil
	case <-c.gone:
		return false, core.Errorf(core.Cancelled, "the link was lost before the question was answered")
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// write sends a frame. A frame that cannot be sent is lost with the connection, which shows at the end of the input.
func (c *serving) write(response host.Response) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.out.Encode(response)
}

// answer answers a call, from its record if it was made before.
func (c *serving) answer(ctx context.Context, call *open, request *host.Request) {
	last := host.Response{ID: request.ID, End: true}
	if request.Watch {
		if err := c.watch(ctx, call, request); err != nil {
			last.Failure = failureOf(core.AsError(err))
		}
		_ = c.write(last)
		return
	}
	if request.Key == "" {
		c.call(ctx, call, request, &last)
		_ = c.write(last)
		return
	}
	record, err := c.server.Records.Begin(ctx, request.Key)
	switch {
	case err != nil:
		last.Failure = failureOf(core.AsError(err))
	case record.Answer != nil:
		last = *record.Answer
		last.ID = request.ID
	default:
		c.call(ctx, call, request, &last)
		if err := record.End(&last); err != nil && last.Failure == nil {
			last.Warnings = append(last.Warnings, "the answer could not be recorded: "+err.Error())
		}
	}
	_ = c.write(last)
}

// call calls the verb, writes the lines of a stream, and fills in the last frame.
func (c *serving) call(ctx context.Context, call *open, request *host.Request, last *host.Response) {
	s := c.server.Service
	face, closeAll := s.Open(nil)
	defer closeAll()
	who := face.Env.Who()
	who.Host, who.Human, who.Border = request.As, request.Form == host.Report, s.Caller()
	if request.Stdin != "" {
		who.Stdin = func() (string, error) { return request.Stdin, nil }
	}
	if request.Asks {
		who.Confirm = func(question string) (bool, error) { return c.confirm(ctx, call, request.ID, question) }
	}
	verb, input, err := s.Admit(&service.Call{Verb: request.Verb, Input: request.Input})
	if err == nil {
		err = c.run(ctx, request, registry.As(verb, input), face.Env, input, last)
	}
	last.Warnings = append(last.Warnings, who.Warnings()...)
	if err != nil {
		last.Failure = failureOf(core.AsError(err))
	}
}

func (c *serving) run(ctx context.Context, request *host.Request, verb *registry.Verb, env registry.Env, input any,
	last *host.Response,
) error {
	reply, err := verb.Call(ctx, env, input, func(line any) error {
		frame, err := lineOf(request, line)
		if err != nil {
			return err
		}
		return c.write(frame)
	})
	if err != nil {
		return err
	}
	if last.Line, err = encoded(reply.Value); err != nil {
		return err
	}
	last.Plan = reply.Plan()
	if last.Hints, err = encoded(reply.Hints); err != nil {
		return err
	}
	if last.Next, err = encoded(reply.Next); err != nil {
		return err
	}
	if request.Form == host.Report {
		last.Report, err = json.Marshal(reply.Report())
	}
	last.Text = textOf(reply.Value, request.Form)
	return err
}

// lineOf is the frame of a line of a stream.
func lineOf(request *host.Request, line any) (host.Response, error) {
	text, err := encoded(line)
	frame := host.Response{ID: request.ID, Line: text}
	if own, is := line.(interface{ Report() *report.Report }); err == nil && is && request.Form == host.Report {
		frame.Report, err = json.Marshal(own.Report())
	}
	return frame, err
}

// textOf is an answer in a form that its verb makes itself; empty for others.
func textOf(value any, form host.Form) string {
	if own, is := value.(robot.Terser); is && form == host.Terse {
		return own.Terse()
	}
	if own, is := value.(robot.Marker); is && form == host.Markdown {
		return own.Markdown()
	}
	return ""
}

// encoded is a value as answers are written.
func encoded(value any) (json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	text, err := render.Compact(value)
	if err != nil {
		return nil, core.Errorf(core.InternalError, "encode an answer: %w", err)
	}
	return text, nil
}

// failureOf is a failure on its way.
func failureOf(e *core.Error) *host.Failure {
	details, err := encoded(e.Details)
	if err != nil {
		details = nil // only the details can be too large or too deep
	}
	return host.FailureOf(e, details)
}

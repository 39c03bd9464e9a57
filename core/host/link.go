package host

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cupola/core"
)

// Protocol is the version of the frames between hosts. A program speaks its own and the one before.
const (
	Protocol     = 1
	protocolLast = 1
)

// Request is a frame to the other host: a call of a verb, the end of one, or the answer to its question.
type Request struct {
	// ID is the call's, which its frames repeat; Cancel ends that call, and Yes answers its question.
	ID     int   `json:"id"`
	Cancel bool  `json:"cancel,omitempty"`
	Yes    *bool `json:"yes,omitempty"`
	// Verb and Input are the call; Stdin is the text on its standard input.
	Verb  string         `json:"verb,omitempty"`
	Input map[string]any `json:"input,omitempty"`
	Stdin string         `json:"stdin,omitempty"`
	// As is the name by which the caller knows the host, Form what the answer is wanted for.
	As   string `json:"as,omitempty"`
	Form Form   `json:"form,omitempty"`
	// Watch asks for pictures until the call is cancelled, and Look sets the panes whose screens they have.
	// With ScreensOnly the pictures have no snapshots.
	Watch       bool           `json:"watch,omitempty"`
	ScreensOnly bool           `json:"screens_only,omitempty"`
	Display     *[]core.PaneID `json:"look,omitempty"`
	// Asks is true where a person answers questions.
	Asks bool `json:"asks,omitempty"`
	// Key names a call that is made once only, however often it is asked for; empty for calls that only read.
	Key string `json:"key,omitempty"`
}

// Form is the form in which an answer is requested.
type Form string

// The forms. Document is for programs; Report has in addition what people see. The others are formats that a verb makes
// itself.
const (
	Document Form = "document"
	Report   Form = "report"
	Terse    Form = "terse"
	Markdown Form = "markdown"
)

// Response is a frame of the other host. A call has any number of them; the last says End.
type Response struct {
	ID int `json:"id"`
	// Line is a document: the answer, or a line of one that streams.
	Line json.RawMessage `json:"line,omitempty"`
	// Picture is a change, for a call that watches.
	Picture *Picture `json:"picture,omitempty"`
	// Question is one for a person, which a Request with Yes answers.
	Question string `json:"question,omitempty"`

	// What follows is in the last frame alone.
	End bool `json:"end,omitempty"`
	// Failure is why the call failed; nil if it did not.
	Failure *Failure `json:"failure,omitempty"`
	// Hints and Next belong to the answer beside its document; Warnings are the warnings of the call.
	Hints    json.RawMessage `json:"hints,omitempty"`
	Next     json.RawMessage `json:"next,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	// Report is the table that people see, Text the answer in the requested form.
	Report json.RawMessage `json:"report,omitempty"`
	Text   string          `json:"text,omitempty"`
	// Plan is the command that takes over a terminal on the host.
	Plan []string `json:"plan,omitempty"`
}

// Picture is a change on a host: a new snapshot, nil if the caller has the newest, and screens of the panes that the
// caller shows. Names and ids are as that host has them.
type Picture struct {
	Snapshot *core.Snapshot               `json:"snapshot,omitempty"`
	Screens  map[core.PaneID]*core.Screen `json:"screens,omitempty"`
}

// Failure is a *core.Error on its way between hosts.
type Failure struct {
	Code        core.Code     `json:"code"`
	Op          string        `json:"op,omitempty"`
	Message     string        `json:"message"`
	Hint        string        `json:"hint,omitempty"`
	Suggestions []string      `json:"suggestions,omitempty"`
	Slip        core.Slip     `json:"slip,omitzero"`
	Remedies    []core.Remedy `json:"remedies,omitempty"`
	Subject     core.Subject  `json:"subject,omitzero"`
	// Actions are commands that help; an empty list says that none does, and nil that those of the code may.
	Actions []string        `json:"actions"`
	Details json.RawMessage `json:"details,omitempty"`
}

// FailureOf returns a failure with its details as they are encoded.
func FailureOf(e *core.Error, details json.RawMessage) *Failure {
	return &Failure{
		Code: e.Code, Op: e.Op, Message: e.Error(), Hint: e.Hint, Suggestions: e.Suggestions, Slip: e.Slip,
		Remedies: e.Remedies, Subject: e.Subject, Actions: e.Actions, Details: details,
	}
}

// AsError returns the failure as it was on the host.
func (f *Failure) AsError() *core.Error {
	e := &core.Error{
		Code: f.Code, Op: f.Op, Message: f.Message, Hint: f.Hint, Suggestions: f.Suggestions, Slip: f.Slip,
		Remedies: f.Remedies, Subject: f.Subject, Actions: f.Actions,
	}
	if len(f.Details) > 0 {
		e.Details = f.Details
	}
	return e
}

// preambleMost is how much a login may print before the hello, in bytes.
const preambleMost = 64 << 10

// cancelWithin is how long a call that was cancelled may take to end.
const cancelWithin = 5 * time.Second

// Link is an open connection to the Cupola of a host. It is safe for concurrent use.
type Link struct {
	Host  *Host
	Hello Hello
	// RoundTrip is how long the hello took.
	RoundTrip time.Duration
	// quickest is how long the first frame of an answer took at least; 0 before one came.
	quickest time.Duration

	pipe io.ReadWriteCloser
	// out are the frames to send, for a host may read none.
	out chan outgoing

	mu    sync.Mutex
	next  int
	calls map[int]*call
	// ending are the calls that have no caller any more, until their last frame.
	ending map[int]bool
	// heard is when the last frame came, and asked the call that asks whether the host is there; 0 is none.
	heard time.Time
	asked int
	// users counts the users who have yet to close it; used is when the last one beside the pool closed it.
	users int
	used  time.Time
	// lost is closed when the connection has ended, because of err.
	lost chan struct{}
	err  error
}

// call is a call whose frames are awaited until done is closed.
type call struct {
	frames chan Response
	done   chan struct{}
}

// Open connects to a host by ssh and reads its hello; the key says what may be done over it. For a host without Cupola
// the proxy answers, if the host has tmux. The error is a *Fault where the host cannot be asked.
func (d Dialer) Open(ctx context.Context, h *Host, _ Access) (*Link, error) {
	pipe, err := d.Start(h, "remote")
	if err != nil {
		return nil, err
	}
	link, err := NewLink(ctx, h, pipe)
	if fault, is := errors.AsType[*Fault](err); is && fault.State == Missing && len(d.Proxy) > 0 {
		return d.openProxy(ctx, h, fault)
	}
	return link, err
}

// Open connects to a host, for one kind of access. The error is a *Fault where the host cannot be asked.
type Open func(ctx context.Context, h *Host, access Access) (*Link, error)

// NewLink is Open over a connection that is already there, which it closes in the end.
func NewLink(ctx context.Context, h *Host, pipe io.ReadWriteCloser) (*Link, error) {
	l := &Link{
		Host: h, pipe: pipe, calls: map[int]*call{}, ending: map[int]bool{}, out: make(chan outgoing),
		lost: make(chan struct{}), users: 1,
	}
	started := time.Now()
	in := bufio.NewReaderSize(pipe, preambleMost)
	greeted := make(chan error, 1)
	go func() { greeted <- l.greet(in) }()
	late := time.NewTimer(h.within())
	defer late.Stop()
	select {
	case err := <-greeted:
		if err != nil {
			return nil, l.opening(err)
		}
	case <-late.C:
		_ = pipe.Close()
		return nil, Late(h)
	case <-ctx.Done():
		_ = pipe.Close()
		return nil, ctx.Err()
	}
	l.RoundTrip = time.Since(started)
	go l.read(in)
	go l.write()
	return l, nil
}

// within is how long the host may be silent.
func (h *Host) within() time.Duration { return cmp.Or(h.Timeout, DefaultTimeout) }

// Late returns the fault of a host that does not answer in time.
func Late(h *Host) *Fault {
	return &Fault{
		Host: h.Name, State: Down, Reason: "it did not answer within " + core.ShortDuration(h.within()),
	}
}

// opening is the fault of a connection that ended before its hello.
func (l *Link) opening(err error) error {
	if fault, is := errors.AsType[*Fault](l.pipe.Close()); is {
		return fault
	}
	if fault, is := errors.AsType[*Fault](err); is {
		return fault
	}
	return &Fault{Host: l.Host.Name, State: Down, Reason: "what answers there is no Cupola: " + err.Error()}
}

// greet reads lines until the hello.
func (l *Link) greet(in *bufio.Reader) error {
	for read := 0; read < preambleMost; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		read += len(line)
		if json.Unmarshal(line, &l.Hello) == nil && l.Hello.Cupola == helloWord {
			if p := l.Hello.Protocol; p > Protocol || p < protocolLast {
				return &Fault{Host: l.Host.Name, State: Older, Reason: fmt.Sprintf(
					"its Cupola %s speaks version %d between hosts, and this one %d", l.Hello.Version, p, Protocol)}
			}
			return nil
		}
	}
	return errors.New("it prints other things")
}

// read passes frames to their calls until the connection ends. A host that sends what was not asked for is not listened
// to any more.
func (l *Link) read(in *bufio.Reader) {
	for {
		response, err := readFrame(in)
		if err != nil {
			l.fail(err)
			return
		}
		l.mu.Lock()
		to, ending := l.calls[response.ID], l.ending[response.ID]
		l.heard = time.Now()
		if response.End {
			delete(l.calls, response.ID)
			delete(l.ending, response.ID)
			if response.ID == l.asked {
				l.asked = 0
			}
		}
		l.mu.Unlock()
		if to == nil {
			if !ending {
				l.fail(errors.New("it sent what was not asked for"))
				return
			}
			continue
		}
		select {
		case to.frames <- *response:
		case <-to.done:
		}
	}
}

// outgoing is a frame to send; written is closed once it was.
type outgoing struct {
	text    []byte
	written chan struct{}
}

// write sends frames until the connection ends.
func (l *Link) write() {
	for {
		select {
		case frame := <-l.out:
			if _, err := l.pipe.Write(frame.text); err != nil {
				l.fail(err)
				return
			}
			close(frame.written)
		case <-l.lost:
			return
		}
	}
}

// fail ends all calls.
func (l *Link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		close(l.lost)
	}
}

// State is Slow if both the hello and every answer took longer than SlowAbove, else Up. A hello may be late because the
// connection was new, and an answer because there was much to do.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.RoundTrip > SlowAbove && (l.quickest == 0 || l.quickest > SlowAbove) {
		return Slow
	}
	return Up
}

// answered takes in how long the first frame of an answer took.
func (l *Link) answered(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quickest == 0 || took < l.quickest {
		l.quickest = took
	}
}

// Lost is closed when the connection has ended.
func (l *Link) Lost() <-chan struct{} { return l.lost }

// retain adds a user, unless the connection has ended.
func (l *Link) retain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.users == 0 {
		return false
	}
	l.users++
	return true
}

// unused reports whether only the pool has had the link for a while.
func (l *Link) unused(while time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users == 1 && time.Since(l.used) > while
}

// Close ends the connection, once its last user closes it. Calls that run then fail.
func (l *Link) Close() {
	l.mu.Lock()
	l.users, l.used = max(0, l.users-1), time.Now()
	last := l.users == 0
	l.mu.Unlock()
	if !last {
		return
	}
	_ = l.pipe.Close() // its calls return the reason of the failure
	l.fail(io.ErrClosedPipe)
}

// Answer answers the question of a call.
func (l *Link) Answer(ctx context.Context, id int, yes bool) error {
	return l.send(ctx, Request{ID: id, Yes: &yes})
}

// Display sets the panes whose screens a call that watches gets.
func (l *Link) Display(ctx context.Context, id int, panes []core.PaneID) error {
	all := append([]core.PaneID{}, panes...) // not null, which would be no look
	return l.send(ctx, Request{ID: id, Display: &all})
}

// Call makes a call and passes its frames on until the last. When ctx ends the call is cancelled on the host; one
// that acts may still come to its end. The error is a *Fault where the connection was lost or the host has said
// nothing for its Timeout, else the error of each or of ctx. A host that works on the call for long is asked whether
// it is there.
func (l *Link) Call(ctx context.Context, request Request, each func(Response) error) error {
	own := &call{frames: make(chan Response), done: make(chan struct{})}
	defer close(own.done)
	request.ID = l.begin(own)
	defer l.forget(request.ID)
	if err := l.send(ctx, request); err != nil {
		if ctx.Err() != nil { // it may have been sent all the same
			l.cancel(ctx, request.ID)
		}
		return err
	}
	ask := time.NewTicker(l.Host.within() / asksPerTimeout)
	defer ask.Stop()
	since, first := time.Now(), true
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case response := <-own.frames:
			if first {
				first = false
				l.answered(time.Since(since))
			}
			if err := each(response); err != nil {
				l.cancel(ctx, request.ID)
				return err
			}
			if response.End {
				return nil
			}
			since = time.Now() // a person may have thought about it
		case <-ask.C:
			if l.silent(since) > l.Host.within() {
				return Late(l.Host)
			}
			l.askWhetherThere(ctx)
		case <-l.lost:
			return l.broken()
		case <-done:
			done = nil
			l.cancel(ctx, request.ID)
			if request.Key == "" || errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return ctx.Err()
			}
			late = time.After(min(cancelWithin, l.Host.within()))
		case <-late:
			return ctx.Err()
		}
	}
}

// asksPerTimeout is how often a host is asked whether it is there before it is given up.
const asksPerTimeout = 4

// begin returns the id of a new call.
func (l *Link) begin(own *call) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	l.calls[l.next] = own
	return l.next
}

// silent is for how long the host has said nothing, since a time at most.
func (l *Link) silent(since time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard.After(since) {
		since = l.heard
	}
	return time.Since(since)
}

// askWhetherThere makes a call whose answer only shows that the host lives, unless one is under way. Any version
// answers it.
func (l *Link) askWhetherThere(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked != 0 {
		return
	}
	l.next++
	l.asked, l.ending[l.next] = l.next, true
	request := Request{ID: l.next, Verb: "version"}
	go func() { _ = l.send(ctx, request) }() // if it cannot be sent, the link falls silent and is closed
}

// cancelSentWithin bounds the sending of the end of a call.
const cancelSentWithin = 500 * time.Millisecond

// cancel informs the host that a call is not awaited any more.
func (l *Link) cancel(ctx context.Context, id int) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelSentWithin)
	defer stop()
	_ = l.send(ctx, Request{ID: id, Cancel: true}) // if it cannot be sent, the end of the connection cancels the call
}

// forget ends the interest in a call, whose frames may still come.
func (l *Link) forget(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[id] != nil {
		delete(l.calls, id)
		l.ending[id] = true
	}
}

// send sends a frame, unless the host takes none in time.
func (l *Link) send(ctx context.Context, request Request) error {
	text, err := json.Marshal(request)
	if err != nil {
		return core.Errorf(core.InternalError, "encode a call: %w", err)
	}
	late := time.NewTimer(l.Host.within())
	defer late.Stop()
	frame := outgoing{append(text, '\n'), make(chan struct{})}
	out := l.out
	for {
		select {
		case out <- frame:
			out = nil
		case <-frame.written:
			return nil
		case <-l.lost:
			return l.broken()
		case <-late.C:
			return Late(l.Host)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// broken is why the connection has ended.
func (l *Link) broken() error {
	if fault, is := errors.AsType[*Fault](l.pipe.Close()); is {
		return fault
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	reason := "the connection was lost"
	if l.err != nil && !errors.Is(l.err, io.EOF) && !errors.Is(l.err, io.ErrClosedPipe) {
		reason += ": " + l.err.Error()
	}
	return &Fault{Host: l.Host.Name, State: Down, Reason: reason}
}

package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/core/verb/advice"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Client makes calls on other hosts. What they answer is not trusted: see registry.Foreign.
type Client struct {
	// Catalog has the verbs of the commands that hosts suggest; without it there are none.
	Catalog *registry.Catalog
	// Open connects to a host.
	Open host.Open
	// Lost remembers hosts that did not answer; nil remembers none. A call of several hosts that only reads does not
	// wait for them.
	Lost *host.Lost
	// Version is the version of this program, and Fleet the word of this machine's fleet: see host.FleetOf. Either may
	// be empty.
	Version, Fleet string
	// Form is the format of the answers.
	Form host.Form
	// Stdin returns the standard input of the verb; nil is nothing.
	Stdin func() (string, error)
	// Confirm asks a person; nil if there is none.
	Confirm func(question string) (bool, error)
	// Attach returns the command that runs another one in the person's terminal, on a host.
	Attach func(h *host.Host, argv []string) ([]string, error)
	// Disabled are the names of hosts that are left out since the user disabled them.
	Disabled []string
	// Missing is why some of all hosts are not known, which is reported where several are asked; nil if they are.
	Missing error
	// Timeout is how long a host is waited for; 0 is the host's own.
	Timeout time.Duration
	// Key is the key of a call that acts; empty makes one. A call with the key of an earlier one gets its answer.
	Key string
	// Now is the clock.
	Now func() time.Time
}

const (
	// againAfter is when a lost link is opened again first.
	againAfter = 200 * time.Millisecond
	// actMost is how long a host may work on what has no time of its own.
	actMost = 10 * time.Minute
)

// On returns a verb that runs on one host.
func (c *Client) On(v *registry.Verb, h *host.Host) *registry.Verb {
	return registry.AnsweredBy(v, func(ctx context.Context, in any, emit func(any) error) (*registry.Reply, error) {
		answer, err := c.ask(ctx, v, h, in, emit)
		if err != nil {
			return nil, err
		}
		return c.reply(v, h, answer.Response)
	})
}

// Read calls a verb on a host, and reads its answer into a value as encoding/json does.
func (c *Client) Read(ctx context.Context, v *registry.Verb, h *host.Host, in, into any) error {
	answer, err := c.ask(ctx, v, h, in, nil)
	if err != nil {
		return err
	}
	if answer.Failure != nil {
		return c.failureOn(h, answer.Failure)
	}
	document, err := c.foreign(h).Document(answer.Line, v.Output())
	if err != nil {
		return err
	}
	text, err := render.Compact(document)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return core.Errorf(core.DecodeFailed, "the answer of host %s cannot be understood: %w", h.Name, err)
	}
	return nil
}

// Typed returns an answer as the type that its verb declares, also one that a host gave.
func Typed(v *registry.Verb, answer any) (any, error) {
	own, is := answer.(interface{ Document() render.Object })
	if !is {
		return answer, nil
	}
	into := reflect.New(v.Output())
	text, err := render.Compact(own.Document())
	if err == nil {
		err = json.Unmarshal(text, into.Interface())
	}
	if err != nil {
		return nil, core.Errorf(core.DecodeFailed, "the answer of %s cannot be understood: %w", v.Name, err)
	}
	return into.Elem().Interface(), nil
}

// foreign makes what a host says safe.
func (c *Client) foreign(h *host.Host) *registry.Foreign {
	return &registry.Foreign{Host: h.Name, Catalog: c.Catalog}
}

// asking is a call of a host, however often its link is lost.
type asking struct {
	*Client
	verb    *registry.Verb
	host    *host.Host
	request host.Request
	access  host.Access
	emit    func(any) error
	// flows is true if the verb answers line by line, and flowed if a line came that it cannot continue after.
	flows, flowed bool
	// began is when the host got the call first, and lost when its link was lost.
	began, lost time.Time
	// own is how long the verb itself takes at most; 0 if it does not say.
	own time.Duration
}

// ask makes a call. One that acts is made once, however often the link is lost. It ends with the time that the verb may
// take by its input, or that a host may take to answer.
func (c *Client) ask(ctx context.Context, v *registry.Verb, h *host.Host, in any, emit func(any) error) (*answer,
	error,
) {
	a := &asking{Client: c, verb: v, host: h, emit: emit, flows: registry.Flows(v, in, c.Form == host.Report)}
	inProject := func(string) bool { return false } // no path is in a project of this machine
	need := registry.NeedOf(v, in, inProject)
	reads := need.Effect == registry.Reads
	a.request = host.Request{
		Verb: v.Name, Input: map[string]any{}, As: h.Name, Form: c.Form, Asks: c.Confirm != nil && !reads,
	}
	for _, given := range registry.Values(v, in) {
		a.request.Input[given.Name] = given.Value
		if text, is := given.Value.(string); is && text == "-" && c.Stdin != nil {
			read, err := c.Stdin()
			if err != nil {
				return nil, err
			}
			a.request.Stdin = read
		}
	}
	if !reads {
		a.request.Key = cmp.Or(c.Key, NewKey())
	}
	a.access = host.Reads
	if need.Level != registry.Reads {
		a.access = host.Acts
	}
	a.own = registry.Duration(v, in, timeoutInput)
	most := c.within(h)
	switch {
	case a.own > 0:
		most += a.own
	case a.flows:
		most = 0 // the caller ends it
	case !reads:
		most = max(most, actMost)
	}
	own := ctx
	if most > 0 {
		var stop context.CancelFunc
		own, stop = context.WithTimeout(ctx, most)
		defer stop()
	}
	got, err := a.run(own)
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return nil, a.unfinished(host.Late(h))
	}
	return got, err
}

// answer is the last frame of a call, and the host and the link that it came from.
type answer struct {
	*host.Response
	hello host.Hello
	state host.State
}

// timeoutInput is the input that says how long a verb may take.
const timeoutInput = "timeout"

// run asks until there is an answer, or no hope of one.
func (a *asking) run(ctx context.Context) (*answer, error) {
	for wait := againAfter; ; wait *= 2 {
		if a.own > 0 && !a.began.IsZero() { // what is left of it
			left := (a.own - a.Now().Sub(a.began)).Truncate(time.Millisecond)
			a.request.Input[timeoutInput] = max(left, time.Millisecond).String()
		}
		tried := a.Now()
		got, started, err := a.try(ctx)
		var fault *host.Fault
		if !errors.As(err, &fault) {
			return got, err
		}
		now := a.Now()
		if started && (a.lost.IsZero() || now.Sub(tried) > a.within(a.host)) {
			a.lost = now // a link that held for long was no part of the failure before
		}
		if a.lost.IsZero() || a.flowed || fault.State != host.Down || now.Sub(a.lost) >= a.within(a.host) ||
			fault.Reason == host.Late(a.host).Reason {
			return nil, a.unfinished(fault)
		}
		if err := core.Sleep(ctx, min(wait, 5*time.Second)); err != nil {
			return nil, err
		}
	}
}

// NewKey returns a key for a call that acts, which no other one has.
func NewKey() string { return strings.ToLower(rand.Text()) }

// unfinished is the error of a call whose host cannot be asked.
func (a *asking) unfinished(fault *host.Fault) error {
	e := fault.AsError()
	if !a.began.IsZero() && a.verb.Effect != registry.Reads {
		e.Message += "; what was asked may be done there all the same"
	}
	return e
}

// try makes the call over a link of its own. Started is true once the call was sent.
func (a *asking) try(ctx context.Context) (got *answer, started bool, err error) {
	link, err := a.Open(ctx, a.host, a.access)
	if err != nil {
		return nil, false, err
	}
	defer link.Close()
	if a.began.IsZero() {
		a.began = a.Now()
	}
	err = link.Call(ctx, a.request, func(response host.Response) error {
		switch {
		case response.End:
			got = &answer{Response: &response, hello: link.Hello}
			return nil
		case response.Question != "":
			return a.question(ctx, link, &response)
		case response.Picture != nil, !a.flows:
			return a.unasked("it sent what was not asked for")
		case a.emit == nil:
			return nil
		}
		return a.line(&response)
	})
	if got != nil {
		got.state = link.State()
	}
	return got, true, err
}

// unasked is the error of a host that does not keep to what it was asked.
func (a *asking) unasked(reason string) error {
	fault := &host.Fault{Host: a.host.Name, State: host.Refused, Reason: reason}
	e := fault.AsError()
	e.Code, e.Hint, e.Err = core.DecodeFailed, "It is no well-behaved Cupola; nothing more of it was read.", nil
	return e
}

// question passes a question on to the person, if there is one and the verb may ask.
func (a *asking) question(ctx context.Context, link *host.Link, response *host.Response) error {
	if !a.request.Asks {
		return a.unasked("it asks a question, which " + a.verb.Name + " may not do here")
	}
	yes, err := a.Confirm("Host " + a.host.Name + " asks: " + core.OneLine(cells.Safe(response.Question)))
	if err != nil {
		return err
	}
	return link.Answer(ctx, response.ID, yes)
}

// line passes a line of a stream on. No line is passed on twice: a stream of events continues after the last one.
func (a *asking) line(response *host.Response) error {
	foreign := a.foreign(a.host)
	came, err := foreign.Document(response.Line, a.verb.Line())
	if err != nil {
		return err
	}
	passed := line{document: document{came}}
	if len(response.Report) > 0 {
		passed.report = &report.Report{}
		if err := json.Unmarshal(response.Report, passed.report); err != nil {
			return core.Errorf(core.DecodeFailed, "host %s: %w", a.host.Name, err)
		}
		passed.report = foreign.Report(passed.report)
	}
	a.flowed = true
	if revision := came.Number("revision"); revision > 0 && a.verb.Field(sinceInput) != nil {
		a.request.Input[sinceInput], a.flowed = fmt.Sprintf("rev:%d", revision), false
	}
	return a.emit(passed)
}

// reply is an answer as the faces write it.
func (c *Client) reply(v *registry.Verb, h *host.Host, answer *host.Response) (*registry.Reply, error) {
	if answer.Failure != nil {
		return nil, c.failureOn(h, answer.Failure)
	}
	foreign := c.foreign(h)
	if len(answer.Line) == 0 {
		answer.Line = json.RawMessage("{}")
	}
	body, err := foreign.Document(answer.Line, v.Output())
	if err != nil {
		return nil, err
	}
	reply := &registry.Reply{Value: valueOf(body, answer.Text, c.Form)}
	shown := &report.Report{}
	for _, part := range []struct {
		text json.RawMessage
		into any
	}{{answer.Hints, &reply.Hints}, {answer.Next, &reply.Next}, {answer.Report, &shown}} {
		if len(part.text) == 0 {
			continue
		}
		if err := json.Unmarshal(part.text, part.into); err != nil {
			return nil, core.Errorf(core.DecodeFailed, "the answer of host %s cannot be understood: %w", h.Name, err)
		}
	}
	reply.Next = foreign.Actions(reply.Next)
	reply.Hints = foreign.Hints(reply.Hints)
	if shown != nil {
		reply.Shown(foreign.Report(shown))
	}
	reply.Warn(answer.Warnings...)
	if len(answer.Plan) > 0 && c.Attach != nil && registry.TakesOver(v) {
		argv, err := c.Attach(h, answer.Plan)
		if err != nil {
			return nil, err
		}
		reply.TakesOver(argv)
		planned(body, argv)
	}
	return reply, nil
}

// planned replaces in an answer the command that takes over a terminal by the one that does so from here.
func planned(body render.Object, argv []string) {
	for key, here := range map[string]any{"argv": argv, "command": shell.Line(argv...)} {
		if _, has := body.Get(key); has {
			body.Set(key, here)
		}
	}
}

// named are the codes whose suggestions are names of sessions or panes.
var named = []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound}

// ofHosts are the remedies for a host itself, which are done on this machine.
var ofHosts = []core.Remedy{
	core.RemedyInstallOnHost, core.RemedyListHosts, core.RemedyTestHost, core.RemedyEnableHost,
}

// failureOn is a failure of a host. Its remedies and its near misses belong to that host.
func (c *Client) failureOn(h *host.Host, failure *host.Failure) *core.Error {
	foreign := c.foreign(h)
	e := failure.AsError()
	e.Details = foreign.Details(failure.Details)
	own := core.Error{Remedies: e.Remedies, Subject: e.Subject}
	own.Remedies = slices.DeleteFunc(slices.Clone(e.Remedies), func(r core.Remedy) bool {
		return slices.Contains(ofHosts, r)
	})
	if helped := advice.Complete(&own); len(helped.Actions) > 0 {
		e.Actions = append(slices.Clone(e.Actions), helped.Actions...)
	}
	e.Remedies = slices.DeleteFunc(e.Remedies, func(r core.Remedy) bool { return !slices.Contains(ofHosts, r) })
	if e.Actions == nil && len(e.Remedies) == 0 {
		e.Actions = advice.Of(e.Code).Actions
	}
	e.Actions = foreign.Commands(e.Actions)
	e.Subject = core.Subject{Host: h.Name, Session: foreign.Name(e.Subject.Session)}
	word := foreign.Name(e.Slip.Word)
	e.Slip = core.Slip{}
	if slices.Contains(named, e.Code) {
		e.Slip.Word = word
		for i := range e.Suggestions {
			e.Suggestions[i] = foreign.Name(e.Suggestions[i])
		}
	}
	if e.Hint != "" {
		e.Hint = "Host " + h.Name + " says: " + core.OneLine(cells.Safe(e.Hint))
	}
	e.Message = "on host " + h.Name + ": " + cells.Safe(e.Message)
	return e
}

// line is a line of a stream.
type line struct {
	document
	report *report.Report
}

// sinceInput is the input of streams of events that says behind which revision they begin.
const sinceInput = "since"

// Report shows people the line.
func (l line) Report() *report.Report {
	if l.report == nil {
		text, _ := render.Compact(l.document) // it came as JSON
		return report.Say(report.Text(string(text)))
	}
	return l.report
}

// document is an answer of a host.
type document struct{ render.Object }

// Document returns the answer.
func (d document) Document() render.Object { return d.Object }

// terse is an answer with a line of its own.
type terse struct {
	document
	line string
}

// Terse returns the line.
func (t terse) Terse() string { return t.line }

// markdown is an answer with a page of its own.
type markdown struct {
	document
	page string
}

// Markdown returns the page.
func (m markdown) Markdown() string { return m.page }

// valueOf returns the value of an answer; own is the text that its verb made in the form, empty for none.
func valueOf(body render.Object, own string, form host.Form) any {
	own = cells.Safe(own)
	switch {
	case own == "":
		return document{body}
	case form == host.Terse:
		return terse{document{body}, own}
	}
	return markdown{document{body}, own}
}

// within is how long a host is waited for.
func (c *Client) within(h *host.Host) time.Duration {
	return cmp.Or(c.Timeout, h.Timeout, host.DefaultTimeout)
}

package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/cells"
	"cupola/core/host"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

// Client makes calls on other hosts.
type Client struct {
	// Open connects to a host.
	Open host.Open
	// Form is what answers are wanted for.
	Form host.Form
	// Stdin is what the verb would read of standard input; nil is nothing.
	Stdin func() (string, error)
	// Confirm asks a person; nil if there is none.
	Confirm func(question string) (bool, error)
	// Attach returns the command that runs another one in the person's terminal, on a host.
	Attach func(h *host.Host, argv []string) ([]string, error)
	// Missing is why some of all hosts are not known, which is told where several are asked; nil if they are.
	Missing error
	// Timeout is how long one of several hosts is waited for; 0 is host.DefaultTimeout.
	Timeout time.Duration
	// Key is that of a call that acts; empty makes one. A call with the key of an earlier one gets the answer of that.
	Key string
	// Now is the clock.
	Now func() time.Time
}

const (
	// againFor is how long a lost link is opened again for a call that it interrupted, first after againAfter.
	againFor   = 30 * time.Second
	againAfter = 200 * time.Millisecond
)

// On returns a verb that runs on one host.
func (c *Client) On(v *registry.Verb, h *host.Host) *registry.Verb {
	return registry.Elsewhere(v, func(ctx context.Context, in any, emit func(any) error) (*registry.Reply, error) {
		answer, err := c.ask(ctx, v, h, in, emit)
		if err != nil {
			return nil, err
		}
		return c.reply(h, answer)
	})
}

// Read calls a verb on a host, and reads its answer into a value as encoding/json does.
func (c *Client) Read(ctx context.Context, v *registry.Verb, h *host.Host, in, into any) error {
	answer, err := c.ask(ctx, v, h, in, nil)
	if err != nil {
		return err
	}
	if answer.Failure != nil {
		return failureOn(h, answer.Failure)
	}
	if err := json.Unmarshal(answer.Line, into); err != nil {
		return core.Errorf(core.DecodeFailed, "the answer of host %s cannot be understood: %w", h.Name, err)
	}
	return nil
}

// ask makes a call. One that acts is made once, however often the link is lost.
func (c *Client) ask(ctx context.Context, v *registry.Verb, h *host.Host, in any, emit func(any) error) (*host.Response,
	error,
) {
	request := host.Request{
		Verb: v.Name, Input: map[string]any{}, As: h.Name, Form: c.Form, Asks: c.Confirm != nil,
	}
	for _, given := range registry.Values(v, in) {
		request.Input[given.Name] = given.Value
		if text, is := given.Value.(string); is && text == "-" && c.Stdin != nil {
			read, err := c.Stdin()
			if err != nil {
				return nil, err
			}
			request.Stdin = read
		}
	}
	if v.Effect != registry.Reads {
		request.Key = cmp.Or(c.Key, NewKey())
	}
	// What was passed on already is not passed on twice: a stream of events goes on behind the last one.
	var flowed bool
	each := emit
	if emit != nil {
		each = func(passed any) error {
			flowed = true
			if own, is := passed.(line); is && v.Field(sinceInput) != nil {
				if revision := own.revision(); revision > 0 {
					request.Input[sinceInput], flowed = fmt.Sprintf("rev:%d", revision), false
				}
			}
			return emit(passed)
		}
	}
	var lost time.Time
	for wait := againAfter; ; wait *= 2 {
		answer, begun, err := c.try(ctx, h, request, each)
		var fault *host.Fault
		if !errors.As(err, &fault) {
			return answer, err
		}
		if lost.IsZero() && begun {
			lost = c.Now()
		}
		if lost.IsZero() || flowed || fault.State != host.Down || c.Now().Sub(lost) > againFor {
			return nil, c.unfinished(v, fault, !lost.IsZero())
		}
		if err := core.Sleep(ctx, min(wait, 5*time.Second)); err != nil {
			return nil, err
		}
	}
}

// NewKey returns a key for a call that acts, which no other one has.
func NewKey() string { return strings.ToLower(rand.Text()) }

// unfinished is the error of a call whose host cannot be asked.
func (c *Client) unfinished(v *registry.Verb, fault *host.Fault, begun bool) error {
	e := fault.AsError()
	if begun && v.Effect != registry.Reads {
		e.Message += "; what was asked may be done there all the same"
	}
	return e
}

// try makes a call over a link of its own. Begun is true once the call was sent.
func (c *Client) try(ctx context.Context, h *host.Host, request host.Request, emit func(any) error) (
	answer *host.Response, begun bool, err error,
) {
	access := host.Reads
	if request.Key != "" {
		access = host.Acts
	}
	link, err := c.Open(ctx, h, access)
	if err != nil {
		return nil, false, err
	}
	defer link.Close()
	err = link.Call(ctx, request, func(response host.Response) error {
		switch {
		case response.End:
			answer = &response
			return nil
		case response.Question != "":
			yes, err := c.Confirm(response.Question)
			if err != nil {
				return err
			}
			return link.Answer(response.ID, yes)
		case emit == nil:
			return nil
		}
		line := line{text: response.Line}
		if len(response.Report) > 0 {
			line.report = &report.Report{}
			if err := json.Unmarshal(response.Report, line.report); err != nil {
				return core.Errorf(core.DecodeFailed, "host %s: %w", h.Name, err)
			}
		}
		return emit(line)
	})
	return answer, true, err
}

// reply is an answer as the faces write it.
func (c *Client) reply(h *host.Host, answer *host.Response) (*registry.Reply, error) {
	if answer.Failure != nil {
		return nil, failureOn(h, answer.Failure)
	}
	reply := &registry.Reply{Value: valueOf(answer, c.Form)}
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
	// A host suggests what its own Cupola can do, and nothing else.
	reply.Next = slices.DeleteFunc(reply.Next, func(next registry.Action) bool { return !isOwn(next.Command) })
	for i := range reply.Next {
		reply.Next[i].Command = registry.CommandOn(h.Name, reply.Next[i].Command)
	}
	if shown != nil {
		shown.Next = slices.DeleteFunc(shown.Next, func(tip report.Tip) bool { return !isOwn(tip.Command) })
		for i := range shown.Next {
			shown.Next[i].Command = registry.CommandOn(h.Name, shown.Next[i].Command)
		}
		reply.Shown(shown)
	}
	reply.Warn(answer.Warnings...)
	if len(answer.Plan) > 0 && c.Attach != nil {
		argv, err := c.Attach(h, answer.Plan)
		if err != nil {
			return nil, err
		}
		reply.TakesOver(argv)
		if reply.Value, err = planned(reply.Value, answer.Plan, argv); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// planned is an answer that names the command which takes over a terminal, as it is run from here.
func planned(value any, there, here []string) (any, error) {
	doc, is := value.(document)
	if !is {
		return value, nil
	}
	for _, part := range []struct {
		name        string
		there, here any
	}{{"argv", there, here}, {"command", shell.Line(there...), shell.Line(here...)}} {
		before, err := encoded(map[string]any{part.name: part.there})
		if err != nil {
			return nil, err
		}
		after, err := encoded(map[string]any{part.name: part.here})
		if err != nil {
			return nil, err
		}
		doc.text = bytes.Replace(doc.text, bytes.Trim(before, "{}\n"), bytes.Trim(after, "{}\n"), 1)
	}
	return doc, nil
}

// named are the codes whose suggestions are names of sessions or panes.
var named = []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound}

// isOwn reports whether a command line is one of Cupola.
func isOwn(command string) bool { return strings.HasPrefix(command, "cupola ") }

// failureOn is a failure of a host, whose near misses name it.
func failureOn(h *host.Host, failure *host.Failure) *core.Error {
	e := failure.AsError()
	e.Actions = slices.DeleteFunc(e.Actions, func(command string) bool { return !isOwn(command) })
	for i := range e.Actions {
		e.Actions[i] = registry.CommandOn(h.Name, e.Actions[i])
	}
	if slices.Contains(named, e.Code) && e.Slip.Word != "" {
		e.Slip.Word = host.Qualified(h.Name, e.Slip.Word)
		for i := range e.Suggestions {
			e.Suggestions[i] = host.Qualified(h.Name, e.Suggestions[i])
		}
	}
	e.Message = "on host " + h.Name + ": " + e.Message
	return e
}

// line is a line of a stream.
type line struct {
	text   json.RawMessage
	report *report.Report
}

// sinceInput is the input of streams of events that says behind which revision they begin.
const sinceInput = "since"

// revision is that of a line of a stream of events; 0 of another line.
func (l line) revision() uint64 {
	var of struct{ Revision uint64 }
	if json.Unmarshal(l.text, &of) != nil {
		return 0
	}
	return of.Revision
}

// MarshalJSON returns the line as it came.
func (l line) MarshalJSON() ([]byte, error) { return l.text, nil }

// Report is what people see of the line.
func (l line) Report() *report.Report {
	if l.report == nil {
		return report.Say(report.Text(string(l.text)))
	}
	return l.report
}

// document is an answer as it came.
type document struct{ text json.RawMessage }

// MarshalJSON returns the answer as it came.
func (d document) MarshalJSON() ([]byte, error) { return d.text, nil }

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

// valueOf is the value of an answer.
func valueOf(answer *host.Response, form host.Form) any {
	doc := document{answer.Line}
	if len(doc.text) == 0 {
		doc.text = json.RawMessage("{}")
	}
	text := cells.Safe(answer.Text)
	switch {
	case text == "":
		return doc
	case form == host.Terse:
		return terse{doc, text}
	}
	return markdown{doc, text}
}

// within is how long a host is waited for among several.
func (c *Client) within() time.Duration { return cmp.Or(c.Timeout, host.DefaultTimeout) }

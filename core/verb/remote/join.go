package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"cupola/core"
	"cupola/core/host"
	"cupola/core/text/report"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
)

// Asked is the result of one host in an answer of several.
type Asked struct {
	Host  string     `json:"host"`
	State host.State `json:"state"`
	// Reason is the reason why the host is missing, and Code is the code of its failure; both are empty for one that
	// answered.
	Reason  string            `json:"reason,omitempty"`
	Code    core.Code         `json:"error_code,omitempty"`
	Elapsed core.Milliseconds `json:"elapsed_ms"`

	// Answer is the document of a verb that has no list: documents of several hosts cannot be joined.
	Answer any `json:"answer,omitempty"`

	reply *registry.Reply
	err   error
	// hello is its greeting.
	hello host.Hello
}

// OnAll returns a verb that runs on several hosts at once; nil is this one, for which run answers. Their answers are
// joined: lists one after the other, in the order of the hosts, and numbers added. The answer has the result of each
// host; it fails only if all did, or if something was to be done and was not. A registry.First may end with the first
// answer. Of hosts that are one machine the first counts.
func (c *Client) OnAll(v *registry.Verb, hosts []*host.Host,
	run func(ctx context.Context, in any) (*registry.Reply, error),
) *registry.Verb {
	return registry.AnsweredBy(v, func(ctx context.Context, in any, _ func(any) error) (*registry.Reply, error) {
		s := &several{client: c, verb: v, hosts: hosts, run: run, asked: make([]Asked, len(hosts))}
		if v.Effect != registry.Reads {
			s.greet(ctx)
		}
		s.ask(ctx, in)
		s.leaveOut()
		if c.Missing != nil {
			e := core.AsError(c.Missing)
			s.asked = append(s.asked, Asked{Host: theBus, State: host.Down, Code: e.Code, Reason: e.Error(), err: e})
		}
		return s.joined()
	})
}

// theBus takes the place of the hosts of a bus that does not answer.
const theBus = "the bus"

// several is a call of several hosts.
type several struct {
	client *Client
	verb   *registry.Verb
	hosts  []*host.Host
	run    func(ctx context.Context, in any) (*registry.Reply, error)
	// asked are the results, in the order of the hosts.
	asked []Asked
}

// greet reads the greetings of all hosts, so that nothing is done twice on a machine that has two names. A host that
// cannot be reached fails later.
func (s *several) greet(ctx context.Context) {
	var all sync.WaitGroup
	for i, h := range s.hosts {
		if h == nil {
			continue
		}
		all.Go(func() {
			if link, err := s.client.Open(ctx, h, host.Acts); err == nil {
				s.asked[i].hello = link.Hello
				link.Close()
			}
		})
	}
	all.Wait()
}

// same returns the name of the host before one that is the same machine; empty if there is none.
func (s *several) same(i int) string {
	fleet := s.asked[i].hello.Fleet
	if fleet == "" || s.hosts[i] == nil {
		return ""
	}
	for j, h := range s.hosts {
		switch {
		case h == nil && fleet == s.client.Fleet:
			return host.Local
		case h != nil && j < i && fleet == s.asked[j].hello.Fleet:
			return h.Name
		}
	}
	return ""
}

// leaveOut leaves the answers of machines out that gave another one under another name.
func (s *several) leaveOut() {
	for i := range s.asked {
		if same := s.same(i); same != "" && s.asked[i].err == nil {
			s.asked[i].reply, s.asked[i].Reason = nil, SameMachine(same)
		}
	}
}

// SameMachine says that a host is the machine that another name means too.
func SameMachine(name string) string { return "it is the same machine as " + name + ", which is shown" }

// ask asks all hosts at once.
func (s *several) ask(ctx context.Context, in any) {
	first, is := in.(registry.First)
	ends := is && first.EndsWithFirst()
	calls, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	var done atomic.Bool
	same := make([]bool, len(s.hosts))
	for i := range s.hosts {
		same[i] = s.same(i) != ""
	}
	for i := range s.hosts {
		if same[i] {
			s.asked[i].Host, s.asked[i].State = s.hosts[i].Name, host.Up
			continue
		}
		all.Go(func() {
			one := &s.asked[i]
			*one = s.one(calls, i, in)
			if !ends {
				return
			}
			if one.err == nil && done.CompareAndSwap(false, true) {
				stop()
			} else if calls.Err() != nil && ctx.Err() == nil { // another one was first
				one.State, one.Code, one.Reason, one.reply, one.err = host.Up, "", "", nil, nil
			}
		})
	}
	all.Wait()
}

// one asks one of the hosts. Another host that did not answer a while ago is not waited for, unless something is to be
// done there.
func (s *several) one(ctx context.Context, i int, in any) Asked {
	c, h, v := s.client, s.hosts[i], s.verb
	started := c.Now()
	asked := Asked{Host: host.Local, State: host.Up}
	if h == nil {
		asked.reply, asked.err = s.run(ctx, in)
	} else if asked.Host = h.Name; v.Effect == registry.Reads {
		asked.err = c.Lost.Err(h)
	}
	if h != nil && asked.err == nil {
		var got *answer
		if got, asked.err = c.ask(ctx, v, h, in, nil); asked.err == nil {
			asked.hello = got.hello
			if asked.State = got.state; asked.State == host.Slow {
				asked.Reason = host.SlowReason
			}
			asked.reply, asked.err = c.reply(v, h, got.Response)
		}
		c.Lost.Note(h, c.Now().Sub(started), asked.err)
	}
	elapsed := c.Now().Sub(started)
	asked.Elapsed = core.Milliseconds(elapsed)
	if asked.err == nil {
		return asked
	}
	e := core.AsError(asked.err)
	asked.Code, asked.Reason = e.Code, e.Error()
	details, _ := e.Details.(map[string]any)
	if state, is := details["state"].(host.State); is {
		asked.State, asked.Reason = state, fmt.Sprint(details["reason"])
	}
	return asked
}

// lacks says why the answer of a host is missing, with the word of its state.
func (a *Asked) lacks() string {
	if a.State == host.Up {
		return "does not say: " + a.Reason // it was asked, and failed
	}
	return fmt.Sprintf("is %s: %s", a.State, a.Reason)
}

// joined is one answer of several.
func (s *several) joined() (*registry.Reply, error) {
	c, v, asked := s.client, s.verb, s.asked
	var body render.Object
	shown := &report.Report{}
	reply := &registry.Reply{}
	failed := slices.DeleteFunc(slices.Clone(asked), func(a Asked) bool { return a.err == nil })
	for i := range asked {
		own := asked[i].reply
		if own == nil {
			continue
		}
		value, err := render.Value(own.Value)
		if err != nil {
			return nil, core.Errorf(core.InternalError, "join answers: %w", err)
		}
		part, _ := value.(render.Object)
		body = joinObjects(body, part)
		if v.List == "" {
			asked[i].Answer = part
		}
		reply.Next = append(reply.Next, own.Next...)
		if own.Hints != nil {
			reply.Warn(own.Hints.Warnings...)
		}
		if r := own.Report(); r != nil && c.Form == host.Report {
			shown.AddLine(report.Toned(report.Strong, asked[i].Host))
			shown.Blocks = append(shown.Blocks, r.Blocks...)
			shown.Next = append(shown.Next, r.Next...)
		}
	}
	if len(failed) == len(asked) || len(failed) > 0 && v.Effect != registry.Reads {
		return nil, failure(asked, failed)
	}
	for i := range failed {
		lacks := failed[i].lacks()
		reply.Warn("host " + failed[i].Host + " " + lacks)
		shown.AddLine(report.Toned(report.Bad, failed[i].Host+" "), report.Toned(report.Dim, lacks))
	}
	for i := range asked {
		if said := asked[i].hello.Skewed(asked[i].Host, c.Version); said != "" {
			reply.Warn(said)
		}
	}
	for _, name := range c.Disabled {
		asked = append(asked, Asked{Host: name, State: host.Disabled, Reason: "you disabled it"})
	}
	rows := make([]any, len(asked))
	for i := range asked {
		row, err := render.Value(asked[i])
		if err != nil {
			return nil, core.Errorf(core.InternalError, "join answers: %w", err)
		}
		rows[i] = row
	}
	reply.Value = document{append(body, render.Member{Key: "hosts", Value: rows})}
	reply.Shown(shown)
	return reply, nil
}

// failure is the error of hosts that failed.
func failure(asked, failed []Asked) error {
	first := core.AsError(failed[0].err)
	e := &core.Error{
		Code: first.Code, Message: fmt.Sprintf("%d of %d hosts failed; %s: %s", len(failed), len(asked), failed[0].Host,
			failed[0].Reason),
		Hint: first.Hint, Remedies: first.Remedies, Subject: first.Subject, Details: map[string]any{"hosts": asked},
	}
	return e
}

// unlike are the members that are not added: the first host's values are kept.
var unlike = []string{"limit", "offset", "timeout_ms", "revision"}

// joinObjects joins the members of two objects; those of the second that are new come last.
func joinObjects(a, b render.Object) render.Object {
	joined := slices.Clone(a)
	for _, member := range b {
		at := slices.IndexFunc(joined, func(m render.Member) bool { return m.Key == member.Key })
		switch {
		case at < 0:
			joined = append(joined, member)
		case !slices.Contains(unlike, member.Key):
			joined[at].Value = join(member.Key, joined[at].Value, member.Value)
		}
	}
	return joined
}

// join joins two values of a member: lists and objects with each other, and numbers by adding them. Shares, times and
// whatever else cannot be added stay those of the first, of durations the longer one counts. A flag is true if one is,
// but what is complete must be so everywhere.
func join(key string, a, b any) any {
	switch a := a.(type) {
	case render.Object:
		if b, is := b.(render.Object); is {
			return joinObjects(a, b)
		}
	case []any:
		if b, is := b.([]any); is {
			return slices.Concat(a, b)
		}
	case bool:
		if b, is := b.(bool); is {
			if key == "complete" || key == "success" || key == "ok" {
				return a && b
			}
			return a || b
		}
	case json.Number:
		if b, is := b.(json.Number); is {
			return joinNumbers(key, a, b)
		}
	}
	return a
}

func joinNumbers(key string, a, b json.Number) any {
	x, errX := a.Int64()
	y, errY := b.Int64()
	longest := strings.HasSuffix(key, "_ms") || strings.HasSuffix(key, "_seconds") || strings.Contains(key, "percent")
	switch {
	case errX == nil && errY == nil && longest:
		return json.Number(strconv.FormatInt(max(x, y), 10))
	case errX == nil && errY == nil:
		return json.Number(strconv.FormatInt(x+y, 10))
	}
	f, errF := a.Float64()
	g, errG := b.Float64()
	if cmp.Or(errF, errG) != nil {
		return a
	}
	sum := f + g
	if longest {
		sum = max(f, g)
	}
	return json.Number(strconv.FormatFloat(sum, 'f', -1, 64))
}

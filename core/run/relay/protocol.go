package relay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/run/relay/stream"
	"cupola/core/system/plainfile"
	"cupola/core/system/process/child"
)

// By is a way to ask a backend; empty is its usual one.
type By string

// ByProtocol asks a backend by the Agent Client Protocol.
const ByProtocol By = "acp"

// protocol is a backend that speaks the Agent Client Protocol.
type protocol struct {
	argv []string
	// kind is the kind of the agent; nil for a command of the settings.
	kind *agent.Kind
	agent.Protocol
}

// FromProtocol returns the backend that a command is which speaks the Agent Client Protocol.
func FromProtocol(id, name string, command []string) *Backend {
	b := &Backend{
		ID: id, Name: cmp.Or(name, id), Category: CLI,
		protocol: &protocol{command, nil, agent.Protocol{Command: command}},
	}
	b.Modes = b.protocol.guarantees()
	return b
}

// By returns the backend as it is asked in a way. It returns NotImplemented for a way that it has not.
func (b *Backend) By(way By) (*Backend, error) {
	switch {
	case way == "":
		return b, nil
	case way != ByProtocol:
		return nil, core.Errorf(core.InvalidInput, "%q is no way to ask a backend: acp is one", way)
	case b.protocol == nil:
		e := core.Errorf(core.NotImplemented, "%s is not known to speak the Agent Client Protocol", b.Name)
		e.Hint = "Ask it as usual, or add a kind with an [acp] part."
		return nil, e
	}
	other := *b
	other.program, other.Modes = nil, b.protocol.guarantees()
	other.Install = cmp.Or(b.protocol.Install, b.Install)
	return &other, nil
}

// FindBy returns the backend with a name, as it is asked in a way.
func (all Backends) FindBy(name string, way By) (*Backend, error) {
	b, err := all.Find(name)
	if err != nil {
		return nil, err
	}
	return b.By(way)
}

// resumes reports whether a backend, as it is asked in a way, keeps conversations itself.
func (all Backends) resumes(name string, way By) (bool, error) {
	b, err := all.FindBy(name, way)
	return err == nil && b.Continues(), err
}

// agentMode is the agent's mode for a sandbox mode: the first of the modes that it has a name for.
func (p *protocol) agentMode(mode Sandbox) string {
	for _, wanted := range map[Sandbox][]core.Mode{
		ReadOnly:       {core.ModePlan, core.ModeAsk},
		WorkspaceWrite: {core.ModeAsk, core.ModeAcceptEdits},
		FullAccess:     {core.ModeAuto, core.ModeAsk},
	}[mode] {
		if name := p.Modes[string(wanted)]; name != "" {
			return name
		}
	}
	return ""
}

// guarantees says what holds each mode.
func (p *protocol) guarantees() map[Sandbox]string {
	all := map[Sandbox]string{}
	for mode, held := range map[Sandbox]string{
		ReadOnly: "every request but to read and to search is refused",
		WorkspaceWrite: "requests to change files in the directory are granted, and those to run commands or to " +
			"change others are refused",
		FullAccess: "every request is granted",
	} {
		begins := "The agent stays in the mode in which it starts"
		if name := p.agentMode(mode); name != "" {
			begins = "The agent is put into its mode " + shortMode(name)
		}
		all[mode] = begins + "; " + held + ". Nothing holds back what the agent does without a request, and the " +
			"operating system enforces nothing."
	}
	return all
}

// shortMode is the last part of a mode's name, which may be an address.
func shortMode(name string) string { return name[strings.LastIndexAny(name, "#/")+1:] }

// protocolLine finds the program of a backend that is asked by protocol, and says how it is called.
func (r *Relay) protocolLine(p *Plan) error {
	path, err := r.find(p.backend)
	if err != nil {
		return err
	}
	p.Program, p.Argv, p.Keeps = path, p.backend.protocol.argv[1:], true
	p.Set = deeper(p.environ)
	return nil
}

// meaning is the failure that an exit status and words mean.
func (b *Backend) meaning(exit int, said string) (agent.Failure, bool) {
	if b.program != nil {
		return b.program.Meaning(exit, said)
	}
	if known, is := b.protocol.Meaning(said); is {
		return known, true
	}
	if agent.NamesNoModel(said) {
		return agent.Failure{Code: core.ModelNotFound}, true
	}
	switch state, reason := agent.CauseOf(said); {
	case reason == core.ReasonAuth:
		return agent.Failure{Code: core.AuthFailed}, true
	case state == core.Limited:
		return agent.Failure{Code: core.RateLimited}, true
	}
	return agent.Failure{}, false
}

// exchange is one prompt by protocol.
type exchange struct {
	plan *Plan
	feed func([]byte)
	// last is the last piece of text, in which some agents report a failure.
	last string
	done chan struct{}
	// lost is how the agent ended before its turn did; nil if it did not.
	lost *child.End
}

// converse asks the plan's agent by protocol, and passes its events to feed, one a line.
func (p *Plan) converse(ctx context.Context, feed func([]byte)) (stream.End, error) {
	one := &exchange{plan: p, feed: feed, done: make(chan struct{})}
	argv, env, err := p.held(ctx, p.backend.protocol.kind)
	if err != nil {
		return stream.End{}, err
	}
	mode, _ := p.Sandbox.Parts()
	client, err := acp.Open(ctx, acp.Options{
		Program: argv[0], Args: argv[1:], Dir: p.Dir, Env: env, Session: p.Session,
		Continues: acp.Continue(p.backend.protocol.Continues), Model: p.Model,
		Mode: p.backend.protocol.agentMode(mode), Noise: p.backend.protocol.NoisePatterns(),
		Draft:  p.backend.protocol.Draft,
		Decide: one.decide, Heard: func() { feed(nil) },
	}, one.take)
	if err != nil {
		return one.unopened(err)
	}
	if _, _, err := client.Prompt(p.Prompt); err == nil {
		select {
		case <-one.done:
		case <-client.Done():
		case <-ctx.Done():
		}
	}
	client.Close()
	<-client.Done()
	if one.lost == nil {
		return stream.End{}, nil
	}
	end := stream.End{Exit: one.lost.Exit, Signal: one.lost.Signal, Stderr: one.lost.Stderr}
	for _, left := range one.lost.Left {
		end.Left = append(end.Left, left.String())
	}
	return end, nil
}

// unopened reports an agent that did not begin.
func (one *exchange) unopened(err error) (stream.End, error) {
	failed := (*acp.Failure)(nil)
	switch {
	case errors.Is(err, acp.ErrEmpty), errors.Is(err, acp.ErrNever):
		e := core.Errorf(core.NotFound, "%w", err)
		e.Hint = "Begin another conversation."
		return stream.End{}, e
	case !errors.As(err, &failed):
		failed = &acp.Failure{Text: err.Error()}
	}
	one.write(&acp.Event{Type: acp.Ended, Err: failed})
	return stream.End{}, nil
}

// take passes an event on. A failure that came as an answer becomes one.
func (one *exchange) take(event acp.Event) {
	switch event.Type {
	case acp.Said:
		one.last = event.Text
	case acp.Ended:
		if event.Err == nil {
			if _, is := one.plan.backend.protocol.Meaning(one.last); is {
				event.Err = &acp.Failure{Text: firstLine(one.last)}
			}
		} else if event.Stop == acp.Lost {
			one.lost = event.Err.End
		}
	case acp.Gone:
		return
	}
	one.write(&event)
	if event.Type == acp.Ended {
		close(one.done)
	}
}

// firstLine is the first line of the answer that is a failure.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return line
}

func (one *exchange) write(event *acp.Event) {
	if line, err := json.Marshal(event); err == nil {
		one.feed(append(line, '\n'))
	}
}

// reading are the kinds of tool calls that change nothing, and changing those that change files.
var (
	reading  = []string{"read", "search", "think"}
	changing = []string{"edit", "delete", "move"}
)

// decide answers a request by the plan's sandbox mode.
func (one *exchange) decide(ask *acp.Ask) string {
	granted := slices.Contains(reading, ask.Call.Kind)
	switch mode, _ := one.plan.Sandbox.Parts(); mode {
	case FullAccess:
		granted = true
	case WorkspaceWrite:
		granted = granted || slices.Contains(changing, ask.Call.Kind) && one.within(&ask.Call)
	}
	if granted {
		return ask.Allow()
	}
	return ask.Deny()
}

// within reports whether a call names files, and all of them are in the plan's directory.
func (one *exchange) within(call *acp.Call) bool {
	paths := slices.Clone(call.Paths)
	for _, diff := range call.Diffs {
		paths = append(paths, diff.Path)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(one.plan.Dir, path)
		}
		inside, err := filepath.Rel(plainfile.Real(one.plan.Dir), plainfile.Real(path))
		if err != nil || !filepath.IsLocal(inside) {
			return false
		}
	}
	return len(paths) > 0
}

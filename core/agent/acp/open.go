package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"cupola/core/agent/acp/rpc"
	"cupola/core/system/process/child"
)

// Continue is how a conversation is taken up.
type Continue string

// The ways. Auto asks for session/resume if the agent advertises it and else for session/load. An agent whose load
// damages its records has Never.
const (
	Auto   Continue = ""
	Resume Continue = "resume"
	Load   Continue = "load"
	Never  Continue = "never"
)

// Options say how an agent is started and how its conversation begins.
type Options struct {
	// Program is the path of the agent, Args its arguments, Dir an absolute path and Env the whole environment.
	Program string
	Args    []string
	Dir     string
	Env     []string
	// Session is the agent's id of the conversation to take up; empty for a new one.
	Session   string
	Continues Continue
	// Mode and Model are set before the first prompt, by an id or a name; empty leaves the agent's own.
	Mode, Model string
	// Decide returns the id of the option that answers a request; an empty one cancels it. If Decide is nil, requests
	// wait for Answer.
	Decide func(*Ask) string
	// Noise matches messages of the agent itself, which are no answer of its model.
	Noise []*regexp.Regexp
	// Draft asks the agent for version 2 of the protocol, a draft. Version 1 is spoken with an agent without it.
	Draft bool
	// Within is how long the agent may take to begin; zero is a minute.
	Within time.Duration
	// Heard is called for everything that the agent prints, also on standard error; nil is not.
	Heard func()
}

// Agent has the facts that an agent reports of itself.
type Agent struct {
	Name    string
	Version string
	// Loads and Resumes report whether it can take up a conversation, with and without what was said before.
	Loads, Resumes bool
	// draft is true if it speaks the version of the protocol that is a draft.
	draft bool
	// Logins are the ways to log in to it, for people.
	Logins []string
}

// ErrEmpty is why a conversation was not taken up that the agent says it loaded, without a word of it.
var ErrEmpty = errors.New("the agent knows nothing of this conversation")

// ErrNever is why a conversation was not taken up with an agent that cannot, or must not.
var ErrNever = errors.New("the agent cannot take up a conversation")

// Open starts an agent, and begins or takes up its conversation. On gets the events, one after another. The error is a
// *Failure, ErrEmpty or ErrNever; the agent has ended then.
func Open(ctx context.Context, opts Options, on func(Event)) (*Client, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, &Failure{Text: "make a pipe: " + err.Error()}
	}
	ctx, stop := context.WithCancel(ctx)
	c := newClient(&opts, write, on)
	c.stop = stop
	command := child.Command{Program: opts.Program, Args: opts.Args, Dir: opts.Dir, Env: opts.Env, Stdin: read}
	go func() {
		end, err := command.Run(ctx, c.heard)
		_ = read.Close()
		c.gone(&end, err)
	}()
	if err := c.begin(ctx); err != nil {
		c.Close()
		<-c.Done()
		return nil, c.startFailure(err)
	}
	return c, nil
}

// heard takes what the agent printed; nothing is a sign of life on its standard error.
func (c *Client) heard(printed []byte) {
	if c.opts.Heard != nil {
		c.opts.Heard()
	}
	if len(printed) > 0 {
		c.talk.events.wait()
		c.talk.conn.Take(printed)
	}
}

// begin makes the session.
func (c *Client) begin(ctx context.Context) error {
	within := cmp.Or(c.opts.Within, time.Minute)
	if err := c.meet(ctx, within); err != nil {
		return err
	}
	if err := c.session(ctx, within); err != nil {
		return err
	}
	for _, want := range []struct{ category, value string }{
		{ModelSetting, c.opts.Model}, {ModeSetting, c.opts.Mode},
	} {
		if want.value == "" {
			continue
		}
		if err := c.Set(ctx, want.category, want.value); err != nil {
			return err
		}
	}
	c.talk.events.add(Event{Type: Opened, Text: c.Session(), Settings: c.Settings()})
	return nil
}

// meet agrees on the version of the protocol. An agent that does not know the draft is asked for version 1.
func (c *Client) meet(ctx context.Context, within time.Duration) error {
	answer, err := c.talk.conn.Call(ctx, within, "initialize", hello(c.opts.Draft), nil)
	if refused := (*rpc.Error)(nil); c.opts.Draft && errors.As(err, &refused) {
		answer, err = c.talk.conn.Call(ctx, within, "initialize", hello(false), nil)
	}
	if err != nil {
		return err
	}
	c.agent, err = introduced(answer, c.opts.Draft)
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	c.talk.draft = c.agent.draft
	return err
}

// introduced reads the agent's answer to initialize.
func introduced(answer json.RawMessage, draft bool) (Agent, error) {
	var wire struct {
		Version      json.Number                           `json:"protocolVersion"`
		Info         struct{ Name, Title, Version string } `json:"agentInfo"`
		DraftInfo    struct{ Name, Title, Version string } `json:"info"`
		Draft        struct{ Session json.RawMessage }     `json:"capabilities"`
		Capabilities struct {
			Load     bool `json:"loadSession"`
			Sessions struct {
				Resume json.RawMessage
			} `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
		Logins []struct{ Name, Description string } `json:"authMethods"`
	}
	rpc.Decode(answer, &wire)
	if isDraft := wire.Version == "2" && draft; isDraft {
		agent := Agent{
			Name:    rpc.Line(cmp.Or(wire.DraftInfo.Title, wire.DraftInfo.Name), maxID),
			Version: rpc.Line(wire.DraftInfo.Version, maxID), draft: true,
			Resumes: len(wire.Draft.Session) > 0 && string(wire.Draft.Session) != "null",
		}
		return agent, nil
	}
	if wire.Version != "1" {
		return Agent{}, &Failure{Text: fmt.Sprintf("it speaks version %q of the protocol, and not 1", wire.Version)}
	}
	agent := Agent{
		Name:    rpc.Line(cmp.Or(wire.Info.Title, wire.Info.Name), maxID),
		Version: rpc.Line(wire.Info.Version, maxID), Loads: wire.Capabilities.Load,
		Resumes: len(wire.Capabilities.Sessions.Resume) > 0 && string(wire.Capabilities.Sessions.Resume) != "null",
	}
	for _, login := range firstOf(wire.Logins, maxOptions) {
		agent.Logins = append(agent.Logins, rpc.Line(cmp.Or(login.Name, login.Description), maxName))
	}
	return agent, nil
}

// session begins or takes up the conversation.
func (c *Client) session(ctx context.Context, within time.Duration) error {
	where := map[string]any{"cwd": c.opts.Dir, "mcpServers": []any{}}
	ask := func(method string) error {
		_, err := c.talk.conn.Call(ctx, within, method, where, c.talk.inSession)
		return err
	}
	if c.opts.Session == "" {
		if err := ask("session/new"); err != nil {
			return err
		}
		if c.Session() == "" {
			return &Failure{Text: "it began a session and gave it no id"}
		}
		return nil
	}
	where["sessionId"] = c.opts.Session
	how := c.opts.Continues
	if (how == Auto || how == Resume) && c.agent.Resumes {
		err := ask("session/resume")
		refused := (*rpc.Error)(nil)
		if err == nil || !errors.As(err, &refused) || refused.Code != rpc.CodeNoMethod {
			return err
		}
	}
	if how != Auto && how != Load || !c.agent.Loads {
		return ErrNever
	}
	if err := ask("session/load"); err != nil {
		return err
	}
	c.talk.mu.Lock()
	defer c.talk.mu.Unlock()
	if c.talk.replayed == 0 {
		return ErrEmpty
	}
	return nil
}

// inSession takes the answer that says that the session is there.
func (c *talk) inSession(answer json.RawMessage) {
	var made struct {
		ID string `json:"sessionId"`
	}
	var settings wireSettings
	rpc.Decode(answer, &made)
	rpc.Decode(answer, &settings)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id, c.settings, c.opened = cmp.Or(c.opts.Session, id(made.ID)), settings.settings(), true
}

// startFailure is why an agent could not begin, with how it ended and its own words.
func (c *Client) startFailure(err error) error {
	if errors.Is(err, ErrEmpty) || errors.Is(err, ErrNever) {
		return err
	}
	name := filepath.Base(c.opts.Program)
	failed := &Failure{Text: name + ": " + err.Error(), End: c.talk.end}
	if refused, is := errors.AsType[*rpc.Error](err); is {
		failed.Code = refused.Code
	}
	if failed.Code == rpc.CodeAuthRequired && len(c.agent.Logins) > 0 {
		failed.Text += ". It offers: " + strings.Join(c.agent.Logins, ", ")
	}
	if c.talk.end != nil {
		if said := complaint(c.talk.end.Stderr); said != "" {
			failed.Text += ". It printed: " + said
		}
	}
	return failed
}

// complaint is the last line of what was printed on standard error.
func complaint(stderr string) string {
	all := strings.Split(strings.TrimSpace(stderr), "\n")
	return rpc.Line(all[len(all)-1], maxName)
}

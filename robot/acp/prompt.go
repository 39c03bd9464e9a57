package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/acp/rpc"
	"cupola/core/fleet/conversation"
	"cupola/core/run/crew"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// request is a prompt that waits for its answer.
type request struct {
	id   json.RawMessage
	text string
}

// The reasons for the end of a turn.
const (
	endTurn   = "end_turn"
	cancelled = "cancelled"
)

// mostWaiting is how many prompts of a session may wait.
const mostWaiting = 16

// prompt takes a prompt. One runs at a time in a session, others wait.
func (s *Server) prompt(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	one, failed := s.named(m)
	if failed != nil {
		return nil, failed
	}
	text := strings.TrimSpace(textOf(paramsOf(m).Prompt))
	if text == "" || len(m.ID) == 0 {
		return nil, badParams("the prompt has no text")
	}
	s.mu.Lock()
	s.last = one
	s.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(one.waiting) >= mostWaiting {
		return nil, badParams(fmt.Sprintf("%d prompts wait already", mostWaiting))
	}
	one.waiting = append(one.waiting, &request{m.ID, text})
	if one.running == nil {
		s.next(ctx, one)
	}
	return nil, nil
}

// textOf joins the texts of a prompt. Files are named, and their contents kept where the editor sends them.
func textOf(blocks []json.RawMessage) string {
	var parts []string
	for _, raw := range blocks {
		var block struct {
			Type, Text, URI string
			Resource        struct{ URI, Text string }
		}
		rpc.Decode(raw, &block)
		switch block.Type {
		case "text":
			parts = append(parts, block.Text)
		case "resource_link":
			parts = append(parts, strings.TrimPrefix(block.URI, "file://"))
		case "resource":
			parts = append(parts, "\n"+strings.TrimPrefix(block.Resource.URI, "file://")+":\n"+block.Resource.Text+"\n")
		}
	}
	return strings.Join(parts, " ")
}

// next begins the first prompt that waits. The session is locked.
func (s *Server) next(ctx context.Context, one *session) {
	if len(one.waiting) == 0 {
		return
	}
	asked := one.waiting[0]
	one.waiting = one.waiting[1:]
	turnCtx, stop := context.WithCancel(ctx)
	one.running = stop
	to := one.to
	s.work.Go(func() {
		defer stop()
		t := &turn{server: s, session: one, text: asked.text}
		t.run(turnCtx, to)
		reason := endTurn
		if turnCtx.Err() != nil {
			reason = cancelled
		}
		s.editor.conn.Reply(asked.id, map[string]string{"stopReason": reason}, nil)
		one.mu.Lock()
		defer one.mu.Unlock()
		one.running, one.addressed = nil, nil
		if ctx.Err() == nil {
			s.next(ctx, one)
		}
	})
}

// cancel interrupts the agents that the running prompt went to, and takes back what waits.
func (s *Server) cancel(ctx context.Context, m *rpc.Message) (any, *rpc.Error) {
	one, failed := s.named(m)
	if failed != nil {
		return nil, failed
	}
	one.mu.Lock()
	addressed, waiting := one.addressed, one.waiting
	one.waiting = nil
	one.mu.Unlock()
	for _, asked := range waiting {
		s.editor.conn.Reply(asked.id, map[string]string{"stopReason": cancelled}, nil)
	}
	s.work.Go(func() {
		defer one.end()
		for session, panes := range bySession(addressed) {
			_ = s.verbs.ask(ctx, "interrupt", map[string]any{"session": session, "panes": panes}, nil)
		}
	})
	return nil, nil
}

// end ends the running prompt. Its agents keep running.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running()
	}
}

// bySession groups the addresses of panes.
func bySession(addresses []string) map[string][]any {
	groups := map[string][]any{}
	for _, address := range addresses {
		a := core.ParseAddress(address)
		groups[a.Session] = append(groups[a.Session], strings.TrimPrefix(address, a.Session+"."))
	}
	return groups
}

// turn is a prompt on its way.
type turn struct {
	server  *Server
	session *session
	text    string
	// command is true for a command of the agent's own.
	command bool
	// sent is when the prompt was sent, in whole seconds.
	sent time.Time
	// shown are the replies that were passed on, by address, and before those from before the prompt.
	shown, before map[string]string
	plan          string
}

func (t *turn) say(text string) { t.server.editor.say(t.session.id, text) }

// run carries a prompt to whom it is for, and passes on what they answer.
func (t *turn) run(ctx context.Context, to string) {
	s := t.server
	if name, rest, slash := slashOf(t.text); slash {
		switch {
		case strings.HasPrefix(t.text, "//"):
			t.text, t.command = t.text[1:], true
		case s.verbs.service.Catalog.Find(name) != nil:
			t.verb(ctx, name, rest)
			return
		default:
			t.command = true
		}
	}
	if id, crew := strings.CutPrefix(to, crewMode); crew {
		t.tell(ctx, id)
		return
	}
	var addresses []string
	if to == routed {
		address, err := t.route(ctx)
		if err != nil {
			t.say(err.Error())
			return
		}
		t.say("→ " + address + "\n\n")
		addresses = []string{address}
	} else {
		for _, pane := range s.fleet.agents(to) {
			addresses = append(addresses, pane.Address())
		}
	}
	if len(addresses) == 0 {
		t.say("No agent is at " + to + ". Choose another mode, or start agents with /spawn.")
		return
	}
	t.deliver(ctx, addresses)
}

// slashOf parts a slash command from its arguments.
func slashOf(text string) (name, rest string, is bool) {
	line, _, _ := strings.Cut(text, "\n")
	name, _, _ = strings.Cut(line, " ")
	word, is := strings.CutPrefix(strings.Replace(name, "//", "/", 1), "/")
	if !is || word == "" || strings.Contains(word, "/") {
		return "", "", false // a path is none
	}
	return word, strings.TrimPrefix(text, name), true
}

// route chooses the agent of the session's folder that is free.
func (t *turn) route(ctx context.Context) (string, error) {
	names := t.server.fleet.around(t.session.dir)
	if len(names) == 0 {
		return "", &failure{"No agent works in " + rpc.Line(t.session.dir, mostWord) +
			". Choose who is addressed by the mode, or start agents with /spawn."}
	}
	var last error
	for _, name := range names {
		var out struct{ Address string }
		if last = t.server.verbs.ask(ctx, "route", map[string]any{"session": name}, &out); last == nil {
			return out.Address, nil
		}
	}
	return "", last
}

// deliver sends the prompt to agents, and follows them until they rest.
func (t *turn) deliver(ctx context.Context, addresses []string) {
	t.session.mu.Lock()
	t.session.addressed = addresses
	t.session.mu.Unlock()
	t.shown, t.before = map[string]string{}, map[string]string{}
	for _, r := range t.replies(ctx, addresses) {
		t.before[r.address()] = r.Text
	}
	t.sent = time.Now().Truncate(time.Second)
	var reached []string
	for session, panes := range bySession(addresses) {
		input := map[string]any{"session": session, "panes": panes, "msg": t.text, "command": t.command}
		if err := t.server.verbs.ask(ctx, "send", input, nil); err != nil {
			t.say(err.Error() + "\n\n")
			continue
		}
		for _, pane := range panes {
			reached = append(reached, fmt.Sprintf("%s.%v", session, pane))
		}
	}
	if len(reached) == 0 || ctx.Err() != nil {
		return
	}
	slices.Sort(reached)
	t.follow(ctx, reached)
}

// replyEvery is how often what an agent says is passed on.
const replyEvery = time.Second

// follow passes on what agents say until all of them rest.
func (t *turn) follow(ctx context.Context, addresses []string) {
	done := make(chan error, 1)
	go func() { done <- t.rest(ctx, addresses) }()
	again := time.NewTicker(replyEvery)
	defer again.Stop()
	for {
		_, changed := t.server.fleet.now()
		t.planned(addresses)
		select {
		case err := <-done:
			if ctx.Err() != nil {
				return
			}
			t.pass(ctx, addresses, true)
			t.planned(addresses)
			if err != nil {
				t.say("\n\n" + err.Error())
			}
			t.ends(addresses)
			return
		case <-changed:
		case <-again.C:
			t.pass(ctx, addresses, false)
		}
	}
}

// rest waits until all agents rest: they are done, show an error or a limit, or have ended.
func (t *turn) rest(ctx context.Context, addresses []string) error {
	for session, panes := range bySession(addresses) {
		err := t.server.verbs.ask(ctx, "wait", map[string]any{
			"session": session, "panes": panes, "keep-waiting": true, "timeout": "0s",
			"for": []any{"idle", "error", "limited", "exited"},
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// replied is the last message of an agent.
type replied struct {
	Session  string
	Ordinal  int
	Agent    string
	Text     string
	Source   string
	At       time.Time
	Complete bool
}

func (r *replied) address() string { return core.AddressOf(r.Session, r.Ordinal).String() }

func (t *turn) replies(ctx context.Context, addresses []string) (all []replied) {
	for session, panes := range bySession(addresses) {
		var out struct{ Replies []replied }
		_ = t.server.verbs.ask(ctx, "reply", map[string]any{"session": session, "panes": panes}, &out)
		all = append(all, out.Replies...)
	}
	slices.SortFunc(all, func(a, b replied) int { return strings.Compare(a.address(), b.address()) })
	return all
}

// pass passes on what is new: of one agent as it comes, of several each when its turn has ended.
func (t *turn) pass(ctx context.Context, addresses []string, last bool) {
	for _, r := range t.replies(ctx, addresses) {
		at := r.address()
		fresh := !r.At.IsZero() && !r.At.Before(t.sent) || r.Text != t.before[at]
		switch {
		case r.Text == "" || r.Text == t.shown[at] || !fresh && !last:
			continue
		case (len(addresses) > 1 || r.Source == conversation.FromScreen) && !r.Complete && !last:
			continue
		}
		added, grown := strings.CutPrefix(r.Text, t.shown[at])
		switch {
		case len(addresses) > 1:
			t.say("**" + at + " " + r.Agent + "**\n\n" + r.Text + "\n\n")
		case grown:
			t.say(added)
		default:
			t.say("\n\n" + r.Text)
		}
		t.shown[at] = r.Text
	}
}

// ends says which agents do not rest because they are done.
func (t *turn) ends(addresses []string) {
	for _, address := range addresses {
		agents := t.server.fleet.agents(address)
		if len(agents) == 0 {
			t.say("\n\n" + address + " is gone.")
			continue
		}
		switch status := agents[0].Status; status.State {
		case core.Errored, core.Limited, core.Exited:
			t.say(fmt.Sprintf("\n\n%s: %s %s", who(agents[0]), status.State, status.Reason))
		}
	}
}

// planned sends the plan, if it changed: who does what.
func (t *turn) planned(addresses []string) {
	var entries []any
	for _, address := range addresses {
		content, status := address+" is gone", "completed"
		for _, pane := range t.server.fleet.agents(address) {
			content = who(pane) + ": " + string(pane.Status.Shown())
			if what := pane.Status.Asks; what != "" {
				content += ": " + rpc.Line(what, mostWord)
			}
			if slices.Contains([]core.State{core.Working, core.Waiting, core.Starting}, pane.Status.State) {
				status = "in_progress"
			}
		}
		entries = append(entries, map[string]string{"content": content, "priority": "medium", "status": status})
	}
	if now := fmt.Sprint(entries); now != t.plan {
		t.plan = now
		t.server.editor.update(t.session.id, "plan", map[string]any{"entries": entries})
	}
}

// tell passes the prompt to a crew, and the messages there to the user, until one is for the user or the crew ends.
func (t *turn) tell(ctx context.Context, id string) {
	var said struct {
		Messages []struct{ Text string }
		State    crew.State
	}
	began := time.Now().Truncate(time.Second)
	if err := t.server.verbs.ask(ctx, "crew-say", map[string]any{"crew": id, "text": t.text}, &said); err != nil {
		t.say(err.Error())
		return
	}
	if said.State.Ended() || len(said.Messages) == 0 {
		t.say("The crew " + id + " has ended. It hears this once it is resumed: /crew-resume " + id)
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	heard := false // the user's message is on record: what follows comes after it
	call := &service.Call{Verb: "crew-replay", Input: map[string]any{"crew": id, "follow": true}}
	err := t.server.verbs.call(ctx, call, func(line render.Object) error {
		var event struct {
			Type, From, To, Text string
			At                   time.Time
		}
		decode(line, &event)
		switch {
		case event.Type != "message":
			return nil
		case event.From == "user":
			heard = heard || event.Text == said.Messages[0].Text && !event.At.Before(began)
			return nil
		case !heard:
			return nil
		}
		t.say("**" + event.From + " → " + event.To + "**\n\n" + event.Text + "\n\n")
		if event.To == "user" {
			stop()
		}
		return nil
	}, nil)
	if err != nil && ctx.Err() == nil {
		t.say(err.Error())
	}
}

// mostLines is how many lines of a stream a slash command shows.
const mostLines = 200

// verb calls a verb that a slash command names.
func (t *turn) verb(ctx context.Context, name, rest string) {
	s := t.server
	verb, input, ok := s.opts.Service.Parse("cupola " + name + rest)
	if !ok || verb == nil {
		t.say("This is no call of /" + name + ". It takes: " + usageOf(s.verbs.service.Catalog.Find(name)))
		return
	}
	values := map[string]any{}
	for _, given := range registry.Values(verb, input) {
		values[given.Name] = given.Value
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := 0
	answer := s.verbs.service.Run(ctx, &service.Call{
		Verb: verb.Name, Input: values,
		Confirm: func(ctx context.Context, question string) (bool, error) {
			return s.editor.confirm(ctx, t.session, question)
		},
	}, func(line render.Object) error {
		lines++
		if lines > mostLines {
			stop()
			return nil
		}
		t.say(render.Markdown("", line) + "\n")
		return nil
	})
	switch {
	case answer.Code != "" && lines <= mostLines:
		t.say(failed(answer.Document).Error())
	case answer.Document != nil:
		t.say(render.Markdown("", shown(answer.Document)))
	}
}

// frame are the parts of an answer that only programs need.
var frame = []string{"success", "timestamp", "_meta", "_agent_hints", "next_actions"}

// shown is an answer without its frame.
func shown(document render.Object) render.Object {
	return slices.DeleteFunc(slices.Clone(document), func(part render.Member) bool {
		return slices.Contains(frame, part.Key)
	})
}

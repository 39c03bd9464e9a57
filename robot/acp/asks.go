package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp/rpc"
)

// asks brings what agents ask before the user of the editor. Each dialog is one request for permission; it is taken
// back once the dialog is closed in another way.
type asks struct {
	server *Server

	mu sync.Mutex
	// open are the dialogs that were brought up, by pane.
	open map[core.PaneID]*asked
}

// asked is a dialog that the editor shows, or for which a request is being made.
type asked struct {
	pane   core.Pane
	dialog string
	// request is the id of the request; nil before it was made.
	request json.RawMessage
	session *session
}

func newAsks(s *Server) *asks { return &asks{server: s, open: map[core.PaneID]*asked{}} }

// look brings up new dialogs, and takes back those that are closed.
func (a *asks) look(ctx context.Context) {
	snapshot, _ := a.server.fleet.now()
	waiting := map[core.PaneID]*core.Pane{}
	for _, pane := range snapshot.Panes() {
		if pane.IsAgent() && pane.Status.State == core.Waiting {
			waiting[pane.ID] = pane
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, one := range a.open {
		now := waiting[id]
		if now == nil || now.Status.Asks != one.pane.Status.Asks || !now.Status.Since.Equal(one.pane.Status.Since) {
			a.withdraw(one)
			delete(a.open, id)
		}
	}
	for id, pane := range waiting {
		session := a.server.asker(pane.Address())
		if a.open[id] == nil && session != nil {
			one := &asked{pane: *pane, session: session}
			a.open[id] = one
			a.server.work.Go(func() { a.bring(ctx, one) })
		}
	}
}

// asker is the session in which what an agent asks comes up: one whose prompt went to it, else the one that was used
// last.
func (s *Server) asker(address string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		one.mu.Lock()
		addressed := slices.Contains(one.addressed, address)
		one.mu.Unlock()
		if addressed {
			return one
		}
	}
	return s.last
}

// withdraw takes a request back, which the editor may ignore. The asks are locked.
func (a *asks) withdraw(one *asked) {
	if one.request != nil {
		a.server.editor.conn.Notify("$/cancel_request", map[string]any{"requestId": one.request})
		a.server.editor.called(one, "completed")
	}
}

// dialog is a dialog as the verb answer shows it.
type dialog struct {
	ID      string `json:"dialog_id"`
	Asks    string
	Asked   []string
	Options []agent.Option
}

// bring reads a dialog and asks the user.
func (a *asks) bring(ctx context.Context, one *asked) {
	s := a.server
	pane := &one.pane
	var out struct{ Answers []dialog }
	input := map[string]any{"session": pane.Session, "panes": []any{strconv.Itoa(pane.Ordinal)}, "dry-run": true}
	err := s.verbs.ask(ctx, "answer", input, &out)
	if err != nil || len(out.Answers) == 0 {
		if err != nil && ctx.Err() == nil {
			asks := who(pane) + " asks: " + rpc.Line(pane.Status.Asks, mostAsked)
			s.editor.say(one.session.id, "\n\n"+asks+"\n\n"+err.Error()+"\n\n")
		}
		return
	}
	shown := &out.Answers[0]
	options := optionsOf(shown.Options)
	if len(options) == 0 {
		s.editor.say(one.session.id, "\n\n"+who(pane)+" asks: "+rpc.Line(shown.Asks, mostAsked)+
			"\n\nAnswer it in words: /answer "+pane.Address()+" --text='...'\n\n")
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[pane.ID] != one || ctx.Err() != nil {
		return // it is closed already
	}
	one.dialog = shown.ID
	call := toolCall(one, shown)
	s.editor.update(one.session.id, "tool_call", call)
	delete(call, "sessionUpdate")
	one.request = s.editor.conn.Start("session/request_permission", map[string]any{
		"sessionId": one.session.id, "toolCall": call, "options": options,
	}, func(m *rpc.Message) { s.work.Go(func() { a.answered(ctx, one, m) }) })
}

// mostAsked bounds what is shown of a question in one line, in bytes.
const mostAsked = 1 << 10

func toolCall(one *asked, shown *dialog) map[string]any {
	kind := "other"
	if one.pane.Status.Reason == core.ReasonApproval {
		kind = "execute"
	}
	text := ""
	for _, line := range shown.Asked {
		text += line + "\n"
	}
	return map[string]any{
		"toolCallId": callID(one), "title": who(&one.pane) + " asks: " + rpc.Line(shown.Asks, mostAsked), "kind": kind,
		"status": "pending", "content": []any{map[string]any{"type": "content", "content": textBlock(text)}},
	}
}

func callID(one *asked) string { return one.pane.Address() + "/" + one.dialog }

// optionsOf are the options of a dialog that take no words. The kind of one whose meaning is not known is a yes for
// once: no other kind of the protocol is closer to a plain choice.
func optionsOf(options []agent.Option) []any {
	kinds := map[agent.Means]string{
		agent.Approves: "allow_once", agent.Denies: "reject_once", agent.ApprovesAlways: "allow_always",
		"": "allow_once",
	}
	var all []any
	for _, option := range options {
		if kind := kinds[option.Means]; kind != "" {
			all = append(all, map[string]string{
				"optionId": strconv.Itoa(option.N), "name": rpc.Line(option.Label, mostAsked), "kind": kind,
			})
		}
	}
	return all
}

// answered gives the user's answer to the dialog that was shown, and to no other.
func (a *asks) answered(ctx context.Context, one *asked, m *rpc.Message) {
	option := optionOf(m)
	a.mu.Lock()
	open := a.open[one.pane.ID] == one
	a.mu.Unlock()
	if !open || m.Error != nil || ctx.Err() != nil {
		return
	}
	n, err := strconv.Atoi(option)
	if err != nil {
		a.server.editor.called(one, "failed") // the user left it open
		return
	}
	err = a.server.verbs.ask(ctx, "answer", map[string]any{
		"session": one.pane.Session, "panes": []any{strconv.Itoa(one.pane.Ordinal)}, "choose": n, "dialog": one.dialog,
	}, nil)
	if err != nil {
		a.server.editor.called(one, "failed")
		a.server.editor.say(one.session.id, "\n\n"+who(&one.pane)+": "+err.Error()+"\n\n")
		return
	}
	a.server.editor.called(one, "completed")
}

// optionOf is the option that the user chose; empty if none.
func optionOf(m *rpc.Message) string {
	var answer struct {
		Outcome struct {
			Outcome string
			Option  string `json:"optionId"`
		}
	}
	rpc.Decode(m.Result, &answer)
	if answer.Outcome.Outcome != "selected" {
		return ""
	}
	return answer.Outcome.Option
}

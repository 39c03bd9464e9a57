package deliver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/acp"
	"cupola/core/agent/acp/desk"
	"cupola/core/fleet/terminal"
)

// takenWithin is how long an agent may take to show that it works on a prompt that it got by protocol.
const takenWithin = 15 * time.Second

// cancelMessage is in the place of the keys of an interrupt by protocol.
const cancelMessage = "session/cancel"

// spoken returns the socket at which the program of a pane serves its conversation by protocol; empty if it does not.
func (s *Sender) spoken(ctx context.Context, pane *core.Pane) string {
	if pane.IsUser() {
		return ""
	}
	path := s.opts.Dir.Found(ctx).Conversation(pane.ID)
	if _, served := desk.At(ctx, path); !served {
		return ""
	}
	return path
}

// servedWithin is how long the program of a pane that was just started may take to serve its conversation.
const servedWithin = 5 * time.Second

// served is spoken, where a program that shows a conversation by protocol is waited for: nothing is ever typed into it.
// It refuses if there is none in time.
func (c *delivery) served(ctx context.Context) (string, error) {
	path := c.sender.spoken(ctx, c.term.Pane)
	if path != "" || !agent.Speaks(c.term.Kind) {
		return path, nil
	}
	for deadline := c.sender.opts.Now().Add(servedWithin); ; {
		if err := core.Sleep(ctx, servedEvery); err != nil {
			return "", err
		}
		if path = c.sender.spoken(ctx, c.term.Pane); path != "" {
			return path, nil
		}
		if c.sender.opts.Now().After(deadline) {
			return "", refuse(terminal.WhyGone, "the program that shows its conversation by protocol does not answer")
		}
	}
}

// servedEvery is how often it is looked for the program.
const servedEvery = 50 * time.Millisecond

// statusOf is the status that a conversation by protocol proves.
func statusOf(s *desk.State) core.Status {
	evidence := "by protocol, message " + s.By
	if s.Line != "" {
		evidence += ": " + core.Excerpt(s.Line)
	}
	return core.Status{State: s.State, Reason: s.Reason, Since: s.Since, Evidence: []string{evidence}}
}

// say sends the prompt by protocol. It is delivered once the agent has shown that it works on it.
func (c *delivery) say(ctx context.Context, path string) (core.Outcome, error) {
	if c.noEnter {
		return "", refuse(terminal.WhyCommand, "by protocol a prompt is sent whole, and not typed without Enter")
	}
	if c.dryRun {
		c.note("it would be sent by protocol")
		return core.Planned, nil
	}
	reply, err := desk.Call(ctx, path, &desk.Request{Act: desk.Prompt, Text: c.text, Within: takenWithin})
	if err != nil {
		c.typed = true
		return "", unconfirmedError{"the program of the pane did not say what became of it: " + err.Error()}
	}
	c.term.Pane.Status = statusOf(&reply.State)
	switch {
	case reply.Failed != "":
		return "", refuse(terminal.WhyGone, reply.Failed)
	case reply.Queued:
		c.note("it waits for the running turn to end, as prompt %d by protocol", reply.Number)
		return core.Queued, nil
	case !reply.Done:
		c.typed = true
		return "", unconfirmedError{fmt.Sprintf("it was sent by protocol, and the agent has shown nothing for %s",
			takenWithin)}
	}
	c.asked = c.sender.opts.Now()
	c.note("the agent works on it, as prompt %d by protocol", reply.Number)
	return core.Delivered, nil
}

// meanings are the meanings of the protocol's kinds of options.
var meanings = map[string]agent.Means{
	"allow_once": agent.Approves, "allow_always": agent.ApprovesAlways,
	"reject_once": agent.Denies, "reject_always": agent.Denies,
}

// permission is in the place of the rule that finds a dialog.
var permission = agent.Rule{ID: "acp-permission", State: core.Waiting, Reason: core.ReasonApproval}

// dialogOf is a request by protocol in the form of a dialog.
func dialogOf(ask *acp.Ask) *agent.OpenDialog {
	d := &agent.OpenDialog{
		Block: agent.Block{Reason: core.ReasonApproval, Match: agent.Match{Rule: &permission, Line: ask.Call.Title}},
		About: cmp.Or(ask.Call.Command, ask.Call.Title), Text: []string{ask.Call.Title},
	}
	if ask.Call.Command != "" && ask.Call.Command != ask.Call.Title {
		d.Text = append(d.Text, ask.Call.Command)
	}
	d.Text = append(d.Text, ask.Call.Paths...)
	for i, option := range ask.Options {
		d.Options = append(d.Options, agent.Option{
			N: i + 1, Label: cmp.Or(option.Name, option.ID), Means: meanings[option.Kind],
		})
	}
	return d
}

// reply answers the oldest request that waits, by protocol.
func (r *answerer) reply(ctx context.Context, path string) error {
	seen, err := desk.Call(ctx, path, &desk.Request{Act: desk.Look})
	if err != nil {
		return err
	}
	r.answer.Before = statusOf(&seen.State)
	r.answer.After = r.answer.Before
	ask := seen.State.Ask
	if ask == nil {
		return r.newError(core.NotReady, "it does not wait for an answer: it is %s", seen.State.State)
	}
	r.open = true
	dialog := dialogOf(ask)
	r.answer.Asks, r.answer.Asked, r.answer.Options = dialog.About, dialog.Text, dialog.Options
	r.answer.Dialog = dialogID(r.term.Pane, dialog)
	r.note("by protocol it asks for a permission (%s)", ask.Key)
	if err := r.expected(dialog); err != nil {
		return err
	}
	if r.request.DryRun {
		r.noteRule(ctx, dialog, ask)
	}
	if r.request.Act == core.ActLook {
		return nil
	}
	option, err := r.optionOf(ask)
	if err != nil {
		return err
	}
	r.answer.Chosen = option.Name
	if r.request.DryRun {
		return nil
	}
	if r.request.ByRule {
		if err := r.useRule(ctx, dialog, ask); err != nil {
			return err
		}
	}
	r.pressed = true
	done, err := desk.Call(ctx, path, &desk.Request{Act: desk.Answer, Key: ask.Key, Option: option.ID})
	if err != nil {
		return err
	}
	r.answer.After = statusOf(&done.State)
	if !done.Done {
		return r.newError(core.Conflict, "the request was answered or taken back before")
	}
	r.answer.Resolved = done.State.Ask == nil
	if next := done.State.Ask; next != nil {
		r.answer.Next = dialogOf(next).Text
	}
	r.note("answered by protocol: %s", option.Kind)
	return nil
}

// optionOf is the option that the request means. Options are known by their kind, never by their place.
func (r *answerer) optionOf(ask *acp.Ask) (acp.Option, error) {
	chosen := ""
	switch r.request.Act {
	case core.ActApprove:
		chosen = ask.Allow()
	case core.ActDeny:
		chosen = ask.Deny()
	case core.ActChoose:
		if n := r.request.N; n <= len(ask.Options) {
			return ask.Options[n-1], nil
		}
	}
	i := slices.IndexFunc(ask.Options, func(o acp.Option) bool { return o.ID == chosen && chosen != "" })
	if i < 0 {
		return acp.Option{}, r.newError(core.Conflict, "its request offers no such answer: it has %d options, and "+
			"takes no text", len(ask.Options))
	}
	return ask.Options[i], nil
}

// cancel interrupts the turn by protocol, and waits for its end.
func (b *interrupter) cancel(ctx context.Context, path string) error {
	seen, err := desk.Call(ctx, path, &desk.Request{Act: desk.Look})
	if err != nil {
		return err
	}
	b.keys = []string{cancelMessage}
	b.answer.Before = statusOf(&seen.State)
	b.answer.After = b.answer.Before
	if err := b.permitted(); err != nil {
		return err
	}
	b.answer.Keys = b.keys
	if b.request.DryRun {
		return nil
	}
	within := cmp.Or(max(b.request.Timeout, 0), interruptWait)
	if b.request.NoWait {
		within = 0
	}
	done, err := desk.Call(ctx, path, &desk.Request{Act: desk.Cancel, Within: within})
	if err != nil {
		return err
	}
	b.answer.After, b.answer.Changed = statusOf(&done.State), done.Done
	if !done.Done && done.Failed == "" && !b.request.NoWait {
		return terminal.ErrLate
	}
	return nil
}

package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cupola/core/agent/acp/rpc"
)

// handle takes a request or a notification of the agent.
func (c *talk) handle(m *rpc.Message) {
	switch {
	case m.Method == "session/update":
		var params struct {
			Session string `json:"sessionId"`
			Update  json.RawMessage
		}
		rpc.Decode(m.Params, &params)
		var u update
		rpc.Decode(params.Update, &u)
		c.mu.Lock()
		defer c.mu.Unlock()
		if params.Session != c.id && c.opened {
			c.noticed("an update of another session was left out: " + rpc.Line(u.Kind, maxID))
			return
		}
		c.update(&u, params.Update)
	case m.Method == "session/request_permission" && len(m.ID) > 0:
		c.permission(m)
	case len(m.ID) > 0:
		c.conn.Reply(m.ID, nil, &rpc.Error{Code: rpc.CodeNoMethod, Message: "not offered: " + m.Method})
	case m.Method == "notice":
		c.notice(rpc.Line(string(m.Params), maxName))
	case !strings.HasPrefix(m.Method, "_") && !strings.HasPrefix(m.Method, "$/"):
		c.notice("it sent a notification that is not known: " + rpc.Line(m.Method, maxID))
	}
}

// update makes events of an update.
func (c *talk) update(u *update, raw json.RawMessage) {
	event := Event{Replayed: !c.opened}
	switch u.Kind {
	case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk":
		c.piece(u)
		return
	case "tool_call", "tool_call_update":
		var wire wireCall
		rpc.Decode(raw, &wire)
		c.called(&wire)
		return
	case "plan":
		event.Type, event.Plan = Planned, u.steps()
	case "available_commands_update":
		event.Type, event.Commands = Commanded, u.commands()
	case "current_mode_update":
		if mode := settingOf(c.settings, ModeSetting); mode != nil {
			mode.Value = id(u.Mode)
		}
		event.Type, event.Settings = Moded, slices.Clone(c.settings)
	case "config_option_update":
		c.settings = withOptions(c.settings, u.Options)
		event.Type, event.Settings = Moded, slices.Clone(c.settings)
	case "session_info_update":
		event.Type, event.Text = Titled, rpc.Line(u.Title, maxName)
	case "usage_update":
		c.usage.Window, c.usage.Size = tokens(u.Used), tokens(u.Size)
		if u.Cost != nil && u.Cost.Amount >= 0 && (u.Cost.Currency == "" || u.Cost.Currency == "USD") {
			cost := u.Cost.Amount
			c.usage.CostUSD = &cost
		}
		used := c.usage
		event.Type, event.Usage = Used, &used
	default:
		if c.draft && c.draftUpdate(u, raw) {
			return
		}
		c.noticed(strings.TrimSpace(rpc.Line(u.Kind, maxID) + " " + rpc.Line(u.words(), maxName)))
		return
	}
	c.acknowledge(event.Type == Planned)
	c.events.add(event)
}

// words returns the text of an update of no known type.
func (u *update) words() string {
	if u.Text != "" || u.Content == nil {
		return u.Text
	}
	return u.Content.words()
}

// acknowledge notes that the agent works on the prompt of the turn, if what it sent shows that.
func (c *talk) acknowledge(shows bool) {
	if t := c.turn; shows && c.opened && t != nil && !t.taken {
		t.taken = true
		c.events.add(Event{Type: Taken, Prompt: t.number})
	}
}

// maxSaid is the most text of one turn that is passed on, in bytes.
const maxSaid = 32 << 20

// piece passes on a piece of a message.
func (c *talk) piece(u *update) {
	if u.Meta.Usage != nil {
		c.usage.add(u.Meta.Usage.usage())
		used := c.usage
		c.events.add(Event{Type: Used, Usage: &used, Replayed: !c.opened})
	}
	if u.Content == nil {
		return
	}
	text := rpc.Shorten(u.Content.words(), maxText)
	if text == "" {
		return
	}
	if !c.opened {
		c.replayed++
	}
	c.acknowledge(true)
	if t := c.turn; t != nil {
		t.pieces[id(u.Message)] = true
		if t.said += len(text); t.said > maxSaid {
			c.noticed("a turn of more than 32 MiB of text: the rest is left out")
			return
		}
	}
	event := Event{Type: Said, Text: text, Message: id(u.Message), Replayed: !c.opened}
	switch u.Kind {
	case "agent_thought_chunk":
		event.Type = Thought
	case "user_message_chunk":
		event.Type = Asked
	default:
		for _, noise := range c.opts.Noise {
			if noise.MatchString(text) {
				c.noticed(rpc.Line(text, maxName))
				return
			}
		}
	}
	c.events.add(event)
}

// add adds what another part of a turn used.
func (u *Usage) add(part *Usage) {
	u.Input += part.Input
	u.CacheRead += part.CacheRead
	u.CacheWrite += part.CacheWrite
	u.Output += part.Output
	u.Thought += part.Thought
}

// called notes a tool call, and passes it on.
func (c *talk) called(wire *wireCall) {
	if id(wire.ID) == "" {
		c.noticed("it reported a tool call without an id")
		return
	}
	if !c.opened {
		c.replayed++
	}
	c.acknowledge(true)
	t := c.turn
	if t == nil {
		// Some agents report calls of sub-agents between turns, and all of them when a conversation is taken up.
		call := &Call{ID: wire.ID, Status: Pending}
		wire.into(call)
		c.events.add(Event{Type: Called, Call: call, Replayed: !c.opened})
		return
	}
	call := t.call(wire.ID)
	if call == nil {
		c.noticed("a turn with more than a thousand tool calls: one is left out")
		return
	}
	wire.into(call)
	copied := *call
	c.events.add(Event{Type: Called, Call: &copied})
}

// call returns the tool call with an id; nil if there are too many.
func (t *turn) call(id string) *Call {
	if call := t.calls[id]; call != nil {
		return call
	}
	if len(t.calls) >= maxOpen {
		return nil
	}
	call := &Call{ID: id, Status: Pending}
	t.calls[id] = call
	t.order = append(t.order, id)
	return call
}

// permission takes a request for permission.
func (c *talk) permission(m *rpc.Message) {
	var params struct {
		Session string   `json:"sessionId"`
		Call    wireCall `json:"toolCall"`
		Title   string
		Subject *subject
		Options []struct {
			ID         string `json:"optionId"`
			Name, Kind string
		}
	}
	rpc.Decode(m.Params, &params)
	if params.Subject != nil {
		params.Call = params.Subject.callOf(params.Title)
	}
	a := &ask{wire: m.ID}
	for _, option := range firstOf(params.Options, maxOptions) {
		if id(option.ID) != "" {
			name, kind := rpc.Line(option.Name, maxName), rpc.Line(option.Kind, maxID)
			a.Options = append(a.Options, Option{option.ID, name, kind})
		}
	}
	c.mu.Lock()
	if len(a.Options) == 0 || len(c.asks) >= maxAsks || params.Session != c.id {
		c.noticed("it asked for a permission that cannot be given: no options, too many requests, or another session")
		c.conn.Reply(m.ID, map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}, nil)
		c.mu.Unlock()
		return
	}
	c.acknowledge(true)
	c.asked++
	a.Key = fmt.Sprintf("p%d", c.asked)
	a.Call = Call{ID: id(params.Call.ID), Status: Pending}
	if t := c.turn; t != nil && a.Call.ID != "" {
		if known := t.call(a.Call.ID); known != nil {
			params.Call.into(known)
			a.Call = *known
			c.events.add(Event{Type: Called, Call: &a.Call})
		}
	} else {
		params.Call.into(&a.Call)
	}
	copied := a.Ask
	c.events.add(Event{Type: Permission, Ask: &copied})
	if c.opts.Decide == nil {
		c.asks = append(c.asks, a)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	option := c.opts.Decide(&copied)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle(a, option)
}

// answered takes the answer to a prompt.
func (c *talk) answered(m *rpc.Message) {
	if c.draft {
		c.acknowledged(m)
		return
	}
	c.ended(m)
}

// ended ends the turn with the answer to its prompt.
func (c *talk) ended(m *rpc.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn == nil || c.end != nil {
		return
	}
	event := Event{Type: Ended}
	if m.Error != nil {
		event.Err = &Failure{Text: m.Error.Error(), Code: m.Error.Code}
	} else {
		var result struct {
			Stop  string `json:"stopReason"`
			Usage *wireUsage
			Meta  struct {
				Quota struct {
					Tokens wireQuota                `json:"token_count"`
					Models []struct{ Model string } `json:"model_usage"`
				}
			} `json:"_meta"`
		}
		rpc.Decode(m.Result, &result)
		event.Stop = Stop(rpc.Line(result.Stop, maxID))
		switch quota := result.Meta.Quota.Tokens; {
		case result.Usage != nil:
			c.usage = c.usage.with(result.Usage.usage())
		case quota != (wireQuota{}):
			c.usage = c.usage.with(&Usage{Input: tokens(quota.Input), Output: tokens(quota.Output)})
		}
		if models := result.Meta.Quota.Models; len(models) > 0 {
			c.usage.Model = rpc.Line(models[len(models)-1].Model, maxID)
		}
		c.acknowledge(true)
	}
	c.endTurn(event)
	c.held = event.Err != nil
	c.nextTurn()
}

// wireQuota is usage in the form of one agent's own data.
type wireQuota struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}

// with returns the usage with the tokens of a report, which replace those before.
func (u Usage) with(report *Usage) Usage {
	report.Window, report.Size, report.CostUSD, report.Model = u.Window, u.Size, u.CostUSD, u.Model
	return *report
}

// endTurn closes what the turn left open, and ends it.
func (c *talk) endTurn(event Event) {
	t := c.turn
	for _, id := range t.order {
		if call := t.calls[id]; call.Status.Open() {
			call.Status = Dropped
			copied := *call
			c.events.add(Event{Type: Called, Call: &copied})
		}
	}
	if c.end == nil {
		c.dropAsks()
	}
	c.turn = nil
	used := c.usage
	event.Prompt, event.Usage = t.number, &used
	c.events.add(event)
}

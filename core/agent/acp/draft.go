package acp

import (
	"cmp"
	"encoding/json"

	"cupola/core/agent/acp/rpc"
)

// draftVersion is the version of the protocol that is a draft. It differs in this: an answer to a prompt only says that
// the agent has it, and updates of the state say when the turn ends and why; permissions name their subject; settings
// are options alone; sessions are resumed and never loaded.
const draftVersion = 2

// hello are the parameters of initialize.
func hello(draft bool) map[string]any {
	info := map[string]string{"name": "cupola", "title": "Cupola", "version": "1"}
	if draft {
		return map[string]any{"protocolVersion": draftVersion, "info": info, "capabilities": struct{}{}}
	}
	return map[string]any{
		"protocolVersion": 1, "clientInfo": info,
		"clientCapabilities": map[string]any{
			"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false,
		},
	}
}

// draftUpdate takes an update that only the draft has. It returns false for others.
func (c *talk) draftUpdate(u *update, raw json.RawMessage) bool {
	var wire struct {
		State   string
		Stop    string `json:"stopReason"`
		Plan    update
		Message string `json:"messageId"`
		Content json.RawMessage
		ID      string `json:"toolCallId"`
	}
	rpc.Decode(raw, &wire)
	switch u.Kind {
	case "state_update":
		c.stateUpdate(wire.State, wire.Stop)
	case "plan_update":
		c.acknowledge(true)
		c.events.add(Event{Type: Planned, Plan: wire.Plan.steps(), Replayed: !c.opened})
	case "agent_message", "agent_thought", "user_message":
		c.wholeMessage(u, wire.Content)
	case "tool_call_content_chunk":
		if t := c.turn; t != nil && t.calls[wire.ID] != nil {
			var part content
			rpc.Decode(wire.Content, &part)
			call := t.calls[wire.ID]
			if part.Content != nil {
				call.Output = rpc.Shorten(call.Output+block(part.Content.words()), maxContent)
			}
			copied := *call
			c.events.add(Event{Type: Called, Call: &copied})
		}
	default:
		return false
	}
	return true
}

// stateUpdate takes the state of the session. Idle ends the turn, unless it was the state before the prompt.
func (c *talk) stateUpdate(state, stop string) {
	t := c.turn
	switch {
	case t == nil && state == "running" && c.opened:
		c.noticed("it works on something without a prompt")
	case t == nil:
	case state != "idle":
		t.began = true
		c.acknowledge(true)
	case t.began || t.taken:
		c.acknowledge(true)
		c.endTurn(Event{Type: Ended, Stop: Stop(cmp.Or(rpc.Line(stop, maxID), string(EndTurn)))})
		c.held = false
		c.nextTurn()
	}
}

// wholeMessage passes on a message that comes as a whole, unless pieces of it were passed on before.
func (c *talk) wholeMessage(u *update, raw json.RawMessage) {
	if t := c.turn; t != nil && t.pieces[id(u.Message)] {
		return
	}
	var parts []content
	rpc.Decode(raw, &parts)
	for i := range parts {
		whole := *u
		whole.Kind, whole.Content = u.Kind+"_chunk", &parts[i]
		c.piece(&whole)
	}
}

// acknowledged takes the answer to a prompt in the draft.
func (c *talk) acknowledged(m *rpc.Message) {
	if m.Error != nil {
		c.ended(m)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acknowledge(true)
}

// subject is the subject of a request for permission in the draft.
type subject struct {
	Call    *wireCall `json:"toolCall"`
	Command string
	ID      string `json:"toolCallId"`
}

// callOf returns the tool call that a request is about.
func (s *subject) callOf(title string) wireCall {
	call := wireCall{}
	if s.Call != nil {
		call = *s.Call
	}
	if s.Command != "" {
		call.ID, call.Kind = s.ID, "execute"
		call.RawInput, _ = json.Marshal(map[string]string{"command": s.Command})
	}
	call.Title = cmp.Or(call.Title, title)
	return call
}

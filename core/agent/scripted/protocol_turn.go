package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
)

// play carries out a turn. The error ends the program.
func (p *Protocol) play(ctx context.Context, t *protocolTurn, prompt string) error {
	p.keep(t.session, said{"user_message_chunk", prompt})
	p.note(eventPrompt, prompt)
	if p.has(Draft) {
		p.state(t.session, "idle", "end_turn") // as it was before the prompt
		p.reply(t.id, fields{"messageId": "m1"})
		p.state(t.session, "running", "")
	}
	stop, line := "end_turn", ""
	if p.has(KeepsMode) {
		p.update(t.session, fields{"sessionUpdate": "current_mode_update", "currentModeId": "auto"})
	}
	for _, a := range script(prompt, p.Now()) {
		if ctx.Err() == nil {
			p.begin(t, a, &line)
			p.hold(ctx, a.hold)
		}
		if ctx.Err() != nil {
			stop = "cancelled"
			break
		}
		if a.asks != nil {
			chosen, answered := p.ask(ctx, t, a.asks)
			if !answered {
				stop = "cancelled"
				break
			}
			if chosen.stops {
				p.say(t.session, "Then not.\n")
				break
			}
		}
		if ends := p.end(t, a, &line); ends != nil {
			if ends.reason != "" {
				return errBye(ends.code)
			}
			if !p.has(ErrorTurn) {
				p.refuse(t.id, -32603, a.prints.text)
				return nil
			}
			p.say(t.session, a.prints.text)
		}
	}
	p.note(eventEnd, stop)
	if p.has(Draft) {
		p.state(t.session, "idle", stop)
		return nil
	}
	p.reply(t.id, fields{"stopReason": stop, "usage": fields{
		"inputTokens": 1500, "outputTokens": 42, "cachedReadTokens": 100, "totalTokens": 1642,
	}})
	return nil
}

// state reports the state of a session, as version 2 of the protocol does.
func (p *Protocol) state(session, state, stop string) {
	update := fields{"sessionUpdate": "state_update", "state": state}
	if stop != "" {
		update["stopReason"] = stop
	}
	p.update(session, update)
}

// hold waits for a part of a turn.
func (p *Protocol) hold(ctx context.Context, d time.Duration) {
	_ = core.Sleep(ctx, time.Duration(float64(d)*p.Speed)) // who waits asks the context
}

// begin shows what an act does.
func (p *Protocol) begin(t *protocolTurn, a act, line *string) {
	switch {
	case a.verb == VerbThinking:
		p.update(t.session, fields{
			"sessionUpdate": "agent_thought_chunk", "content": fields{"type": "text", "text": "Let me see."},
		})
	case a.shows.mark == MarkRunning:
		p.count++
		p.call(t, "tool_call", a.shows.text, "in_progress")
	case a.shows.text != "":
		p.say(t.session, strings.TrimPrefix(a.shows.text, *line))
		*line = a.shows.text
	}
}

// end shows what came of an act, and returns how it ends the turn.
func (p *Protocol) end(t *protocolTurn, a act, line *string) *ending {
	switch {
	case a.prints.mark == MarkRan:
		p.call(t, "tool_call_update", a.prints.text, "completed")
	case a.ends == nil && a.prints.text != "":
		p.say(t.session, strings.TrimPrefix(a.prints.text, *line)+"\n")
		*line = ""
	}
	switch {
	case p.has(HalfLine):
		p.print(`{"jsonrpc":"2.0","method":"session/upd`)
		return &ending{reason: "half a line", code: 3}
	case p.has(Flood):
		p.print(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 20<<20) + "\"}\n")
		for range 2000 {
			p.count++
			p.call(t, "tool_call", "flood", "pending")
		}
	}
	return a.ends
}

// call reports a tool call.
func (p *Protocol) call(t *protocolTurn, kind, title, status string) {
	update := fields{
		"sessionUpdate": kind, "toolCallId": fmt.Sprintf("call%d", p.count), "status": status,
		"title": title, "kind": "execute", "rawInput": fields{"command": title},
	}
	if status == "completed" {
		update["content"] = []fields{{"type": "content", "content": fields{"type": "text", "text": "done"}}}
	}
	p.update(t.session, update)
}

// say says a piece of a message.
func (p *Protocol) say(session, text string) {
	if text != "" {
		p.keep(session, said{"agent_message_chunk", text})
		p.update(session, fields{
			"sessionUpdate": "agent_message_chunk", "content": fields{"type": "text", "text": text},
		})
	}
}

// ask asks the client, and returns the choice; false if the request was cancelled.
func (p *Protocol) ask(ctx context.Context, t *protocolTurn, d *dialog) (choice, bool) {
	p.count++
	detail := strings.TrimPrefix(d.detail, "$ ")
	kind := map[string]string{TitleApproval: "execute", TitlePlan: "switch_mode"}[d.title]
	if d.title == TitlePlan {
		steps := core.Map(strings.Split(detail, "\n"), func(step string) fields {
			return fields{"content": step, "status": "pending", "priority": "medium"}
		})
		p.update(t.session, fields{"sessionUpdate": "plan", "entries": steps})
		detail = d.title
	}
	call := fields{"toolCallId": fmt.Sprintf("call%d", p.count), "title": detail, "kind": kind, "status": "pending"}
	var options []fields
	for i, c := range d.choices {
		kind := "allow_once"
		if c.stops {
			kind = "reject_once"
		}
		options = append(options, fields{"optionId": fmt.Sprintf("o%d", i), "name": c.label, "kind": kind})
	}
	if p.has(Reversed) {
		slices.Reverse(options)
	}
	if p.has(AlwaysFirst) {
		always := fields{"optionId": "ever", "name": "Always", "kind": "allow_always"}
		options = append([]fields{always}, options...)
	}
	id := fmt.Sprintf("%d", p.count)
	answers := make(chan json.RawMessage, 1)
	p.mu.Lock()
	p.answers[id] = answers
	p.mu.Unlock()
	params := fields{"sessionId": t.session, "toolCall": call, "options": options}
	if p.has(Draft) {
		p.state(t.session, "requires_action", "")
		delete(params, "toolCall")
		params["title"], params["subject"] = detail, fields{"type": "tool_call", "toolCall": call}
	}
	p.note(eventAsk, detail)
	p.send(rpc{ID: json.RawMessage(id), Method: "session/request_permission", Params: params})
	var answer struct {
		Outcome struct{ Outcome, OptionID string }
	}
	select {
	case result := <-answers:
		_ = json.Unmarshal(result, &answer)
	case <-ctx.Done():
		return choice{}, false
	}
	p.note(eventAnswer, answer.Outcome.OptionID)
	if answer.Outcome.OptionID == "ever" {
		_ = os.WriteFile(filepath.Join(filepath.Dir(p.Records), "allowed-for-ever"), nil, 0o600)
	}
	for i, c := range d.choices {
		if answer.Outcome.OptionID == fmt.Sprintf("o%d", i) {
			if c.stops && !p.has(OpenCalls) {
				p.call(t, "tool_call_update", detail, "failed")
			}
			return c, true
		}
	}
	return choice{}, answer.Outcome.OptionID != ""
}

// note writes an event to the log, with its time.
func (p *Protocol) note(name eventName, text string) {
	_ = p.log.write([]event{{Event: name, Text: text, At: p.Now()}}) // a test misses an event that is not written
}

// keep puts a message on record.
func (p *Protocol) keep(session string, message said) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records[session] = append(p.records[session], message)
	if text, err := json.Marshal(p.records); err == nil && p.Records != "" {
		_ = os.WriteFile(p.Records, text, 0o600) // without it nothing can be taken up, which a test would see
	}
}

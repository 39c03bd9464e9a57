package acp

import (
	"context"

	"cupola/core/agent/acp/rpc"
)

// editor is the other side.
type editor struct{ conn *rpc.Conn }

// update sends an update of a session.
func (e *editor) update(session, kind string, fields map[string]any) {
	fields["sessionUpdate"] = kind
	e.conn.Notify("session/update", map[string]any{"sessionId": session, "update": fields})
}

// say sends a piece of the answer.
func (e *editor) say(session, text string) {
	if text != "" {
		e.update(session, "agent_message_chunk", map[string]any{"content": textBlock(text)})
	}
}

func textBlock(text string) map[string]string { return map[string]string{"type": "text", "text": text} }

// called sends the status of the tool call that a dialog is shown as.
func (e *editor) called(one *asked, status string) {
	e.update(one.session.id, "tool_call_update", map[string]any{"toolCallId": callID(one), "status": status})
}

// confirm asks the user whether a call may be made that destroys something.
func (e *editor) confirm(ctx context.Context, one *session, question string) (bool, error) {
	answers := make(chan *rpc.Message, 1)
	e.conn.Start("session/request_permission", map[string]any{
		"sessionId": one.id,
		"toolCall": map[string]any{
			"toolCallId": "confirm", "title": question, "kind": "delete", "status": "pending",
		},
		"options": []any{
			map[string]string{"optionId": "yes", "name": "Yes, do it", "kind": "allow_once"},
			map[string]string{"optionId": "no", "name": "No", "kind": "reject_once"},
		},
	}, func(m *rpc.Message) { answers <- m })
	select {
	case m := <-answers:
		if m.Error != nil {
			return false, m.Error
		}
		return optionOf(m) == "yes", nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

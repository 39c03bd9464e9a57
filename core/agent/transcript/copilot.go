package transcript

import (
	"cmp"
	"encoding/json"
)

// copilotReader reads the events of a Copilot session.
type copilotReader struct {
	reading
}

type copilotLine struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	// Agent is the id of the sub-agent whose event it is.
	Agent string `json:"agentId"`
	Data  struct {
		SessionID string            `json:"sessionId"`
		Selected  string            `json:"selectedModel"`
		NewModel  string            `json:"newModel"`
		Content   json.RawMessage   `json:"content"`
		Message   json.RawMessage   `json:"message"`
		Requests  []json.RawMessage `json:"toolRequests"`
		CallID    string            `json:"toolCallId"`
		ToolName  string            `json:"toolName"`
		Arguments json.RawMessage   `json:"arguments"`
		Success   *bool             `json:"success"`
		Result    json.RawMessage   `json:"result"`
		Usage     *copilotUsage     `json:"usage"`
	} `json:"data"`
}

type copilotUsage struct {
	Model  string `json:"model"`
	Input  int    `json:"inputTokens"`
	Output int    `json:"outputTokens"`
	Window int    `json:"maxPromptTokens"`
}

func (s *copilotReader) line(text []byte) {
	var line copilotLine
	if json.Unmarshal(text, &line) != nil || line.Agent != "" {
		return
	}
	d, turn := &line.Data, &s.result.Turn
	switch line.Type {
	case "session.start":
		s.result.Session = d.SessionID
		s.result.Model = cmp.Or(d.Selected, s.result.Model)
	case "session.model_change":
		s.result.Model = cmp.Or(d.NewModel, s.result.Model)
	case "user.message":
		s.result.begin(textOf(d.Content), moment(line.Timestamp))
		s.started = true
	case "assistant.message":
		turn.say(textOf(d.Content), moment(line.Timestamp))
		turn.Complete = len(d.Requests) == 0 && turn.Message != ""
	case "tool.execution_start":
		turn.call(d.CallID, d.ToolName, d.Arguments)
	case "tool.execution_complete":
		turn.answer(d.CallID, textOf(d.Result), d.Success != nil && !*d.Success)
	case "session.usage_record":
		if u := d.Usage; u != nil {
			s.result.Model = cmp.Or(u.Model, s.result.Model)
			s.result.Usage = Usage{Tokens: u.Input + u.Output, Window: u.Window}
		}
	case "abort":
		turn.Interrupted, turn.Complete = true, false
	case "session.error":
		turn.Failed, turn.Complete = textOf(d.Message), false
	}
}

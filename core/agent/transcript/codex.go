package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
)

// codexReader reads the lines of a Codex rollout.
type codexReader struct {
	reading
}

type codexLine struct {
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Payload   struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Role    string          `json:"role"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		// Name, Arguments, Input and CallID are fields of a call, Output of its answer.
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Input     json.RawMessage `json:"input"`
		CallID    string          `json:"call_id"`
		Output    json.RawMessage `json:"output"`
		// Last is the last message of a turn that is complete.
		Last    string          `json:"last_agent_message"`
		Message json.RawMessage `json:"message"`
		Window  int             `json:"model_context_window"`
		Item    struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		} `json:"item"`
		Info *codexInfo `json:"info"`
	} `json:"payload"`
}

type codexInfo struct {
	Last struct {
		Total int `json:"total_tokens"`
	} `json:"last_token_usage"`
	Window int `json:"model_context_window"`
}

func (s *codexReader) line(text []byte) {
	var line codexLine
	if json.Unmarshal(text, &line) != nil {
		return
	}
	p := &line.Payload
	switch line.Type {
	case "session_meta":
		// Behind its own, a forked record has the one that it was forked from.
		s.result.Session = cmp.Or(s.result.Session, p.ID)
	case "turn_context":
		s.result.Model = cmp.Or(p.Model, s.result.Model)
	case "event_msg":
		s.event(&line)
	case "response_item":
		s.item(&line)
	}
}

func (s *codexReader) event(line *codexLine) {
	p, turn := &line.Payload, &s.result.Turn
	switch p.Type {
	case "task_started", "turn_started":
		s.result.begin("", moment(line.Timestamp))
		s.started = true
		s.result.Usage.Window = cmp.Or(max(0, p.Window), s.result.Usage.Window)
	case "user_message":
		turn.Prompt = textOf(p.Message)
		s.result.asked(turn.Prompt, moment(line.Timestamp))
	case "item_completed":
		if p.Item.Type == "UserMessage" {
			turn.Prompt = textOf(p.Item.Content)
			s.result.asked(turn.Prompt, moment(line.Timestamp))
		}
	case "agent_message":
		turn.say(textOf(p.Message), moment(line.Timestamp))
	case "task_complete", "turn_complete":
		turn.say(p.Last, moment(line.Timestamp))
		turn.Complete = turn.Failed == ""
	case "turn_aborted":
		turn.Interrupted = true
	case "error":
		turn.Failed = textOf(p.Message)
	case "token_count":
		if p.Info != nil {
			s.result.Usage.Tokens = p.Info.Last.Total
			s.result.Usage.Window = cmp.Or(max(0, p.Info.Window), s.result.Usage.Window)
		}
	}
}

func (s *codexReader) item(line *codexLine) {
	p, turn := &line.Payload, &s.result.Turn
	switch {
	case p.Type == "message" && p.Role == "assistant":
		turn.say(textOf(p.Content), moment(line.Timestamp))
	case strings.HasSuffix(p.Type, "_call_output"):
		output := textOf(p.Output)
		turn.answer(p.CallID, output, strings.HasPrefix(output, "aborted by user"))
	case strings.HasSuffix(p.Type, "_call"):
		input := p.Arguments
		if len(input) == 0 {
			input = p.Input
		}
		id := cmp.Or(p.CallID, p.ID)
		turn.call(id, p.Name, input)
	}
}

package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
)

// qwenReader reads Qwen Code's lines, which have Claude's frame and Google's
// messages.
type qwenReader struct {
	reading
}

type qwenLine struct {
	SessionID string `json:"sessionId"`
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Sidechain bool   `json:"isSidechain"`
	Model     string `json:"model"`
	Window    int    `json:"contextWindowSize"`
	Message   struct {
		Parts json.RawMessage `json:"parts"`
	} `json:"message"`
	Usage *struct {
		Total int `json:"totalTokenCount"`
	} `json:"usageMetadata"`
	Result struct {
		CallID string          `json:"callId"`
		Status string          `json:"status"`
		Shown  json.RawMessage `json:"resultDisplay"`
	} `json:"toolCallResult"`
}

func (s *qwenReader) line(text []byte) {
	var line qwenLine
	if json.Unmarshal(text, &line) != nil || line.Sidechain {
		return
	}
	s.result.Session = cmp.Or(line.SessionID, s.result.Session)
	turn := &s.result.Turn
	switch line.Type {
	case "user":
		if prompt := partsText(line.Message.Parts); prompt != "" {
			s.result.begin(prompt, moment(line.Timestamp))
			s.started = true
		}
	case "tool_result":
		turn.answer(line.Result.CallID, textOf(line.Result.Shown), line.Result.Status != "success")
	case "assistant":
		s.answer(&line)
	}
}

func (s *qwenReader) answer(line *qwenLine) {
	turn := &s.result.Turn
	calls := turn.callParts(parts(line.Message.Parts))
	turn.say(partsText(line.Message.Parts), moment(line.Timestamp))
	turn.Complete = calls == 0 && turn.Message != "" && !strings.HasPrefix(turn.Message, "[API Error")
	s.result.Model = cmp.Or(line.Model, s.result.Model)
	if line.Usage != nil {
		s.result.Usage.Tokens = line.Usage.Total
	}
	s.result.Usage.Window = cmp.Or(max(0, line.Window), s.result.Usage.Window)
}

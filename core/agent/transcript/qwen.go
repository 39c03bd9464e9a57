package transcript

import (
	"encoding/json"
	"strings"
)

// qwenReader reads Qwen Code's lines, which have Claude's frame and Google's
// messages.
type qwenReader struct {
	told    Account
	started bool
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

func (s *qwenReader) account() (Account, bool) { return s.told, s.started }

func (s *qwenReader) line(text []byte) {
	var line qwenLine
	if json.Unmarshal(text, &line) != nil || line.Sidechain {
		return
	}
	if line.SessionID != "" {
		s.told.Session = line.SessionID
	}
	turn := &s.told.Turn
	switch line.Type {
	case "user":
		if prompt := partsText(line.Message.Parts); prompt != "" {
			s.told.begin(prompt, moment(line.Timestamp))
			s.started = true
		}
	case "tool_result":
		turn.answer(line.Result.CallID, textOf(line.Result.Shown), line.Result.Status != "success")
	case "assistant":
		s.answer(&line)
	}
}

func (s *qwenReader) answer(line *qwenLine) {
	turn := &s.told.Turn
	calls := turn.callParts(parts(line.Message.Parts))
	turn.say(partsText(line.Message.Parts), moment(line.Timestamp))
	turn.Complete = calls == 0 && turn.Message != "" && !strings.HasPrefix(turn.Message, "[API Error")
	if line.Model != "" {
		s.told.Model = line.Model
	}
	if line.Usage != nil {
		s.told.Usage.Tokens = line.Usage.Total
	}
	if line.Window > 0 {
		s.told.Usage.Window = line.Window
	}
}

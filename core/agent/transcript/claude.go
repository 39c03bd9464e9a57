package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
)

// claudeReader reads Claude Code's lines. One answer of the model is written as
// several lines with the same message id, each with a part of it.
type claudeReader struct {
	reading
	message string // id of the message that Turn.Message is from
}

type claudeLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"sessionId"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Compact   bool   `json:"isCompactSummary"`
	APIError  bool   `json:"isApiErrorMessage"`
	Timestamp string `json:"timestamp"`
	// Source is "system" for text that the program gives the model by itself.
	Source  string `json:"promptSource"`
	Message struct {
		ID         string          `json:"id"`
		Model      string          `json:"model"`
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
		Usage      *claudeUsage    `json:"usage"`
	} `json:"message"`
}

type claudeUsage struct {
	Input   int `json:"input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Failed  bool            `json:"is_error"`
}

// madeUp is the model of messages that no model wrote.
const madeUp = "<synthetic>"

func (s *claudeReader) line(text []byte) {
	var line claudeLine
	if json.Unmarshal(text, &line) != nil || line.Sidechain {
		return
	}
	s.result.Session = cmp.Or(line.SessionID, s.result.Session)
	switch line.Type {
	case "user":
		s.user(&line)
	case "assistant":
		s.assistant(&line)
	case "system":
		if line.Subtype == "turn_duration" && s.result.Turn.Message != "" && !s.result.Turn.Interrupted {
			s.result.Turn.Complete = s.result.Turn.Failed == ""
		}
	}
}

func (s *claudeReader) user(line *claudeLine) {
	blocks := claudeBlocks(line.Message.Content)
	var words []string
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			s.result.Turn.answer(b.Call, textOf(b.Content), b.Failed)
		case "text":
			words = append(words, b.Text)
		}
	}
	prompt := strings.Join(words, "\n")
	switch {
	case strings.HasPrefix(prompt, "[Request interrupted by user"):
		s.result.Turn.Interrupted, s.result.Turn.Complete = true, false
	case strings.HasPrefix(prompt, "<command-name>/clear</command-name>"):
		// It is the first line of the new conversation.
	case line.Source == "system", strings.HasPrefix(prompt, "<task-notification>"):
		// Work in the background has ended, and the turn that started it continues.
		s.result.Turn.resume()
		s.message = ""
	case prompt != "" && !line.Meta && !line.Compact:
		s.result.begin(prompt, moment(line.Timestamp))
		s.started, s.message = true, ""
	}
}

// claudeBlocks are the parts of a message; a bare string is one text.
func claudeBlocks(raw json.RawMessage) []claudeBlock {
	return pieces(raw, func(text string) claudeBlock { return claudeBlock{Type: "text", Text: text} })
}

func (s *claudeReader) assistant(line *claudeLine) {
	m, turn := &line.Message, &s.result.Turn
	if line.APIError || m.Model == madeUp {
		turn.Failed, turn.Complete = textOf(m.Content), false
		return
	}
	turn.Failed = ""
	for _, b := range claudeBlocks(m.Content) {
		switch b.Type {
		case "text":
			if m.ID != "" && m.ID == s.message {
				turn.sayMore(b.Text, moment(line.Timestamp))
			} else {
				turn.say(b.Text, moment(line.Timestamp))
			}
			s.message = m.ID
		case "tool_use":
			turn.call(b.ID, b.Name, b.Input)
		}
	}
	if m.StopReason != "" {
		turn.Complete = m.StopReason == "end_turn" || m.StopReason == "stop_sequence"
	}
	s.result.Model = cmp.Or(m.Model, s.result.Model)
	if u := m.Usage; u != nil {
		s.result.Usage.Tokens = u.Input + u.Created + u.Read + u.Output
	}
}

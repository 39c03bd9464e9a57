package usage

import (
	"bytes"
	"cmp"
	"encoding/json"

	"cupola/core/record/store"
)

// geminiMeter reads Gemini's lines, and its older documents as one line. A message
// replaces an earlier one with the same id.
type geminiMeter struct {
	Session string
}

type geminiLine struct {
	SessionID string `json:"sessionId"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Model     string `json:"model"`
	Tokens    *struct {
		Input, Output, Cached, Thoughts, Tool int64
	} `json:"tokens"`
	Messages []json.RawMessage `json:"messages"`
	Set      struct {
		Messages []json.RawMessage `json:"messages"`
	} `json:"$set"`
}

func (m *geminiMeter) line(text []byte, out *reading) {
	if !bytes.Contains(text, []byte(`"tokens"`)) && m.Session != "" {
		return
	}
	var line geminiLine
	if !into(text, &line) {
		return
	}
	m.Session = cmp.Or(m.Session, line.SessionID)
	out.session = m.Session
	for _, message := range append(line.Messages, line.Set.Messages...) {
		var inner geminiLine
		if into(message, &inner) {
			m.message(&inner, out)
		}
	}
	m.message(&line, out)
}

// geminiAnswer is the type of what the model says.
const geminiAnswer = "gemini"

func (m *geminiMeter) message(line *geminiLine, out *reading) {
	t := line.Tokens
	if line.Type != geminiAnswer || t == nil || line.ID == "" {
		return
	}
	out.add(m.Session+" "+line.ID, moment(line.Timestamp), line.Model, store.UsageTokens{
		Input: fresh(t.Input, t.Cached) + max(0, t.Tool), CacheRead: t.Cached, Output: t.Output + t.Thoughts,
		Reasoning: t.Thoughts,
	}, nil)
}

// qwenMeter reads Qwen Code's lines. Newer versions write the usage of every response beside the messages; older ones
// only with messages.
type qwenMeter struct {
	Session, Folder string
	// Responses is true once a line had a response.
	Responses bool
}

type qwenLine struct {
	UUID      string `json:"uuid"`
	SessionID string `json:"sessionId"`
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Cwd       string `json:"cwd"`
	Model     string `json:"model"`
	Usage     *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	Payload struct {
		Event struct {
			Name       string `json:"event.name"`
			ResponseID string `json:"response_id"`
			Model      string `json:"model"`
			Input      int64  `json:"input_token_count"`
			Output     int64  `json:"output_token_count"`
			Cached     int64  `json:"cached_content_token_count"`
			Thoughts   int64  `json:"thoughts_token_count"`
		} `json:"uiEvent"`
	} `json:"systemPayload"`
}

func (m *qwenMeter) line(text []byte, out *reading) {
	if !bytes.Contains(text, []byte(`"usageMetadata"`)) && !bytes.Contains(text, []byte(`"uiEvent"`)) &&
		m.Session != "" {
		return
	}
	var line qwenLine
	if !into(text, &line) {
		return
	}
	if m.Session == "" {
		m.Session, m.Folder = line.SessionID, line.Cwd
	}
	out.session, out.folder = m.Session, m.Folder
	e, at := &line.Payload.Event, moment(line.Timestamp)
	switch {
	case e.Name == "qwen-code.api_response":
		m.Responses = true
		out.add(e.ResponseID, at, e.Model, store.UsageTokens{
			Input: fresh(e.Input, e.Cached), CacheRead: e.Cached, Output: e.Output + e.Thoughts, Reasoning: e.Thoughts,
		}, nil)
	case line.Type == "assistant" && line.Usage != nil && !m.Responses:
		u := line.Usage
		out.add(line.UUID, at, line.Model, store.UsageTokens{
			Input: fresh(u.Prompt, u.Cached), CacheRead: u.Cached, Output: u.Candidates + u.Thoughts,
			Reasoning: u.Thoughts,
		}, nil)
	}
}

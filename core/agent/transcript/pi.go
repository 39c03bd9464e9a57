package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"cupola/core/agent"
)

// piRecords returns the records of the named session, in whichever folder it began, or else all of the agent's folder.
func piRecords(p *Subject) []string {
	root := cmp.Or(agent.Records(p.Kind, p.Env), p.home("sessions"))
	if p.Session != "" {
		if found := listed(root, "*", "*_"+escapeGlob(p.Session)+".jsonl"); len(found) > 0 {
			return found
		}
	}
	inside := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(p.Dir, "/"))
	return listed(root, escapeGlob("--"+inside+"--"), "*.jsonl")
}

// piHead reads the id behind the time in a record's name.
func piHead(path string) head {
	_, id, _ := strings.Cut(stem(path), "_")
	return head{Session: id}
}

// piReader reads pi's lines.
type piReader struct {
	reading
}

type piLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Message   struct {
		Role     string          `json:"role"`
		Content  json.RawMessage `json:"content"`
		Model    string          `json:"model"`
		Stop     string          `json:"stopReason"`
		Error    string          `json:"errorMessage"`
		CallID   string          `json:"toolCallId"`
		ToolName string          `json:"toolName"`
		Failed   bool            `json:"isError"`
		Usage    struct {
			Total int `json:"totalTokens"`
		} `json:"usage"`
	} `json:"message"`
}

func (s *piReader) line(text []byte) {
	var line piLine
	if json.Unmarshal(text, &line) != nil {
		return
	}
	if line.Type == "session" {
		s.result.Session = line.ID
		return
	}
	if line.Type != "message" {
		return
	}
	turn, at := &s.result.Turn, moment(line.Timestamp)
	switch line.Message.Role {
	case "user":
		s.result.begin(piText(line.Message.Content), at)
		s.started = true
	case "toolResult":
		turn.answer(line.Message.CallID, piText(line.Message.Content), line.Message.Failed)
	case "assistant":
		s.answer(&line, at)
	}
}

func (s *piReader) answer(line *piLine, at time.Time) {
	turn, m := &s.result.Turn, &line.Message
	calls := 0
	for _, block := range piBlocks(m.Content) {
		if block.Type == "toolCall" {
			calls++
			turn.call(block.ID, block.Name, block.Arguments)
		}
	}
	turn.say(piText(m.Content), at)
	turn.Complete = calls == 0 && m.Stop != "error" && m.Stop != "aborted" && turn.Message != ""
	turn.Interrupted = m.Stop == "aborted"
	turn.Failed = ""
	if m.Stop == "error" {
		turn.Failed = m.Error
	}
	s.result.Model = cmp.Or(m.Model, s.result.Model)
	s.result.Usage.Tokens = cmp.Or(max(0, m.Usage.Total), s.result.Usage.Tokens)
}

// piBlock is a block of a message's content.
type piBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func piBlocks(content json.RawMessage) (blocks []piBlock) {
	if json.Unmarshal(content, &blocks) != nil {
		return nil
	}
	return blocks
}

// piText returns the text of a message, whose content is a text or a list of blocks.
func piText(content json.RawMessage) string {
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte(`"`)) {
		return textOf(content)
	}
	var texts []string
	for _, block := range piBlocks(content) {
		if block.Type == "text" && block.Text != "" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n")
}

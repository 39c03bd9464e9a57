package stream

import (
	"encoding/json"
	"fmt"
	"strings"
)

// copilot reads the JSON lines of GitHub Copilot CLI. It counts no tokens.
type copilot struct {
	r     *Reader
	tools map[string]string
}

func newCopilot(r *Reader) parser { return (&copilot{r: r, tools: map[string]string{}}).line }

type copilotLine struct {
	Type     string
	Session  string `json:"sessionId"`
	ExitCode *int
	Data     struct {
		Message    string
		MessageID  string
		Delta      string `json:"deltaContent"`
		Content    json.RawMessage
		Model      string
		ToolCall   string `json:"toolCallId"`
		ToolName   string
		Arguments  json.RawMessage
		Success    bool
		Reason     string
		StatusCode int
		// Agent is the sub-agent that says this.
		Agent string `json:"parentToolCallId"`
	}
}

func (c *copilot) line(line []byte) {
	var l copilotLine
	if !decode(line, &l) {
		return
	}
	if d := &l.Data; d.Agent == "" {
		c.session(&l)
	}
}

func (c *copilot) session(l *copilotLine) {
	d := &l.Data
	switch l.Type {
	case "assistant.message_delta":
		c.r.piece(d.MessageID, d.Delta)
	case "assistant.message":
		text := ""
		decode(d.Content, &text)
		c.r.about("", d.Model)
		c.r.whole(d.MessageID, text)
	case "tool.execution_start":
		c.tools[d.ToolCall] = d.ToolName
		c.r.tool(d.ToolName, brief(d.Arguments), "started")
	case "tool.execution_complete":
		c.r.tool(c.tools[d.ToolCall], "", statusOf(!d.Success))
	case "assistant.turn_retry":
		c.r.retry(strings.ReplaceAll(d.Reason, "_", " "))
	case "session.error":
		c.r.fail(codeOf(d.StatusCode), d.Message, "")
	case "abort":
		c.r.fail("", "the run was interrupted", StopInterrupt)
	case "result":
		c.r.about(l.Session, "")
		switch {
		case c.r.end != nil:
		case l.ExitCode != nil && *l.ExitCode != 0:
			c.r.fail("", fmt.Sprintf("the program ended with status %d", *l.ExitCode), "")
		default:
			c.r.done(StopEnd)
		}
	}
}

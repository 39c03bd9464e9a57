package stream

import (
	"cmp"
	"strings"
)

// codex reads what "codex exec --json" prints. It says nowhere which model answered.
type codex struct{ r *Reader }

func newCodex(r *Reader) parser { return &codex{r} }

type codexLine struct {
	Type    string
	Thread  string `json:"thread_id"`
	Message string
	Error   struct{ Message string }
	Item    codexItem
	Usage   struct {
		Input     int64 `json:"input_tokens"`
		Cached    int64 `json:"cached_input_tokens"`
		Write     int64 `json:"cache_write_input_tokens"`
		Output    int64 `json:"output_tokens"`
		Reasoning int64 `json:"reasoning_output_tokens"`
	}
}

type codexItem struct {
	ID, Type, Text, Message, Status string
	Command, Server, Tool, Query    string
	Changes                         []struct{ Path string }
}

func (c *codex) line(line []byte) {
	var l codexLine
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "thread.started":
		c.r.about(l.Thread, "")
	case "item.started", "item.updated", "item.completed":
		c.item(&l.Item, strings.TrimPrefix(l.Type, "item."))
	case "error":
		if strings.HasPrefix(l.Message, "Reconnecting") {
			c.r.retry(l.Message)
			return
		}
		c.r.fail("", l.Message, "")
	case "turn.failed":
		c.r.fail("", l.Error.Message, "")
	case "turn.completed":
		u := l.Usage
		c.r.usedMore(&Usage{
			Input: max(0, u.Input-u.Cached-u.Write), CacheRead: u.Cached, CacheWrite: u.Write, Output: u.Output,
			Reasoning: u.Reasoning,
		})
		c.r.done(StopEnd)
	}
}

func (c *codex) item(item *codexItem, step string) {
	switch item.Type {
	case "agent_message":
		c.r.whole(item.ID, item.Text)
		return
	case "error":
		c.r.warn(item.Message)
		return
	case "reasoning", "todo_list", "":
		return
	}
	switch step {
	case "started":
		c.r.tool(item.name(), item.about(), "started")
	case "completed":
		c.r.tool(item.name(), item.about(), statusOf(item.Status == "failed"))
	}
}

func (i *codexItem) name() string {
	if i.Type == "mcp_tool_call" && i.Tool != "" {
		return i.Server + "." + i.Tool
	}
	return i.Type
}

// about says what a tool is used for.
func (i *codexItem) about() string {
	var paths []string
	for _, change := range i.Changes {
		paths = append(paths, change.Path)
	}
	return oneLine(cmp.Or(i.Command, i.Query, strings.Join(paths, ", ")))
}

func (c *codex) close() {}

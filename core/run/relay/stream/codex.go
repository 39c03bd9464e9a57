package stream

import (
	"cmp"
	"strings"

	"cupola/core"
)

// readCodex reads what "codex exec --json" prints. It says nowhere which model answered.
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

func readCodex(r *Reader, line []byte) {
	var l codexLine
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "thread.started":
		r.about(l.Thread, "")
	case "item.started", "item.updated", "item.completed":
		codexStep(r, &l.Item, strings.TrimPrefix(l.Type, "item."))
	case "error":
		if strings.HasPrefix(l.Message, "Reconnecting") {
			r.retry(l.Message)
			return
		}
		r.fail("", l.Message, "")
	case "turn.failed":
		r.fail("", l.Error.Message, "")
	case "turn.completed":
		u := l.Usage
		r.usedMore(&Usage{
			Input: max(0, u.Input-u.Cached-u.Write), CacheRead: u.Cached, CacheWrite: u.Write, Output: u.Output,
			Reasoning: u.Reasoning,
		})
		r.done(StopEnd)
	}
}

func codexStep(r *Reader, item *codexItem, step string) {
	switch item.Type {
	case "agent_message":
		r.whole(item.ID, item.Text)
		return
	case "error":
		r.warn(item.Message)
		return
	case "reasoning", "todo_list", "":
		return
	}
	switch step {
	case "started":
		r.tool(item.name(), item.about(), "started")
	case "completed":
		r.tool(item.name(), item.about(), statusOf(item.Status == "failed" || item.Status == "declined"))
		switch {
		case item.Status == "declined":
			r.warn("the tool " + item.name() + " was refused: " + item.about())
		case item.Status == "failed" && item.Type == "file_change":
			r.warn("the tool file_change failed: " + item.about())
		}
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
	paths := core.Map(i.Changes, func(change struct{ Path string }) string { return change.Path })
	return oneLine(cmp.Or(i.Command, i.Query, strings.Join(paths, ", ")))
}

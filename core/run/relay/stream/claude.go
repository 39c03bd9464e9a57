package stream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
)

// claude reads the stream-json of Claude Code, and of Qwen Code, which prints the same. It comes
// with partial messages or without, and both programs print one line with all of it as JSON.
type claude struct {
	r *Reader
	// tools are the names of the tools that run, by the ids of their calls.
	tools map[string]string
	// streaming is the message that pieces belong to.
	streaming string
	// isError finds the error in an answer that is none; nil for programs that say so themselves.
	isError func(text string) (message string, failed bool)
}

func newClaude(r *Reader) parser { return (&claude{r: r, tools: map[string]string{}}).line }

// newQwen makes the parser of Qwen Code, which gives errors of its provider as the model's answer.
func newQwen(r *Reader) parser {
	c := &claude{r: r, tools: map[string]string{}, isError: func(text string) (string, bool) {
		inner, failed := strings.CutPrefix(strings.TrimSpace(text), "[API Error: ")
		return strings.TrimSuffix(inner, "]"), failed && strings.HasSuffix(inner, "]")
	}}
	return c.line
}

type claudeLine struct {
	Type, Subtype string
	Session       string `json:"session_id"`
	// Parent is the call of a tool in which a sub-agent says this.
	Parent  *string `json:"parent_tool_use_id"`
	Model   string
	Event   claudeEvent
	Message claudeMessage
	// Error of an assistant message, or in Qwen Code of a result, is the failure; the message's text then is no
	// answer.
	Error json.RawMessage

	Result     string
	IsError    bool     `json:"is_error"`
	Errors     []string `json:"errors"`
	APIStatus  int      `json:"api_error_status"`
	APIError   string   `json:"api_error"`
	Stop       string   `json:"stop_reason"`
	Cost       *float64 `json:"total_cost_usd"`
	Usage      *claudeUsage
	ModelUsage map[string]struct {
		Input  int64 `json:"inputTokens"`
		Output int64 `json:"outputTokens"`
		Read   int64 `json:"cacheReadInputTokens"`
		Write  int64 `json:"cacheCreationInputTokens"`
		Think  int64 `json:"thinkingTokens"`
	} `json:"modelUsage"`
	Denials []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`
}

type claudeEvent struct {
	Type    string
	Message struct{ ID string }
	Delta   struct{ Type, Text string }
}

type claudeMessage struct {
	ID, Model string
	Content   json.RawMessage
}

type claudeBlock struct {
	Type, Text, Name, ID string
	Input                json.RawMessage
	ToolUse              string `json:"tool_use_id"`
	IsError              bool   `json:"is_error"`
}

type claudeUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Read   int64 `json:"cache_read_input_tokens"`
	Write  int64 `json:"cache_creation_input_tokens"`
	// Total is given by Qwen Code, whose input includes what was in the cache.
	Total int64 `json:"total_tokens"`
}

func (c *claude) line(line []byte) {
	if line[0] == '[' {
		var all []json.RawMessage
		if decode(line, &all) {
			for _, one := range all {
				c.r.read(one)
			}
		}
		return
	}
	var l claudeLine
	if !decode(line, &l) {
		return
	}
	if l.Parent != nil {
		return
	}
	c.r.about(l.Session, l.Model)
	switch l.Type {
	case "stream_event":
		c.event(&l.Event)
	case "content_block_delta", "message_start":
		var bare claudeEvent
		decode(line, &bare)
		c.event(&bare)
	case "assistant":
		c.assistant(&l)
	case "user":
		c.results(l.Message.blocks())
	case "system":
		if l.Subtype == "api_retry" {
			c.retry(line)
		}
	case "result":
		c.result(&l)
	}
}

func (c *claude) event(e *claudeEvent) {
	switch e.Type {
	case "message_start":
		c.streaming = e.Message.ID
	case "content_block_delta":
		if e.Delta.Type == "text_delta" {
			c.r.piece(c.streaming, e.Delta.Text)
		}
	}
}

func (c *claude) assistant(l *claudeLine) {
	if len(l.Error) > 0 && string(l.Error) != "null" {
		return // the result says it again
	}
	if model := l.Message.Model; model != "<synthetic>" {
		c.r.about("", model)
	}
	for _, block := range l.Message.blocks() {
		switch block.Type {
		case "text":
			c.r.block(l.Message.ID, block.Text)
		case "tool_use":
			c.tools[block.ID] = block.Name
			c.r.tool(block.Name, brief(block.Input), "started")
		}
	}
}

// blocks are the parts of a message, whose content may also be a plain string.
func (m *claudeMessage) blocks() []claudeBlock {
	var blocks []claudeBlock
	if text := ""; json.Unmarshal(m.Content, &text) == nil && text != "" {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	decode(m.Content, &blocks)
	return blocks
}

func (c *claude) results(blocks []claudeBlock) {
	for _, block := range blocks {
		if name := c.tools[block.ToolUse]; block.Type == "tool_result" && name != "" {
			delete(c.tools, block.ToolUse)
			c.r.tool(name, "", statusOf(block.IsError))
		}
	}
}

func statusOf(failed bool) string {
	if failed {
		return "failed"
	}
	return "completed"
}

func (c *claude) retry(line []byte) {
	var l struct {
		Attempt int
		Most    int `json:"max_retries"`
		Status  int `json:"error_status"`
		Error   string
	}
	decode(line, &l)
	text := fmt.Sprintf("retry %d of %d: %s", l.Attempt, l.Most, strings.ReplaceAll(l.Error, "_", " "))
	if l.Status > 0 {
		text += fmt.Sprintf(" (status %d)", l.Status)
	}
	c.r.retryFor(codeOf(l.Status), text)
}

// result reads the last line of a turn. A program that waits for sub-agents prints several.
func (c *claude) result(l *claudeLine) {
	c.usage(l)
	for _, denied := range l.Denials {
		c.r.warn("the tool " + denied.Tool + " was refused")
	}
	if l.IsError || strings.HasPrefix(l.Subtype, "error") {
		code, stop := codeOf(l.APIStatus), StopReason("")
		switch l.Subtype {
		case "error_max_turns":
			stop = StopTurns
		case "error_max_budget_usd":
			code, stop = core.BudgetExceeded, StopBudget
		}
		if l.APIError == "connection_failed" {
			code = core.NetworkError
		}
		why := cmp.Or(strings.Join(l.Errors, "; "), l.Result, l.errorMessage(), strings.ReplaceAll(l.Subtype, "_", " "))
		if c.isError != nil {
			if inner, is := c.isError(why); is {
				c.r.message, why = message{}, inner
			}
		}
		c.r.fail(code, why, stop)
		return
	}
	if c.isError != nil && c.r.usage == nil {
		if why, failed := c.isError(l.Result); failed {
			c.r.message = message{}
			c.r.fail("", why, "")
			return
		}
	}
	c.r.result(l.Result)
	c.r.done(claudeStop(l.Stop))
}

// errorMessage is the message of an error that is an object; empty if there is none.
func (l *claudeLine) errorMessage() string {
	var failure struct{ Message string }
	if len(l.Error) > 0 {
		decode(l.Error, &failure)
	}
	return failure.Message
}

func (c *claude) usage(l *claudeLine) {
	sum := Usage{CostUSD: l.Cost}
	switch {
	case len(l.ModelUsage) > 0:
		for _, model := range slices.Sorted(maps.Keys(l.ModelUsage)) {
			u := l.ModelUsage[model]
			sum.Add(&Usage{
				Input: u.Input, Output: u.Output, CacheRead: u.Read, CacheWrite: u.Write, Reasoning: u.Think,
			})
		}
	case l.Usage != nil:
		sum.Input, sum.Output = l.Usage.Input, l.Usage.Output
		sum.CacheRead, sum.CacheWrite = l.Usage.Read, l.Usage.Write
		if l.Usage.Total > 0 && l.Usage.Total == sum.Input+sum.Output {
			sum.Input = max(0, sum.Input-sum.CacheRead)
		}
	default:
		return
	}
	if sum.Total() > 0 {
		c.r.used(&sum)
	}
}

func claudeStop(reason string) StopReason {
	switch reason {
	case "", "end_turn", "stop_sequence", "stop":
		return StopEnd
	case "max_tokens", "length":
		return StopLength
	case "refusal", "content_filter":
		return StopRefusal
	}
	return StopReason(reason)
}

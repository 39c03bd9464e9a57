package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"cupola/core/agent/acp/rpc"
)

// content is a block of content, or a tool call's.
type content struct {
	Type     string
	Text     string
	URI      string
	Name     string
	MimeType string
	Resource struct{ URI, Text string }
	// Content is the block inside the content of a tool call.
	Content *content
	Path    string
	OldText string
	NewText string
}

// words returns the text of a block, or a name for what is no text.
func (c *content) words() string {
	switch c.Type {
	case "text":
		return c.Text
	case "resource":
		return cmp.Or(c.Resource.Text, "["+c.Resource.URI+"]")
	case "resource_link":
		return "[" + cmp.Or(c.Name, c.URI) + "]"
	case "image", "audio":
		return "[" + c.Type + " " + c.MimeType + "]"
	}
	return ""
}

// wireCall is a tool call on the wire, or a part of it that changed.
type wireCall struct {
	ID        string `json:"toolCallId"`
	Title     string
	Kind      string
	Status    string
	Content   []content
	Locations []struct{ Path string }
	RawInput  json.RawMessage
	RawOutput json.RawMessage
}

// into changes what is known of a call by what the agent sent.
func (w *wireCall) into(call *Call) {
	call.Title = cmp.Or(rpc.Line(w.Title, maxName), call.Title)
	call.Kind = cmp.Or(rpc.Line(w.Kind, maxID), call.Kind, "other")
	if status := CallStatus(w.Status); status.Open() || status == Completed || status == Failed {
		call.Status = status
	}
	var input struct{ Command any }
	rpc.Decode(w.RawInput, &input)
	if len(w.RawInput) > 0 {
		call.Exact = false
	}
	switch command := input.Command.(type) {
	case string:
		call.Command = rpc.Line(command, maxName)
		call.Exact = call.Command == command && onlyRuns(w.RawInput)
	case []any:
		var words []string
		for _, word := range command {
			if text, ok := word.(string); ok {
				words = append(words, text)
			}
		}
		call.Command = rpc.Line(strings.Join(words, " "), maxName)
	}
	if len(w.Locations) > 0 {
		call.Paths = nil
	}
	for _, place := range firstOf(w.Locations, maxOptions) {
		if place.Path != "" {
			call.Paths = append(call.Paths, rpc.Line(place.Path, maxName))
		}
	}
	w.contents(call)
	call.Title = cmp.Or(call.Title, call.Command, call.Kind)
}

// onlyRuns reports whether the input of a call has nothing but a command, what is said about it, and how long it may
// take.
func onlyRuns(input json.RawMessage) bool {
	var fields map[string]json.RawMessage
	rpc.Decode(input, &fields)
	for field := range fields {
		if !slices.Contains([]string{"command", "description", "timeout"}, field) {
			return false
		}
	}
	return len(fields) > 0
}

// contents takes the output and the diffs of a call.
func (w *wireCall) contents(call *Call) {
	if len(w.Content) == 0 {
		if text := rawText(w.RawOutput); text != "" && call.Output == "" {
			call.Output = block(text)
		}
		return
	}
	var out []string
	call.Diffs = nil
	for i := range firstOf(w.Content, maxList) {
		part := &w.Content[i]
		switch {
		case part.Type == "diff":
			call.Diffs = append(call.Diffs, Diff{
				rpc.Line(part.Path, maxName), block(part.OldText), block(part.NewText),
			})
		case part.Content != nil:
			out = append(out, part.Content.words())
		}
	}
	if text := block(strings.Join(out, "\n")); strings.TrimSpace(text) != "" {
		call.Output = text
	}
}

// rawText is the text of a tool's raw output, where it is one or has one.
func rawText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var fields struct{ Output, Content, Stdout, Error string }
	rpc.Decode(raw, &fields)
	return cmp.Or(fields.Output, fields.Content, fields.Stdout, fields.Error)
}

// update is one session/update.
type update struct {
	Kind     string `json:"sessionUpdate"`
	Content  *content
	Message  string `json:"messageId"`
	Entries  []struct{ Content, Status, Priority string }
	Commands []struct {
		Name, Description string
		Input             *struct{ Hint string }
	} `json:"availableCommands"`
	Mode    string          `json:"currentModeId"`
	Options json.RawMessage `json:"configOptions"`
	Title   string
	Used    int64
	Size    int64
	Cost    *struct {
		Amount   float64
		Currency string
	}
	Text string
	Meta struct {
		Usage *wireUsage
	} `json:"_meta"`
}

// wireUsage is usage as agents report it: with a turn, in the data beside a turn, or beside a piece of a message.
type wireUsage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
	Thought    int64 `json:"thoughtTokens"`
}

// usage returns the tokens. Agents count cached input as input or beside it; total says which.
func (w *wireUsage) usage() *Usage {
	return &Usage{
		Input: tokens(w.Input), Output: tokens(w.Output), CacheRead: tokens(w.CacheRead),
		CacheWrite: tokens(w.CacheWrite), Thought: tokens(w.Thought),
	}
}

// mostTokens is more than any turn uses and any window holds.
const mostTokens = 1 << 40

// tokens is a number of tokens as an agent reports it; 0 for what cannot be one.
func tokens(n int64) int64 {
	if n < 0 || n > mostTokens {
		return 0
	}
	return n
}

// steps returns a plan.
func (u *update) steps() []Step {
	var plan []Step
	for _, entry := range firstOf(u.Entries, maxList) {
		plan = append(plan, Step{
			rpc.Line(entry.Content, maxName), rpc.Line(entry.Status, maxID), rpc.Line(entry.Priority, maxID),
		})
	}
	return plan
}

// commands returns the slash commands.
func (u *update) commands() []Command {
	var all []Command
	for _, command := range firstOf(u.Commands, maxList) {
		one := Command{Name: rpc.Line(command.Name, maxID), Help: rpc.Line(command.Description, maxName)}
		if command.Input != nil {
			one.Hint = rpc.Line(command.Input.Hint, maxName)
		}
		if one.Name != "" {
			all = append(all, one)
		}
	}
	return all
}

package transcript

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Who is the author of a text on record.
type Who string

// The authors. ByTool marks the input and the output of a tool.
const (
	ByUser  Who = "user"
	ByAgent Who = "agent"
	ByTool  Who = "tool"
)

// Said is a text on record.
type Said struct {
	Who  Who
	Text string
	// At is when it was said; zero if the record does not say so.
	At time.Time
}

// Saying is a part of a record, read alone.
type Saying struct {
	// Said are its texts, in the order of their names.
	Said []Said
	// Session and Dir are the agent's id of the conversation and the folder in which it worked; empty where this part
	// does not name them.
	Session, Dir string
}

// Says returns the texts in a part of a record: a line, a document, or a part of a database, whose author is by. It
// knows what all formats share: who wrote a text is the nearest "role" or "type" around it, when is the nearest
// "timestamp". Ids, settings, instructions to the model and encoded data are no texts. A part that is no JSON says
// nothing.
func Says(part []byte, by string) Saying {
	var value any
	if json.Unmarshal(part, &value) != nil {
		return Saying{}
	}
	var all Saying
	if object, is := value.(map[string]any); is {
		all.Session, all.Dir = first(object, "sessionId", "session_id"), first(object, "cwd")
	}
	all.add(value, Said{Who: author(by, "")})
	return all
}

// first returns the first of an object's texts that is not empty.
func first(object map[string]any, names ...string) string {
	for _, name := range names {
		if text, is := object[name].(string); is && text != "" {
			return text
		}
	}
	return ""
}

// add takes in the texts of a value; around has its author and its time, so far as the values around it say them.
func (s *Saying) add(value any, around Said) {
	switch value := value.(type) {
	case string:
		if around.Who != "" && around.Who != bySystem && strings.TrimSpace(value) != "" && !isContext(value) {
			around.Text = value
			s.Said = append(s.Said, around)
		}
	case []any:
		for _, item := range value {
			s.add(item, around)
		}
	case map[string]any:
		around.Who = author(first(value, "role"), author(first(value, "type"), around.Who))
		if at := moment(first(value, "timestamp")); !at.IsZero() {
			around.At = at
		}
		names := make([]string, 0, len(value))
		for name := range value {
			_, encoded := value[name].(string) // as images are
			if !slices.Contains(wordless, name) && (name != "data" || !encoded) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			inside := around
			if strings.HasPrefix(name, "tool") || strings.HasPrefix(name, "function") {
				inside.Who = author(name, around.Who)
			}
			s.add(value[name], inside)
		}
	}
}

// bySystem is the author of instructions to the model.
const bySystem Who = "system"

// author returns the author that a word of a format names; before if it names none. All that is inside a tool's result
// is the tool's, and all inside a message of the program is the program's.
func author(word string, before Who) Who {
	word = strings.ToLower(word)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
	}
	switch {
	case word == "", before == ByTool, before == bySystem:
		return before
	case has("system", "developer", "session_meta", "turn_context", "queue-operation", "hook", "permission"):
		return bySystem
	case has("tool", "function", "_call", "exec_", "patch_", "mcp_", "web_search"):
		return ByTool
	case has("user"):
		return ByUser
	case has("assistant", "agent_", "gemini", "model", "reasoning", "thinking", "task_complete", "turn_complete"):
		return ByAgent
	}
	return before
}

// wordless are the names of values that are no texts.
var wordless = []string{
	"type", "role", "id", "uuid", "parentUuid", "parentId", "sessionId", "session_id", "messageId", "message_id",
	"callID", "callId", "call_id", "toolCallId", "tool_use_id", "requestId", "request_id", "turn_id", "thread_id",
	"cwd", "version", "gitBranch", "timestamp", "model", "slug", "status", "stop_reason", "stopReason", "phase",
	"signature", "thoughtSignature", "encrypted_content", "encryptedContent", "media_type", "mimeType",
	"base_instructions", "instructions", "usage", "usageMetadata", "tokens", "userType", "entrypoint", "subtype",
	"permissionMode", "snapshot", "internal_chat_message_metadata_passthrough",
}

// isContext reports whether a text was added to a prompt by the agent's program.
func isContext(text string) bool {
	return slices.ContainsFunc([]string{
		"<environment_context>", "<user_instructions>", "<session_context>", "<permissions instructions>",
		"# AGENTS.md instructions", "<system-reminder>", "<local-command-caveat>",
	}, func(begin string) bool { return strings.HasPrefix(text, begin) })
}

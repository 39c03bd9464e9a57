package stream

import (
	"encoding/json"
	"regexp"
	"strconv"
)

// readPi reads what "pi --mode json" prints. An answer that failed is followed by others where it is tried again.
type piLine struct {
	Type     string
	ID       string
	ToolName string
	Args     json.RawMessage
	IsError  bool
	Error    string `json:"errorMessage"`
	Event    struct {
		Type, Delta string
	} `json:"assistantMessageEvent"`
	Message struct {
		Role    string
		Content []struct{ Type, Text string }
		Model   string
		Stop    string `json:"stopReason"`
		Error   string `json:"errorMessage"`
		Usage   struct {
			Input, Output, CacheRead, CacheWrite, Reasoning int64
			Cost                                            struct{ Total float64 }
		}
	}
}

func readPi(r *Reader, line []byte) {
	var l piLine
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "session":
		r.about(l.ID, "")
	case "message_start":
		if l.Message.Role == "assistant" {
			r.begin("")
		}
	case "message_update":
		if l.Event.Type == "text_delta" {
			r.add(l.Event.Delta)
		}
	case "message_end":
		if l.Message.Role == "assistant" {
			piAnswer(r, &l)
		}
	case "tool_execution_start":
		r.tool(l.ToolName, brief(l.Args), "started")
	case "tool_execution_end":
		r.tool(l.ToolName, "", statusOf(l.IsError))
	case "auto_retry_start":
		r.end = nil
		r.retry(oneLine(l.Error))
	}
}

func piAnswer(r *Reader, l *piLine) {
	m := &l.Message
	r.about("", m.Model)
	u := m.Usage
	used := &Usage{
		Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning,
	}
	if u.Cost.Total > 0 {
		used.CostUSD = &u.Cost.Total
	}
	r.usedMore(used)
	switch m.Stop {
	case "error":
		r.fail(codeOf(statusIn(m.Error)), oneLine(m.Error), "")
	case "aborted":
		r.fail("", "the run was interrupted", StopInterrupt)
	case "toolUse":
		r.end = nil
	default:
		r.done(claudeStop(m.Stop))
	}
}

// status begins the text of an error.
var status = regexp.MustCompile(`^(?:Retry failed after \d+ attempts: )?(\d{3})\b`)

// statusIn is the HTTP status that an error begins with; 0 for none.
func statusIn(text string) int {
	at := status.FindStringSubmatch(text)
	if at == nil {
		return 0
	}
	n, _ := strconv.Atoi(at[1]) // three digits are a number
	return n
}

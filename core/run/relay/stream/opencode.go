package stream

import (
	"cmp"
	"encoding/json"
)

// openCode reads what "opencode run --format json" prints. It prints parts of messages once they
// are complete, and nowhere which model answered.
type openCode struct {
	r *Reader
	// refused is true while the last step ended with a tool that was not allowed.
	refused bool
}

func newOpenCode(r *Reader) parser { return (&openCode{r: r}).line }

type openCodeLine struct {
	Type    string
	Session string `json:"sessionID"`
	Error   struct {
		Name string
		Data struct {
			Message    string
			StatusCode int
		}
	}
	Part struct {
		Message      string `json:"messageID"`
		Text, Reason string
		Tool         string
		State        struct {
			Status, Error string
			Input         json.RawMessage
		}
		Tokens struct {
			Input, Output, Reasoning int64
			Cache                    struct{ Read, Write int64 }
		}
		Cost *float64
	}
}

func (o *openCode) line(line []byte) {
	var l openCodeLine
	if !decode(line, &l) {
		return
	}
	o.r.about(l.Session, "")
	part := &l.Part
	switch l.Type {
	case "text":
		o.r.piece(part.Message, part.Text)
	case "tool_use":
		failed := part.State.Status == "error"
		o.r.tool(part.Tool, brief(part.State.Input), statusOf(failed))
		if failed {
			o.refused = true
			o.r.warn("the tool " + part.Tool + " failed: " + oneLine(part.State.Error))
		}
	case "step_start":
		o.refused = false
	case "step_finish":
		t := part.Tokens
		o.r.usedMore(&Usage{
			Input: t.Input, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Output: t.Output + t.Reasoning,
			Reasoning: t.Reasoning, CostUSD: part.Cost,
		})
		switch {
		case part.Reason != "tool-calls":
			o.r.done(claudeStop(part.Reason))
		case o.refused:
			// The program ends where it had to ask, and there was no user to answer.
			o.r.done(StopTool)
		}
	case "error":
		o.r.fail(codeOf(l.Error.Data.StatusCode), cmp.Or(l.Error.Data.Message, l.Error.Name), "")
	}
}

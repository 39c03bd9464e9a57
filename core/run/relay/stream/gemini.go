package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// gemini reads the stream-json of Gemini CLI, and its json, which is one document over many lines.
type gemini struct {
	r     *Reader
	tools map[string]string
	// turn distinguishes the messages of the model, which have no ids: a tool ends one.
	turn []byte
	// stray are lines that are no events; without events they are the document.
	stray  []byte
	events bool
}

func newGemini(r *Reader) parser {
	g := &gemini{r: r, tools: map[string]string{}, turn: []byte("1")}
	r.atEnd = g.close
	return g.line
}

type geminiLine struct {
	Type, Role, Content, Status, Message, Severity, Model string
	Delta                                                 bool
	Session                                               string `json:"session_id"`
	ToolName                                              string `json:"tool_name"`
	ToolID                                                string `json:"tool_id"`
	Parameters                                            json.RawMessage
	Error                                                 struct{ Type, Message string }
	Stats                                                 geminiStats
}

type geminiStats struct {
	Total  int64 `json:"total_tokens"`
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Cached int64
	Models map[string]struct {
		Total int64 `json:"total_tokens"`
		// Tokens is the json format's field for Total.
		Tokens struct{ Prompt, Candidates, Total, Cached, Thoughts int64 }
	}
}

func (g *gemini) line(line []byte) {
	var l geminiLine
	if line[0] != '{' || !decode(line, &l) || l.Type == "" {
		if len(g.stray)+len(line) < MaxAnswer {
			g.stray = append(append(g.stray, line...), '\n')
		}
		return
	}
	g.events = true
	g.r.about(l.Session, l.Model)
	switch l.Type {
	case "message":
		switch {
		case l.Role != "assistant":
		case l.Delta:
			g.r.piece(string(g.turn), l.Content)
		default:
			g.r.whole(string(g.turn), l.Content)
		}
	case "tool_use":
		g.turn = append(g.turn, '1')
		g.tools[l.ToolID] = l.ToolName
		g.r.tool(l.ToolName, brief(l.Parameters), "started")
	case "tool_result":
		name := g.tools[l.ToolID]
		g.r.tool(name, "", statusOf(l.Status == "error"))
		if l.Status == "error" && slices.Contains([]string{"write_file", "replace", "run_shell_command"}, name) {
			g.r.warn("the tool " + name + " failed")
		}
	case "error":
		if text := cmp.Or(l.Message, l.Error.Message); l.Severity == "warning" {
			g.r.warn(text)
		} else {
			g.r.fail("", text, "")
		}
	case "result":
		g.usage(&l.Stats)
		if l.Status == "error" {
			g.r.fail("", l.Error.Message, "")
		} else {
			g.r.done(StopEnd)
		}
	}
}

// usage reads the sums, and the model that used most: another one may answer than was asked.
func (g *gemini) usage(s *geminiStats) {
	sum := Usage{Input: max(0, s.Input-s.Cached), CacheRead: s.Cached, Output: s.Output}
	if thoughts := s.Total - s.Input - s.Output; thoughts > 0 {
		sum.Output, sum.Reasoning = sum.Output+thoughts, thoughts
	}
	most, model := int64(0), ""
	for _, name := range slices.Sorted(maps.Keys(s.Models)) {
		one := s.Models[name]
		if t := one.Tokens; t.Total > 0 {
			sum.Add(&Usage{
				Input: max(0, t.Prompt-t.Cached), CacheRead: t.Cached, Output: t.Candidates + t.Thoughts,
				Reasoning: t.Thoughts,
			})
		}
		if total := max(one.Total, one.Tokens.Total); total > most {
			most, model = total, name
		}
	}
	g.r.about("", model)
	if sum.Total() > 0 {
		g.r.used(&sum)
	}
}

func (g *gemini) close() {
	start := bytes.IndexByte(g.stray, '{')
	if g.events || start < 0 {
		return
	}
	var document struct {
		Session  string `json:"session_id"`
		Response *string
		Error    struct{ Message string }
		Stats    geminiStats
	}
	if !decode(g.stray[start:], &document) {
		return
	}
	g.r.about(document.Session, "")
	g.usage(&document.Stats)
	switch {
	case document.Error.Message != "":
		g.r.fail("", document.Error.Message, "")
	case document.Response != nil:
		g.r.result(*document.Response)
		g.r.done(StopEnd)
	}
}

package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// readOllama reads the NDJSON of Ollama's /api/chat.
func readOllama(r *Reader, line []byte) {
	var l struct {
		Model   string
		Error   string
		Message struct{ Content string }
		Done    bool
		Reason  string `json:"done_reason"`
		Input   int64  `json:"prompt_eval_count"`
		Output  int64  `json:"eval_count"`
	}
	if !decode(line, &l) {
		return
	}
	if l.Error != "" {
		r.fail("", "Stream error: "+l.Error, "")
		return
	}
	r.about("", l.Model)
	r.add(l.Message.Content)
	if l.Done {
		if l.Input+l.Output > 0 {
			r.used(&Usage{Input: l.Input, Output: l.Output})
		}
		r.done(claudeStop(l.Reason))
	}
}

// openAI reads the server-sent events of the OpenAI API for chats. Fields other than data say
// nothing about the answer.
type openAI struct {
	r    *Reader
	stop StopReason
}

func newOpenAI(r *Reader) parser {
	o := &openAI{r: r}
	r.atEnd = o.close
	return o.line
}

func (o *openAI) line(line []byte) {
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	if !isData {
		// Some servers answer an error without the frame of an event.
		if line[0] == '{' {
			o.chunk(line)
		}
		return
	}
	if data = bytes.TrimSpace(data); string(data) == "[DONE]" {
		if o.r.end == nil {
			o.r.done(cmp.Or(o.stop, StopEnd))
		}
		return
	}
	o.chunk(data)
}

func (o *openAI) chunk(data []byte) {
	var l struct {
		Model   string
		Error   json.RawMessage
		Choices []struct {
			Index int
			Delta struct{ Content, Refusal string }
			// Message is the whole answer of a server that does not stream.
			Message struct{ Content, Refusal string }
			Finish  string `json:"finish_reason"`
		}
		Usage *struct {
			Input   int64 `json:"prompt_tokens"`
			Output  int64 `json:"completion_tokens"`
			Details struct {
				Cached int64 `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
			OutputDetails struct {
				Reasoning int64 `json:"reasoning_tokens"`
			} `json:"completion_tokens_details"`
		}
	}
	if !decode(data, &l) {
		return
	}
	if len(l.Error) > 0 && string(l.Error) != "null" {
		compact := &bytes.Buffer{}
		if json.Compact(compact, l.Error) != nil {
			compact.Write(l.Error)
		}
		o.r.fail("", "Stream error: "+compact.String(), "")
		return
	}
	o.r.about("", l.Model)
	for _, choice := range l.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, text := range []string{
			choice.Delta.Content, choice.Delta.Refusal, choice.Message.Content, choice.Message.Refusal,
		} {
			o.r.add(text)
		}
		if choice.Delta.Refusal+choice.Message.Refusal != "" {
			o.stop = StopRefusal
		}
		if choice.Finish != "" && o.stop == "" {
			o.stop = claudeStop(choice.Finish)
		}
	}
	if u := l.Usage; u != nil {
		o.r.used(&Usage{
			Input: max(0, u.Input-u.Details.Cached), CacheRead: u.Details.Cached, Output: u.Output,
			Reasoning: u.OutputDetails.Reasoning,
		})
	}
}

// close takes a reason to finish as the end where the mark of the end is missing.
func (o *openAI) close() {
	if o.r.end == nil && o.stop != "" {
		o.r.done(o.stop)
	}
}

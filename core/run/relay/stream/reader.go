package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"cupola/core"
)

// Format names what a program or an API prints.
type Format string

// Plain is the format of programs that print the answer and nothing else.
const Plain Format = "text"

// Protocol is the format of the events of core/agent/acp, one a line.
const Protocol Format = "acp"

// maxLine is the longest line that is read, in bytes.
const maxLine = 32 << 20

// MaxAnswer is the longest message that is read, in bytes: more than any model answers at once.
const MaxAnswer = 4 << 20

// parser reads one line of a format, without its end. It acts on the reader that it was made for.
type parser func(line []byte)

// formats makes the parser of each format.
var formats = map[Format]func(*Reader) parser{
	"claude":   newClaude,
	"qwen":     newQwen,
	"codex":    stateless(readCodex),
	"gemini":   newGemini,
	"opencode": newOpenCode,
	"copilot":  newCopilot,
	"pi":       stateless(readPi),
	"ollama":   stateless(readOllama),
	"openai":   newOpenAI,
	Protocol:   newProtocol,
	Plain:      nil,
}

// stateless makes the parser of a format whose lines are read one by one.
func stateless(read func(r *Reader, line []byte)) func(*Reader) parser {
	return func(r *Reader) parser { return func(line []byte) { read(r, line) } }
}

// Formats lists the formats by name.
func Formats() []string {
	return core.Map(slices.Sorted(maps.Keys(formats)), func(format Format) string { return string(format) })
}

// Reader makes events of what a backend prints. It is not safe for several goroutines at once.
type Reader struct {
	parser parser // nil for Plain
	atEnd  func() // is called once the output has ended; nil for formats that need it not
	rest   []byte // a line, or with Plain a character, that is not complete
	drop   bool   // the rest of a line that is too long is passed over

	events []Event
	// message is the model's last message; sent is how many messages had text.
	message message
	sent    int
	cut     bool // text beyond MaxAnswer was left out

	model, session string
	usage          *Usage
	end            *Event // Done or Failed as the output says; nil until it does
}

// message is one message of the model.
type message struct {
	id   string
	text strings.Builder
	// confirmed is how much of the text blocks have repeated; only the rest of it can be what
	// the next block repeats.
	confirmed int
	number    int
}

// New returns a reader of a format, and an error for one that is not known.
func New(format Format) (*Reader, error) {
	newParser, known := formats[format]
	if !known {
		return nil, fmt.Errorf("format %q is none of %s", format, strings.Join(Formats(), ", "))
	}
	r := &Reader{}
	if newParser != nil {
		r.parser = newParser(r)
	}
	return r, nil
}

// Write reads what was printed next, and returns the events that it completes.
func (r *Reader) Write(printed []byte) []Event {
	if r.parser == nil {
		r.plain(printed)
		return r.take()
	}
	for {
		line, after, whole := bytes.Cut(printed, []byte{'\n'})
		if !whole {
			break
		}
		printed = after
		if len(r.rest) > 0 {
			line = append(r.rest, line...)
			r.rest = nil
		}
		switch {
		case r.drop:
		case len(line) > maxLine:
			r.tooLong()
		default:
			r.read(line)
		}
		r.drop = false
	}
	switch {
	case r.drop:
	case len(r.rest)+len(printed) > maxLine:
		r.rest, r.drop = nil, true
		r.tooLong()
	default:
		r.rest = append(r.rest, printed...)
	}
	return r.take()
}

// Close reads what is left once the output has ended, and returns the last events.
func (r *Reader) Close(end End) []Event {
	switch {
	case r.parser == nil:
		r.add(valid(r.rest))
	case len(r.rest) > 0 && !r.drop:
		r.read(r.rest)
	}
	r.rest = nil
	if r.atEnd != nil {
		r.atEnd()
	}
	r.events = append(r.events, r.last(end))
	return r.take()
}

// Answer is the last message of the model that has a text, as far as it came.
func (r *Reader) Answer() string {
	if r.parser == nil {
		return strings.TrimSpace(r.message.text.String())
	}
	return r.message.text.String()
}

// Overlong reports whether a message was longer than MaxAnswer, and is not whole.
func (r *Reader) Overlong() bool { return r.cut }

// Usage returns the usage; nil where the backend did not report it.
func (r *Reader) Usage() *Usage { return r.usage }

func (r *Reader) tooLong() { r.warn("a line of more than 32 MiB was left out") }

func (r *Reader) read(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		r.parser(line)
	}
}

// plain passes text on, but for a character that is not complete.
func (r *Reader) plain(printed []byte) {
	text := slices.Concat(r.rest, printed)
	whole := len(text)
	for back := 1; back <= min(utf8.UTFMax-1, len(text)); back++ {
		if b := text[len(text)-back]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-back:]) {
				whole = len(text) - back
			}
			break
		}
	}
	r.add(valid(text[:whole]))
	r.rest = text[whole:]
}

// valid replaces each byte that is not UTF-8.
func valid(text []byte) string { return string([]rune(string(text))) }

func (r *Reader) take() []Event {
	events := r.events
	r.events = nil
	return events
}

// last is the event that ends the stream.
func (r *Reader) last(end End) Event {
	last := Event{Type: Failed, Model: r.model, Session: r.session, Usage: r.usage}
	if r.end != nil {
		last.Type, last.Text, last.Code, last.Stop = r.end.Type, r.end.Text, r.end.Code, r.end.Stop
	}
	switch {
	case last.Type == Failed && r.end != nil:
	case end.Signal != "" || end.Exit > 0:
		// What the program said is in its standard error and its status.
		last.Type = Failed
	case r.end == nil && r.parser != nil && (r.sent > 0 || end.Exit < 0):
		last.Text, last.Code = "Stream ended unexpectedly", core.BackendFailed
	case strings.TrimSpace(r.message.text.String()) == "":
		last.Type = Failed
	default:
		last.Type = Done
	}
	return last
}

// about notes the model and the conversation; empty values say nothing.
func (r *Reader) about(session, model string) {
	if (session == "" || session == r.session) && (model == "" || model == r.model) {
		return
	}
	if session != "" {
		r.session = session
	}
	if model != "" {
		r.model = model
	}
	r.events = append(r.events, Event{Type: Started, Model: r.model, Session: r.session})
}

// begin makes the message with an id the one that text is added to. Text of an earlier message is
// the answer until this one has some.
func (r *Reader) begin(id string) {
	if id == r.message.id && id != "" {
		return
	}
	if r.message.text.Len() > 0 {
		r.message = message{}
	}
	r.message.id = id
}

// piece takes the next piece of the message with an id.
func (r *Reader) piece(id, text string) {
	if text != "" {
		r.begin(id)
		r.add(text)
	}
}

// add adds a piece to the text of the message.
func (r *Reader) add(piece string) {
	if piece == "" {
		return
	}
	if room := MaxAnswer - r.message.text.Len(); len(piece) > room {
		if !r.cut {
			r.warn("a message is longer than 4 MiB: the rest was left out")
		}
		r.cut = true
		piece = strings.ToValidUTF8(piece[:room], "")
		if piece == "" {
			return
		}
	}
	if r.message.number == 0 {
		r.sent++
		r.message.number = r.sent
	}
	r.message.text.WriteString(piece)
	r.events = append(r.events, Event{Type: Text, Text: piece, Message: r.message.number})
}

// block takes a part of a message that is complete, after any pieces of it.
func (r *Reader) block(id, text string) {
	if text == "" {
		return
	}
	r.begin(id)
	open := r.message.text.String()[r.message.confirmed:]
	switch {
	case strings.HasPrefix(open, text):
		r.message.confirmed += len(text)
		return
	case strings.HasPrefix(text, open):
		r.add(text[len(open):])
	default:
		r.add(text)
	}
	r.message.confirmed = r.message.text.Len()
}

// whole takes a message from its beginning, after any pieces of it.
func (r *Reader) whole(id, text string) {
	if text == "" {
		return
	}
	r.begin(id)
	had := r.message.text.String()
	rest, more := strings.CutPrefix(text, had)
	if !more {
		r.message = message{id: id}
		rest = text
	}
	r.add(rest)
}

// result takes the whole answer, which may have come before, in full or in part.
func (r *Reader) result(text string) {
	had := r.message.text.String()
	switch {
	case strings.TrimSpace(text) == "", text == had, strings.TrimSpace(had) == strings.TrimSpace(text):
	case had != "" && strings.HasPrefix(text, had):
		r.add(text[len(had):])
	default:
		r.begin("")
		r.add(text)
	}
}

// tool reports a tool that the model uses.
func (r *Reader) tool(name, text, status string) {
	r.events = append(r.events, Event{Type: Tool, Tool: name, Text: text, Status: status})
}

func (r *Reader) retry(text string) { r.retryFor("", text) }

// retryFor is retry with the code of why a try failed; empty where that is not known.
func (r *Reader) retryFor(code core.Code, text string) {
	r.events = append(r.events, Event{Type: Retrying, Code: code, Text: text})
}

func (r *Reader) warn(text string) {
	r.events = append(r.events, Event{Type: Warning, Text: text})
}

// used reports what the whole run has used until now.
func (r *Reader) used(usage *Usage) {
	r.usage = usage
	copied := *usage
	r.events = append(r.events, Event{Type: Used, Usage: &copied})
}

// usedMore adds what a part of the run used.
func (r *Reader) usedMore(part *Usage) {
	sum := Usage{}
	if r.usage != nil {
		sum = *r.usage
	}
	sum.Add(part)
	r.used(&sum)
}

// done notes that the output says that the answer is complete.
func (r *Reader) done(stop StopReason) {
	if r.end == nil || r.end.Type != Failed {
		r.end = &Event{Type: Done, Stop: stop}
	}
}

// fail notes that the output says that the run failed. An empty code is not known.
func (r *Reader) fail(code core.Code, text string, stop StopReason) {
	r.end = &Event{Type: Failed, Code: code, Text: strings.TrimSpace(text), Stop: stop}
}

// codeOf is the code of a failure for which an HTTP server's status is known; empty for others.
func codeOf(status int) core.Code {
	switch status {
	case 401, 403:
		return core.AuthFailed
	case 402:
		return core.BudgetExceeded
	case 429:
		return core.RateLimited
	}
	return ""
}

// decode reads JSON leniently: fields of another type than expected stay empty.
func decode(line []byte, into any) bool {
	err := json.Unmarshal(line, into)
	if err == nil {
		return true
	}
	_, wrong := err.(*json.UnmarshalTypeError) //nolint:errorlint // Unmarshal returns it unwrapped
	return wrong
}

// brief is the first string of a tool's input that says what it is about, on one line.
func brief(input json.RawMessage) string {
	var fields map[string]any
	if !decode(input, &fields) {
		return ""
	}
	for _, key := range []string{
		"command", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt", "name",
	} {
		if text, ok := fields[key].(string); ok && text != "" {
			return oneLine(text)
		}
	}
	return ""
}

// oneLine shortens a text to one line of 200 characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:199]) + "…"
	}
	return text
}

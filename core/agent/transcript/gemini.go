package transcript

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// geminiAnswer is the type of what the model says.
const geminiAnswer = "gemini"

// geminiReader reads Gemini's lines: a header, messages, and changes to the whole. A
// message replaces an earlier one with the same id.
type geminiReader struct {
	reading
}

type geminiLine struct {
	SessionID string          `json:"sessionId"`
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Tokens    *struct {
		Total int `json:"total"`
	} `json:"tokens"`
	ToolCalls []geminiTool      `json:"toolCalls"`
	Messages  []json.RawMessage `json:"messages"`
	Set       struct {
		Messages []json.RawMessage `json:"messages"`
	} `json:"$set"`
}

type geminiTool struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Status string          `json:"status"`
	Shown  json.RawMessage `json:"resultDisplay"`
}

func (s *geminiReader) line(text []byte) {
	var line geminiLine
	if json.Unmarshal(text, &line) != nil {
		return
	}
	s.result.Session = cmp.Or(line.SessionID, s.result.Session)
	for _, message := range append(line.Messages, line.Set.Messages...) {
		var inner geminiLine
		if json.Unmarshal(message, &inner) == nil {
			s.message(&inner)
		}
	}
	s.message(&line)
}

func (s *geminiReader) message(line *geminiLine) {
	turn := &s.result.Turn
	switch line.Type {
	case "user":
		for _, p := range parts(line.Content) {
			if p.Response != nil {
				turn.answer(p.Response.ID, textOf(p.Response.Response), false)
			}
		}
		if prompt := partsText(line.Content); prompt != "" && !strings.HasPrefix(prompt, "<session_context>") {
			s.result.begin(prompt, moment(line.Timestamp))
			s.started = true
		}
	case geminiAnswer:
		s.answer(line)
	case "info":
		if text := textOf(line.Content); strings.HasPrefix(text, "Request cancelled") {
			turn.Interrupted, turn.Complete = true, false
		}
	case "error":
		turn.Failed, turn.Complete = textOf(line.Content), false
	}
}

func (s *geminiReader) answer(line *geminiLine) {
	turn := &s.result.Turn
	turn.say(partsText(line.Content), moment(line.Timestamp))
	for _, call := range line.ToolCalls {
		turn.call(call.ID, call.Name, call.Args)
		if call.Status == "success" || call.Status == "error" || call.Status == "cancelled" {
			turn.answer(call.ID, cmp.Or(textOf(call.Shown), partsText(call.Result)), call.Status != "success")
		}
	}
	turn.Complete = turn.callParts(parts(line.Content)) == 0 && len(line.ToolCalls) == 0 && turn.Message != ""
	s.result.Model = cmp.Or(line.Model, s.result.Model)
	if line.Tokens != nil && line.Tokens.Total > 0 {
		s.result.Usage.Tokens = line.Tokens.Total
	}
}

// part is a piece of a message as Google's models have them.
type part struct {
	Text     string `json:"text"`
	Thought  bool   `json:"thought"`
	Call     *call  `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// callParts adds the tool calls among the pieces of a message and returns how many there are.
func (t *Turn) callParts(pieces []part) (calls int) {
	for _, p := range pieces {
		if p.Call != nil {
			calls++
			t.call(p.Call.ID, p.Call.Name, p.Call.Args)
		}
	}
	return calls
}

type call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// parts reads a string, or a list of parts.
func parts(raw json.RawMessage) []part {
	return pieces(raw, func(text string) part { return part{Text: text} })
}

// partsText returns the text of parts, without the context that the program adds.
func partsText(raw json.RawMessage) string {
	var texts []string
	for _, p := range parts(raw) {
		if p.Text != "" && !p.Thought && !strings.HasPrefix(p.Text, "<session_context>") {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// geminiHeading is the line that says whose a record is. Gemini reads it from any place in the record.
type geminiHeading struct {
	SessionID string `json:"sessionId"`
	Project   string `json:"projectHash"`
	StartTime string `json:"startTime"`
	Kind      string `json:"kind"`
}

// lostHeading finds the heading of a record below its first line.
func lostHeading(path string) (heading geminiHeading) {
	_ = fromEnd(path, time.Time{}, func(text []byte) bool {
		for line := range bytes.Lines(text) {
			if bytes.Contains(line, []byte(`"projectHash"`)) && json.Unmarshal(line, &heading) == nil {
				return true
			}
		}
		return false
	})
	return heading
}

// geminiTidy removes the records that Gemini makes when a session is resumed, which are empty until the first prompt,
// and gives records a heading. A Gemini that starts deletes those of sessions without messages, also while
// their agents run. These then continue in a record without a heading, which Gemini can neither resume nor leave alone.
func geminiTidy(place *Subject) error {
	of := map[string][]string{}
	for _, record := range geminiRecords(place) {
		name := stem(record)
		session := name[strings.LastIndexByte(name, '-')+1:]
		of[session] = append(of[session], record)
	}
	places := []*Subject{place}
	if place.Peers != nil {
		places = append(places, place.Peers()...)
	}
	var failed error
	for _, records := range of {
		silent := slices.DeleteFunc(slices.Clone(records), func(record string) bool {
			return len(promptsOf(record, always, readerOf[geminiReader])) > 0
		})
		for _, record := range records {
			if !slices.Contains(silent, record) {
				failed = errors.Join(failed, restoreHeading(record, places))
			}
		}
		if len(silent) == len(records) {
			continue
		}
		for _, record := range silent {
			failed = errors.Join(failed, os.Remove(record))
		}
	}
	return failed
}

// restoreHeading appends the heading that a record lacks, if the session of one of the agents may be the record's.
func restoreHeading(path string, places []*Subject) error {
	var first geminiLine
	if !firstLine(path, &first) || first.SessionID != "" || geminiHead(path).Session != "" {
		return nil
	}
	for _, place := range places {
		session := place.idOf(path)
		if session == "" {
			continue
		}
		line, err := json.Marshal(geminiHeading{
			SessionID: session, Project: fmt.Sprintf("%x", sha256.Sum256([]byte(place.Dir))),
			StartTime: first.Timestamp, Kind: "main",
		})
		if err != nil {
			return err
		}
		// The agent appends to the record, too.
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(append(line, '\n'))
		return errors.Join(err, file.Close())
	}
	return nil
}

package usage

import (
	"bytes"
	"cmp"

	"cupola/core/record/store"
)

// copilotMeter reads the events of a Copilot session. What Copilot calls a cost is
// a number of premium requests and no money.
type copilotMeter struct {
	Session, Folder string
}

type copilotLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Data      struct {
		SessionID string `json:"sessionId"`
		Context   struct {
			Cwd string `json:"cwd"`
		} `json:"context"`
		Usage *struct {
			Model  string `json:"model"`
			Input  int64  `json:"inputTokens"`
			Output int64  `json:"outputTokens"`
			Read   int64  `json:"cacheReadTokens"`
			Write  int64  `json:"cacheWriteTokens"`
			CallID string `json:"apiCallId"`
		} `json:"usage"`
	} `json:"data"`
}

func (m *copilotMeter) line(text []byte, out *reading) {
	if !bytes.Contains(text, []byte(`"session.start"`)) && !bytes.Contains(text, []byte(`"session.usage_record"`)) {
		return
	}
	var line copilotLine
	if !into(text, &line) {
		return
	}
	d := &line.Data
	switch {
	case line.Type == "session.start" && m.Session == "":
		m.Session, m.Folder = d.SessionID, d.Context.Cwd
	case line.Type == "session.usage_record" && d.Usage != nil:
		u := d.Usage
		out.add(cmp.Or(u.CallID, line.ID), moment(line.Timestamp), u.Model, store.UsageTokens{
			Input: fresh(u.Input, u.Read+u.Write), CacheRead: u.Read, CacheWrite: u.Write, Output: u.Output,
		}, nil)
	}
	out.session, out.folder = m.Session, m.Folder
}

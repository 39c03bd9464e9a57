package usage

import (
	"bytes"

	"cupola/core/record/store"
)

// piMeter reads pi's lines. An answer, a compaction and other requests each say what they used, and what that cost.
type piMeter struct {
	Session, Folder string
}

type piUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`
	Cost       struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

type piLine struct {
	Type      string   `json:"type"`
	ID        string   `json:"id"`
	Cwd       string   `json:"cwd"`
	Timestamp string   `json:"timestamp"`
	Model     string   `json:"model"`
	Usage     *piUsage `json:"usage"`
	Message   struct {
		Role  string   `json:"role"`
		Model string   `json:"model"`
		Usage *piUsage `json:"usage"`
	} `json:"message"`
}

func (m *piMeter) line(text []byte, out *reading) {
	if !bytes.Contains(text, []byte(`"usage"`)) && m.Session != "" {
		return
	}
	var line piLine
	if !into(text, &line) {
		return
	}
	if line.Type == "session" && m.Session == "" {
		m.Session, m.Folder = line.ID, line.Cwd
	}
	out.session, out.folder = m.Session, m.Folder
	used, model := line.Usage, line.Model
	if line.Message.Role == "assistant" {
		used, model = line.Message.Usage, line.Message.Model
	}
	if used == nil {
		return
	}
	// A line's id is unique only within its session; a forked session repeats the lines of its parent.
	out.add(line.Timestamp+" "+line.ID, moment(line.Timestamp), model, store.UsageTokens{
		Input: used.Input, CacheRead: used.CacheRead, CacheWrite: used.CacheWrite, Output: used.Output,
		Reasoning: used.Reasoning,
	}, dollars(used.Cost.Total))
}

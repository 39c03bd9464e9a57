package usage

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"cupola/core/record/store"
)

// codexMeter reads the lines of a Codex rollout. Newer ones have a record of each response; older ones repeat counts,
// and their totals show which are repeated.
type codexMeter struct {
	Session, Folder, Model string
	// Root is the session of the agent that it works for; empty in older rollouts.
	Root string
	// Total is the last cumulative count.
	Total int64
	// Records is true once a record of a response was seen.
	Records bool
}

type codexLine struct {
	Timestamp string `json:"timestamp"`
	Type      string `json:"type"`
	Payload   struct {
		Type       string       `json:"type"`
		ID         string       `json:"id"`
		Root       string       `json:"session_id"`
		Cwd        string       `json:"cwd"`
		Model      string       `json:"model"`
		ResponseID string       `json:"response_id"`
		Usage      *codexTokens `json:"usage"`
		Info       *struct {
			Total codexTokens  `json:"total_token_usage"`
			Last  *codexTokens `json:"last_token_usage"`
		} `json:"info"`
		Limits *codexLimits `json:"rate_limits"`
	} `json:"payload"`
}

type codexTokens struct {
	Input     int64 `json:"input_tokens"`
	Cached    int64 `json:"cached_input_tokens"`
	Written   int64 `json:"cache_write_input_tokens"`
	Output    int64 `json:"output_tokens"`
	Reasoning int64 `json:"reasoning_output_tokens"`
	Total     int64 `json:"total_tokens"`
}

type codexLimits struct {
	Name      string       `json:"limit_id"`
	Reached   string       `json:"rate_limit_reached_type"`
	Primary   *codexWindow `json:"primary"`
	Secondary *codexWindow `json:"secondary"`
}

type codexWindow struct {
	Used    float64 `json:"used_percent"`
	Minutes int64   `json:"window_minutes"`
	// Resets is Unix seconds; older rollouts count from the line on.
	Resets   int64 `json:"resets_at"`
	ResetsIn int64 `json:"resets_in_seconds"`
}

var codexMarks = [][]byte{
	[]byte(`"session_meta"`), []byte(`"turn_context"`), []byte(`"token_count"`),
	[]byte(`"token_usage_record"`),
}

func (m *codexMeter) line(text []byte, out *reading) {
	telling := false
	for _, mark := range codexMarks {
		telling = telling || bytes.Contains(text, mark)
	}
	var line codexLine
	if !telling || !into(text, &line) {
		return
	}
	p := &line.Payload
	switch {
	case line.Type == "session_meta" && m.Session == "":
		m.Session, m.Folder, m.Root = p.ID, p.Cwd, p.Root
	case line.Type == "turn_context" && p.Model != "":
		m.Model = p.Model
	case line.Type == "token_usage_record" && p.Usage != nil:
		m.Records = true
		out.add(p.ResponseID, moment(line.Timestamp), m.Model, p.Usage.tokens(), nil)
	case line.Type == "event_msg" && p.Type == "token_count":
		m.count(&line, out)
	}
	out.session, out.folder = cmp.Or(m.Root, m.Session), m.Folder
}

func (m *codexMeter) count(line *codexLine, out *reading) {
	at := moment(line.Timestamp)
	if limits := line.Payload.Limits; limits != nil {
		limits.note(at, out)
	}
	info := line.Payload.Info
	if info == nil || m.Records || info.Total.Total == m.Total && m.Total > 0 {
		return
	}
	m.Total = info.Total.Total
	used := info.Total
	if info.Last != nil {
		used = *info.Last
	}
	out.add(fmt.Sprintf("%s %d %s", m.Session, info.Total.Total, line.Timestamp), at, m.Model, used.tokens(), nil)
}

func (t *codexTokens) tokens() store.UsageTokens {
	return store.UsageTokens{
		Input: fresh(t.Input, t.Cached+t.Written), CacheRead: t.Cached, CacheWrite: t.Written, Output: t.Output,
		Reasoning: t.Reasoning,
	}
}

func (l *codexLimits) note(at time.Time, out *reading) {
	name := cmp.Or(l.Name, "codex")
	for _, w := range []struct {
		which string
		*codexWindow
	}{{"primary", l.Primary}, {"secondary", l.Secondary}} {
		if w.codexWindow == nil || at.IsZero() || w.Minutes < 0 || w.Minutes > 1<<20 {
			continue
		}
		limit := store.UsageLimit{
			Name: name + "/" + w.which, Used: w.Used,
			Window: time.Duration(w.Minutes) * time.Minute, SeenAt: at, Message: l.Reached,
		}
		switch {
		case w.Resets > 0 && w.Resets < 1<<40:
			limit.ResetsAt = time.Unix(w.Resets, 0).UTC()
		case w.ResetsIn > 0 && w.ResetsIn < 1<<30:
			limit.ResetsAt = at.Add(time.Duration(w.ResetsIn) * time.Second)
		}
		out.limits = append(out.limits, limit)
	}
}

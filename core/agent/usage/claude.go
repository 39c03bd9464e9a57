package usage

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"cupola/core/record/store"
)

// claudeMeter reads Claude Code's lines, those of sub-agents too. A request is
// written as several lines, and the last of them counts.
type claudeMeter struct {
	// Session and Folder are known, At is when the last line was written.
	Session, Folder string
	At              time.Time
}

type claudeLine struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Timestamp string `json:"timestamp"`
	RequestID string `json:"requestId"`
	UUID      string `json:"uuid"`
	APIError  bool   `json:"isApiErrorMessage"`
	Error     string `json:"error"`
	Message   struct {
		ID      string        `json:"id"`
		Model   string        `json:"model"`
		Usage   *claudeTokens `json:"usage"`
		Content claudeText    `json:"content"`
	} `json:"message"`
	CostUSD    float64                    `json:"costUSD"`
	ModelUsage map[string]claudeModelCost `json:"modelUsage"`
}

type claudeTokens struct {
	Input   int64 `json:"input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
	Creation struct {
		Long int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

type claudeModelCost struct {
	Input   int64   `json:"inputTokens"`
	Output  int64   `json:"outputTokens"`
	Read    int64   `json:"cacheReadInputTokens"`
	Created int64   `json:"cacheCreationInputTokens"`
	Long    int64   `json:"cacheCreationEphemeral1hInputTokens"`
	Cost    float64 `json:"costUSD"`
}

// madeUp is the model of messages that no model wrote.
const madeUp = "<synthetic>"

func (m *claudeMeter) line(text []byte, out *reading) {
	counts := bytes.Contains(text, []byte(`"usage"`)) || bytes.Contains(text, []byte(`"cost-state"`)) ||
		bytes.Contains(text, []byte(`"isApiErrorMessage"`))
	if !counts && m.Session != "" && m.Folder != "" {
		return
	}
	var line claudeLine
	if !into(text, &line) {
		return
	}
	m.Session = cmp.Or(m.Session, line.SessionID)
	m.Folder = cmp.Or(m.Folder, line.Cwd)
	out.session, out.folder = m.Session, m.Folder
	at := moment(line.Timestamp)
	if at.After(m.At) {
		m.At = at
	}
	switch {
	case line.Type == "cost-state":
		m.costs(&line, out)
	case line.APIError:
		if line.Error == "rate_limit" {
			out.limits = append(out.limits,
				store.UsageLimit{Name: "reached", Used: -1, SeenAt: at, Message: line.Message.Content.first()})
		}
	case line.Type == "assistant" && line.Message.Usage != nil && line.Message.Model != madeUp:
		m.request(&line, at, out)
	}
}

func (m *claudeMeter) request(line *claudeLine, at time.Time, out *reading) {
	// Gateways give every request one id, or none; a message has one id and one
	// request.
	u, id := line.Message.Usage, line.RequestID+" "+line.Message.ID
	if id == " " {
		id = line.UUID
	}
	out.add(id, at, claudeModel(line.Message.Model), store.UsageTokens{
		Input: u.Input, CacheRead: u.Read, CacheWrite: fresh(u.Created, u.Creation.Long), CacheLong: u.Creation.Long,
		Output: u.Output, Reasoning: u.Details.Thinking,
	}, dollars(line.CostUSD))
}

// costs takes in what the session has cost until now.
func (m *claudeMeter) costs(line *claudeLine, out *reading) {
	for model, c := range line.ModelUsage {
		if dollars(c.Cost) == nil || m.At.IsZero() {
			continue
		}
		out.costs = append(out.costs, store.UsageCost{
			Model: claudeModel(model), Until: m.At, Cost: c.Cost,
			UsageTokens: store.UsageTokens{
				Input: c.Input, CacheRead: c.Read, CacheWrite: fresh(c.Created, c.Long), CacheLong: c.Long,
				Output: c.Output,
			},
		})
	}
}

// claudeModel is a model without the size of its window.
func claudeModel(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// claudeText is the content of a message; it keeps only the first text.
type claudeText []byte

// UnmarshalJSON keeps what may hold a short text, and nothing long.
func (t *claudeText) UnmarshalJSON(data []byte) error {
	const most = 4 << 10
	if len(data) <= most {
		*t = bytes.Clone(data)
	}
	return nil
}

func (t claudeText) first() string {
	var blocks []struct {
		Text string `json:"text"`
	}
	if into(t, &blocks) && len(blocks) > 0 {
		return blocks[0].Text
	}
	var text string
	if into(t, &text) {
		return text
	}
	return ""
}

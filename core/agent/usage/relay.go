package usage

import (
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// Relays is the kind under which relays are counted whose backend keeps no transcript.
const Relays core.Kind = "relay"

// relayMeter reads what Cupola itself records of relays: a line for each.
type relayMeter struct{}

type relayLine struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Model  string    `json:"model"`
	Input  int64     `json:"input_tokens"`
	Read   int64     `json:"cache_read_tokens"`
	Write  int64     `json:"cache_write_tokens"`
	Output int64     `json:"output_tokens"`
	Think  int64     `json:"reasoning_tokens"`
	Cost   *float64  `json:"cost_usd"`
}

func (*relayMeter) line(text []byte, out *reading) {
	var line relayLine
	if !into(text, &line) {
		return
	}
	cost := line.Cost
	if cost != nil && *cost < 0 {
		cost = nil
	}
	out.add(line.ID, line.At, line.Model, store.UsageTokens{
		Input: line.Input, CacheRead: line.Read, CacheWrite: line.Write, Output: line.Output, Reasoning: line.Think,
	}, cost)
	out.folder = "relays"
}

package usage

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/record/store"
)

// meter reads a transcript line by line. Its exported fields are all the state that it needs to continue where it
// stopped.
type meter interface {
	line(text []byte, out *reading)
}

// reading is the result of a meter since it was last emptied.
type reading struct {
	kind     core.Kind
	session  string
	folder   string
	requests []store.UsageRequest
	costs    []store.UsageCost
	limits   []store.UsageLimit
}

// meters make a fresh meter for transcripts of lines; nil is for a database.
var meters = map[agent.Format]func() meter{
	agent.FormatClaude:   func() meter { return &claudeMeter{} },
	agent.FormatCodex:    func() meter { return &codexMeter{} },
	agent.FormatGemini:   func() meter { return &geminiMeter{} },
	agent.FormatQwen:     func() meter { return &qwenMeter{} },
	agent.FormatCopilot:  func() meter { return &copilotMeter{} },
	agent.FormatOpenCode: nil,
	agent.FormatPi:       func() meter { return &piMeter{} },
}

// meterOf returns how the usage of a kind is read; ok is false for kinds without usage.
func meterOf(kind core.Kind) (newMeter func() meter, ok bool) {
	if kind == Relays {
		return func() meter { return &relayMeter{} }, true
	}
	newMeter, ok = meters[agent.NativeOf(kind).Records]
	return newMeter, ok
}

// counted reports whether the usage of a kind is read.
func counted(kind core.Kind) bool {
	_, ok := meterOf(kind)
	return ok
}

// isDatabase reports whether a kind keeps a database.
func isDatabase(kind core.Kind) bool {
	newMeter, ok := meterOf(kind)
	return ok && newMeter == nil
}

// add counts a request that the agent calls by an id, with its cost, nil if it is not on record. One without tokens is
// none.
func (r *reading) add(id string, at time.Time, model string, tokens store.UsageTokens, cost *float64) {
	if id == "" || tokens == (store.UsageTokens{}) || at.IsZero() {
		return
	}
	for _, n := range []int64{
		tokens.Input, tokens.CacheRead, tokens.CacheWrite, tokens.CacheLong, tokens.Output,
		tokens.Reasoning,
	} {
		if n < 0 || n > mostTokens {
			return
		}
	}
	r.requests = append(r.requests, store.UsageRequest{
		Key: key(r.kind, id), At: at, Model: model, UsageTokens: tokens, Cost: cost,
	})
}

// mostTokens is more than any request has; larger numbers are damage.
const mostTokens = 1 << 40

// key is a number for a request, the same in every transcript.
func key(kind core.Kind, id string) int64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(string(kind) + "\x00" + id))
	return int64(hash.Sum64()) //nolint:gosec // a hash has no sign
}

// moment reads a time as agents write it; the zero time for anything else, and for
// times that no column holds.
func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Unix() <= 0 {
		return time.Time{}
	}
	return at.UTC()
}

// fresh returns the part of an input that was not read from a cache, in tokens.
func fresh(input, cached int64) int64 { return max(0, input-cached) }

// dollars returns an amount if it is one.
func dollars(amount float64) *float64 {
	if amount <= 0 || math.IsInf(amount, 0) || math.IsNaN(amount) {
		return nil
	}
	return &amount
}

// into decodes a line and reports whether it is JSON; a field of another type than
// expected stays zero.
func into(text []byte, line any) bool {
	err := json.Unmarshal(text, line)
	var other *json.UnmarshalTypeError
	return err == nil || errors.As(err, &other)
}

package demo

import (
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// spenders are the agents that used something before the demo began, each with what a request of it costs.
var spenders = []struct {
	session, agent string
	kind           core.Kind
	model          string
	cost           float64
}{
	{"api", "cc_1", "claude", "mock-large", 0.061},
	{"api", "cc_2", "claude", "mock-large", 0.048},
	{"api", "cod_1", "codex", "mock-fast", 0.019},
	{"web", "cc_1", "claude", "mock-large", 0.055},
	{"web", "cod_1", "codex", "mock-fast", 0.017},
	{"web", "gmi_1", "gemini", "mock-wide", 0.012},
	{"docs", "cc_1", "claude", "mock-large", 0.044},
	{"docs", "oc_1", "opencode", "mock-small", 0.006},
	{"docs", "cod_1", "codex", "mock-fast", 0.015},
}

// busy is how many requests each agent made on a day, about; the last is today.
var busy = []int{9, 14, 3, 0, 11, 17, 7}

// spent returns the usage of the agents in the week that ends now.
func spent(now time.Time) []store.UsagePart {
	const day = 24 * time.Hour
	var parts []store.UsagePart
	key := int64(0)
	for i, who := range spenders {
		part := store.UsagePart{File: store.UsageFile{
			Kind: who.kind, Path: "demo/" + who.session + "/" + who.agent, Owner: who.session, Agent: who.agent,
			Session: who.session + "-" + who.agent, Folder: who.session,
		}}
		for ago, requests := range busy {
			begin := now.UTC().Truncate(day).Add(-time.Duration(len(busy)-1-ago) * day)
			for n := range requests - i%3 {
				key++
				at := begin.Add(8*time.Hour + time.Duration(n)*19*time.Minute)
				if at.After(now) {
					at = begin
				}
				cost := who.cost * float64(1+(n+i)%4)
				part.Requests = append(part.Requests, store.UsageRequest{
					Key: key, At: at, Model: who.model, Cost: &cost, UsageTokens: store.UsageTokens{
						Input: 1_200 + int64(n)*40, CacheRead: 21_000 + int64(n)*1_700, Output: 900 + int64(n)*30,
					},
				})
			}
		}
		parts = append(parts, part)
	}
	return parts
}

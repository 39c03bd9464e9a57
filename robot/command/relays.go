package command

import (
	"cmp"

	"cupola/core/config"
	"cupola/core/relay"
	"cupola/core/relay/stream"
	"cupola/core/store"
	"cupola/core/usage"
)

// relays returns what asks backends: those of the agent kinds, the servers that are known, and
// those of the settings.
func (e *Env) relays(settings *config.Config) (*relay.Runner, error) {
	asker, err := e.backends(settings)
	if err != nil {
		return nil, err
	}
	own := make(map[string]usage.Price, len(settings.Prices))
	for model, price := range settings.Prices {
		own[model] = usage.Price(price)
	}
	prices := usage.DefaultPrices(own)
	return &relay.Runner{
		Relay: asker, Book: e.relayBook(), Labels: e.relayLabels(), Log: e.Log,
		Defaults: relay.Defaults{
			Backend: settings.Relay.Backend, Sandbox: relay.Sandbox(settings.Relay.Sandbox), Dir: e.Dir,
		},
		Price: func(model string, used *stream.Usage) (float64, bool) {
			return prices.Cost(model, store.UsageTokens{
				Input: used.Input, CacheRead: used.CacheRead, CacheWrite: used.CacheWrite, Output: used.Output,
				Reasoning: used.Reasoning,
			})
		},
	}, nil
}

// relayBook is where relays are on record, and relayLabels where their conversations are.
func (e *Env) relayBook() relay.Book { return relay.Book{Dir: e.Paths.Relays()} }

func (e *Env) relayLabels() relay.Labels { return relay.Labels{Dir: e.Paths.Relays(), Warn: e.Warn} }

// backends are all that can be asked.
func (e *Env) backends(settings *config.Config) (*relay.Relay, error) {
	kinds, err := Kinds(e.Paths)
	if err != nil {
		return nil, err
	}
	all := relay.Backends{}
	for _, kind := range kinds.All() {
		if b, headless := relay.FromKind(kind, e.Self); headless {
			all = append(all, b)
		}
	}
	for id, own := range settings.Backends {
		if own.API == "" && own.URL == "" {
			continue
		}
		b, err := relay.FromServer(id, own.Name, relay.Server{
			API: own.API, URL: cmp.Or(e.Getenv(own.URLEnv), own.URL), KeyVariable: own.KeyEnv,
		})
		if err != nil {
			return nil, err
		}
		b.Model = e.Getenv(own.ModelEnv)
		all = append(all, b)
	}
	for _, b := range all {
		b.Model = cmp.Or(settings.Backends[b.ID].Model, b.Model)
	}
	all.Sort()
	return &relay.Relay{Backends: all, Environ: e.Environ, Clock: e.Clock, LookPath: e.Bridges.Find}, nil
}

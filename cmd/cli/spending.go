package cli

import (
	"context"
	"log/slog"

	"cupola/core/config"
	"cupola/core/store"
	"cupola/core/usage"
)

// openUsage returns the ledger of what agents have used, with the user's prices.
func (p *program) openUsage(paths config.Paths, log *slog.Logger) (*usage.Ledger, error) {
	settings, err := config.Load(paths, p.Getenv)
	if err != nil {
		return nil, err
	}
	return p.ledger(paths, settings, log), nil
}

// ledger keeps its index in the store, which it opens for itself: a fleet is not
// needed to count.
func (p *program) ledger(paths config.Paths, settings *config.Config, log *slog.Logger) *usage.Ledger {
	if p.counted == nil {
		p.counted = &journal{path: paths.Store(), opts: store.Options{
			Busy: storeBusy, Keep: retention(settings.Store), Told: p.deps.Warn, Log: log,
		}}
	}
	own := make(map[string]usage.Price, len(settings.Prices))
	for model, price := range settings.Prices {
		own[model] = usage.Price(price)
	}
	return usage.New(usage.Options{
		Env: p.Getenv, Prices: usage.DefaultPrices(own), Log: log,
		Write: func(ctx context.Context) (*store.Store, error) { return p.counted.writable(ctx) },
		Read:  func(ctx context.Context) (*store.Store, func(), error) { return p.counted.readable(ctx) },
	})
}

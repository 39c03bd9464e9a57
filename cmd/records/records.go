// Package records opens what outlives the process: the store, the journal of a fleet in it, and the record of usage
// and ceilings. It closes what it opened.
package records

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/cmd/demo"
	"cupola/core/agent/usage"
	"cupola/core/config"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/run/relay"
)

// Busy is how long to wait for another process that locks the store.
const Busy = 2 * time.Second

// Records are the records of one user. Nothing is opened before it is needed.
type Records struct {
	Paths  config.Paths
	Getenv func(string) string
	Log    *slog.Logger
	// Warn warns the caller of the command about facts that are not on record.
	Warn func(string)
	// Settings say how long records are kept, and what models cost; nil keeps all, at the usual prices.
	Settings func() *config.Config

	once   sync.Once
	file   *File
	budget *budget.Monitor
}

// ReadOnly opens the store for reading, for the caller to close. It makes no file.
func (r *Records) ReadOnly(ctx context.Context) (*store.Store, error) {
	return store.OpenReadOnly(ctx, r.Paths.Store(), store.Options{Busy: Busy, Log: r.Log})
}

// Writable opens the store for the caller to close, and makes it if it is missing.
func (r *Records) Writable(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, r.Paths.Store(), r.options())
}

func (r *Records) options() store.Options {
	options := store.Options{Busy: Busy, Warn: r.Warn, Log: r.Log}
	if r.Settings != nil {
		s := r.Settings().Store
		options.Keep = store.Retention{
			Age: s.Age(), Prompts: s.Prompts, Events: s.Events,
		}
	}
	return options
}

// Journal returns that of a fleet whose engine has a socket.
func (r *Records) Journal(server string) *Journal {
	r.prepare()
	return &Journal{File: r.file, Server: server}
}

// Budget returns the record of ceilings, with the user's prices; the same for every call. It opens the store itself,
// when it first needs it: counting needs no fleet.
func (r *Records) Budget() *budget.Monitor {
	r.prepare()
	return r.budget
}

// prepare says where the records are, once. Journals and this record share one open file.
func (r *Records) prepare() {
	r.once.Do(func() {
		r.file = &File{Path: r.Paths.Store(), Options: r.options()}
		r.budget = &budget.Monitor{
			Read: r.file.Reading, Write: r.file.Writing, Now: time.Now, Ledger: sync.OnceValue(r.ledger),
			Mark: passedMark(r.Paths), Copy: r.Paths.Store() + ".ceilings", Warn: r.Warn,
		}
	})
}

// ledger counts what agents used, where there is something to compare it with.
func (r *Records) ledger() *usage.Ledger {
	var own map[string]usage.Price
	if r.Settings != nil {
		prices := r.Settings().Prices
		own = make(map[string]usage.Price, len(prices))
		for model, price := range prices {
			own[model] = usage.Price(price)
		}
	}
	return usage.New(usage.Options{
		Env: demo.Getenv(r.Getenv, r.Paths), Prices: usage.DefaultPrices(own), Log: r.Log, Read: r.file.Reading,
		Write: r.file.Writing, Relays: relay.Directory{Dir: r.Paths.Relays()}.UsageFile(),
	})
}

// Guard returns what checks prompts against the ceilings.
func (r *Records) Guard() *Guard { return &Guard{records: r} }

// passedMark is the path of the marker file that says that a ceiling may be passed.
func passedMark(paths config.Paths) string { return paths.Store() + ".passed" }

// Close closes what was opened.
func (r *Records) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

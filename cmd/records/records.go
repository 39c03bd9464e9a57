// Package records opens what outlives the process: the store, the journal of a fleet in it, and the book of usage
// and ceilings. It closes what it opened.
package records

import (
	"context"
	"errors"
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

// Records are those of one user. Nothing is opened before it is needed.
type Records struct {
	Paths  config.Paths
	Getenv func(string) string
	Log    *slog.Logger
	// Warn tells the caller of the command what is not on record.
	Warn func(string)

	// journal is that of the fleet; nil until there is one.
	journal *Journal
	// book compares usage, which is kept in counted, with ceilings; nil until it is needed.
	book    *budget.Book
	counted *Journal
	once    sync.Once
}

// ReadOnly opens the store for reading. It makes no file.
func (r *Records) ReadOnly(ctx context.Context) (*store.Store, error) {
	return store.OpenReadOnly(ctx, r.Paths.Store(), store.Options{Busy: Busy, Log: r.Log})
}

// Writable opens the store, and makes it if it is missing. Settings say how long records are kept.
func (r *Records) Writable(ctx context.Context, settings *config.Config) (*store.Store, error) {
	return store.Open(ctx, r.Paths.Store(), r.options(settings))
}

func (r *Records) options(settings *config.Config) store.Options {
	s := settings.Store
	return store.Options{
		Busy: Busy, Warn: r.Warn, Log: r.Log,
		Keep: store.Retention{Age: time.Duration(s.Days) * 24 * time.Hour, Prompts: s.Prompts, Events: s.Events},
	}
}

// Journal returns that of a fleet whose engine has a socket.
func (r *Records) Journal(settings *config.Config, server string) *Journal {
	r.journal = &Journal{Path: r.Paths.Store(), Server: server, Options: r.options(settings)}
	return r.journal
}

// DemoJournal returns the journal of a demo whose engine has a socket, in the demo's own directory; the same for
// every call.
func (r *Records) DemoJournal(server string) *Journal {
	if r.journal == nil {
		file := demo.Paths(config.PathsOf(r.Getenv), server).Store()
		r.journal = &Journal{
			Path: file, Server: server, Options: store.Options{Busy: Busy, Warn: r.Warn, Log: r.Log},
		}
	}
	return r.journal
}

// Book returns the book of ceilings, with the user's prices; the same for every call. It opens the store itself,
// when it first needs it: counting needs no fleet.
func (r *Records) Book(settings *config.Config) *budget.Book { return r.BookIn(r.Paths, settings) }

// BookIn is Book of other directories, if it is called first.
func (r *Records) BookIn(paths config.Paths, settings *config.Config) *budget.Book {
	r.once.Do(func() {
		r.counted = &Journal{Path: paths.Store(), Options: r.options(settings)}
		own := make(map[string]usage.Price, len(settings.Prices))
		for model, price := range settings.Prices {
			own[model] = usage.Price(price)
		}
		r.book = &budget.Book{
			Read: r.counted.readable, Write: r.counted.writable, Now: time.Now,
			Mark: passedMark(paths), Copy: paths.Store() + ".ceilings", Warn: r.Warn,
		}
		r.book.Ledger = usage.New(usage.Options{
			Env: demo.Getenv(r.Getenv, paths), Prices: usage.DefaultPrices(own), Log: r.Log, Read: r.counted.readable,
			Write: r.counted.writable, Relays: relay.Book{Dir: paths.Relays()}.UsageFile(),
		})
	})
	return r.book
}

// Guard returns what checks prompts against the ceilings.
func (r *Records) Guard(settings *config.Config) *Guard {
	return &Guard{records: r, settings: settings}
}

// passedMark is the path of the marker file that says that a ceiling may be passed.
func passedMark(paths config.Paths) string { return paths.Store() + ".passed" }

// Close closes what was opened.
func (r *Records) Close() error {
	var errs []error
	for _, opened := range []*Journal{r.journal, r.counted} {
		if opened != nil {
			errs = append(errs, opened.Close())
		}
	}
	return errors.Join(errs...)
}

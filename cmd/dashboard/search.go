package dashboard

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core/agent/search"
	"cupola/core/verb"
	"cupola/core/verb/history"
	"cupola/tui/effect"
	screen "cupola/tui/screen/search"
)

// mostFound ends a search of the dashboard.
const mostFound = 500

// searcher runs the search of the dashboard: one at a time.
type searcher struct {
	env *verb.Env

	mu     sync.Mutex
	asked  screen.Question
	cancel context.CancelFunc
	found  screen.Result
	err    error
	// given is how many hits the last answer had; more receives when there is news.
	given int
	more  chan struct{}
}

// readers answer what the screen of the search asks.
func (s *searcher) readers() []effect.Reader {
	return []effect.Reader{
		effect.Follow(s.look),
		effect.Read(func(ctx context.Context, w screen.Around) (search.Passage, error) {
			return search.Around(ctx, &w.Hit, s.env.Settings().Search.Shows == "plain")
		}),
	}
}

// firstWithin is how long the first answer waits for the first hit.
const firstWithin = 150 * time.Millisecond

// look returns the hits so far. A question that no search answers begins one, and ends the one before.
func (s *searcher) look(ctx context.Context, w screen.Question) (screen.Result, bool, error) {
	s.mu.Lock()
	begins := s.cancel == nil || s.asked != w || s.found.Done
	if begins {
		s.begin(ctx, w)
	}
	more := s.more
	s.mu.Unlock()
	if begins {
		select {
		case <-more:
		case <-time.After(firstWithin):
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	news := begins || len(s.found.Hits) > s.given || s.found.Done
	s.given = len(s.found.Hits)
	result := s.found
	result.Hits = slices.Clone(s.found.Hits)
	return result, news, s.err
}

// begin starts a search; the lock is held.
func (s *searcher) begin(ctx context.Context, w screen.Question) {
	if s.cancel != nil {
		s.cancel()
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.asked, s.found, s.err, s.given, s.more = w, screen.Result{}, nil, 0, make(chan struct{}, 1)
	more := s.more
	in := history.SearchIn{
		Text: []string{w.Text}, Kind: strings.Fields(w.Kinds), Project: w.Project, Limit: mostFound,
	}
	err := in.Since.UnmarshalText([]byte(w.Since))
	if w.Since == "" {
		in.Since, err = history.SearchIn{}.Since, nil
	}
	if err != nil {
		s.err, s.found.Done = err, true
		return
	}
	go s.run(ctx, w, in, more)
}

// run searches, and keeps the hits while the question is the same.
func (s *searcher) run(ctx context.Context, w screen.Question, in history.SearchIn, more chan<- struct{}) {
	keep := func(change func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asked == w && ctx.Err() == nil {
			change()
			select {
			case more <- struct{}{}:
			default:
			}
		}
	}
	out, err := history.Search(ctx, s.env, in, func(hit search.Hit) error {
		keep(func() { s.found.Hits = append(s.found.Hits, hit) })
		return ctx.Err()
	})
	keep(func() { s.err, s.found.Done, s.found.Totals = err, true, out.Totals })
}

package http

import (
	"net/http"

	"golang.org/x/time/rate"

	"cupola/core"
	"cupola/core/verb/registry"
)

// Limits of what clients may ask.
const (
	// maxBody is the most bytes of a call.
	maxBody = 1 << 20
	// callsPerSecond and callsAtOnce limit the calls of all clients together.
	callsPerSecond = 200
	callsInABurst  = 400
	callsAtOnce    = 64
	// waitsAtOnce limits those that last as long as their client likes. They take no place of other calls.
	waitsAtOnce = 256
)

// limits are the places of calls of all clients together.
type limits struct {
	rate *rate.Limiter
	// calls are the places of calls, waits the places of waits and streams.
	calls, waits chan struct{}
}

func newLimits() *limits {
	return &limits{
		rate: rate.NewLimiter(callsPerSecond, callsInABurst), calls: make(chan struct{}, callsAtOnce),
		waits: make(chan struct{}, waitsAtOnce),
	}
}

// enter takes a place for a call of a verb, and returns a function that frees it. It answers and returns nil if there
// is none.
func (l *limits) enter(w http.ResponseWriter, verb *registry.Verb) (free func()) {
	if !l.rate.Allow() {
		busy(w)
		return nil
	}
	places, refuse := l.calls, busy
	if holds(verb) {
		places, refuse = l.waits, full
	}
	select {
	case places <- struct{}{}:
		return func() { <-places }
	default:
		refuse(w)
		return nil
	}
}

// holds reports whether calls of a verb last as long as the client likes: they stream, or look until something is so.
func holds(verb *registry.Verb) bool {
	return verb != nil && (verb.Streams || verb.Effect == registry.Reads && verb.Field("timeout") != nil)
}

// busy answers a call that is one too many.
func busy(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	fail(w, http.StatusTooManyRequests, core.Errorf(core.RateLimited, "too many calls at once"))
}

// full answers a wait or a stream that is one too many.
func full(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	fail(w, http.StatusServiceUnavailable, core.Errorf(core.RateLimited, "too many waits and streams at once"))
}

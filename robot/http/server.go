package http

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/alert/webpush"
	"cupola/core/fleet/keeper"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// Options configures a Server. Service and Guard are required.
type Options struct {
	Service *service.Service
	Guard   *Guard
	Version string
	// Watch streams the snapshot and the screens of panes; nil streams nothing.
	Watch func(context.Context) (keeper.Stream, error)
	// Runs streams as Watch does, of this machine alone, and says when runs have changed; nil follows no crews.
	Runs func(context.Context) (keeper.Stream, error)
	// Pusher notifies browsers where no page is open; nil notifies none.
	Pusher func() (*webpush.Sender, error)
	// MCP answers at /mcp; nil is none.
	MCP http.Handler
	// Style is the style sheet with the colours of the page. Icon draws its picture as a PNG with a width in pixels;
	// nil draws none. Screen makes of a screen what the page shows.
	Style  string
	Icon   func(width int) []byte
	Screen func(*core.Screen) any
	// Log gets the details that clients do not; nil discards it.
	Log *slog.Logger
}

// Server answers the verbs over HTTP.
type Server struct {
	opts  Options
	feed  *feed
	crews *crewFeed
	// snapshots are the first answers to clients.
	snapshots *snapshots
	limits    *limits
	// started is when it began; calls counts the answers by their status.
	started time.Time
	calls   *counters
}

// API is the prefix of the paths of all calls.
const API = "/api/v1/"

// New makes a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		opts: o, limits: newLimits(), started: time.Now(), calls: newCounters(),
	}
	s.feed, s.crews = newFeed(s), &crewFeed{
		feed: newFeed(s), started: make(chan struct{}, 1), seen: map[string]*crewRead{},
	}
	s.snapshots = &snapshots{service: o.Service}
	return s
}

// Follow follows the fleet and its crews until ctx ends, for clients that want their events.
func (s *Server) Follow(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { s.feed.run(ctx) })
	both.Go(func() { s.crews.run(ctx) })
	both.Wait()
}

// Handler answers requests, once Guard let them in.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET "+API+"openapi.json", s.openAPI())
	mux.HandleFunc("GET "+API+"events", s.events)
	mux.HandleFunc("GET "+API+"live", s.live)
	mux.HandleFunc(API+"{verb}", s.call)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, core.Errorf(core.NotFound, "no such path: %s", clipped(r.URL.Path)))
	})
	if s.opts.MCP != nil {
		mux.Handle("/mcp", s.opts.MCP)
	}
	if s.opts.Guard.Cookie != "" {
		browsers := &signedInList{s.opts.Guard, s.opts.Service.Border.Level == registry.Destroys}
		mux.HandleFunc("GET "+signInPath, browsers.list)
		mux.HandleFunc("DELETE "+signInPath+"/{id}", browsers.signOut)
		if s.opts.Pusher != nil {
			pushes := &subscriptions{s.opts.Guard, s.opts.Pusher}
			mux.HandleFunc("GET "+pushPath, pushes.key)
			mux.HandleFunc("PUT "+pushPath, pushes.change)
			mux.HandleFunc("DELETE "+pushPath, pushes.change)
		}
		mux.HandleFunc("POST "+answerPath+"{pass}", s.answerFrom)
	}
	s.addReference(mux)
	s.addPage(mux)
	return s.opts.Guard.Wrap(s.calls.wrap(secured(mux)))
}

// secured sets the headers that keep pages of other sites, and texts of panes, from acting in the browser.
func secured(next http.Handler) http.Handler {
	policy := strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
		"manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// Open returns the paths that need no token: they reveal nothing, or are needed before there is one.
func Open() []string {
	return slices.Concat(slices.Sorted(maps.Keys(assets())), slices.Sorted(maps.Keys(iconSizes)),
		[]string{"/", stylePath, "/healthz"})
}

// health reports that the server answers; it needs no token.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"status": "ok", "version": s.opts.Version})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = writeLine(w, value) // a client that has gone reads no answer
}

// fail answers with a failure before there was a call.
func fail(w http.ResponseWriter, status int, err error) {
	e := core.AsError(err)
	writeJSON(w, status, render.Object{
		{Key: "success", Value: false},
		{Key: "error", Value: e.Error()},
		{Key: "error_code", Value: string(e.Code)},
		{Key: "hint", Value: e.Hint},
	})
}

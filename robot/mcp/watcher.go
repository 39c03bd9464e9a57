package mcp

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cupola/core"
	"cupola/core/fleet/keeper"
)

// watcher notifies clients of changes of the resources that they subscribed to. It follows the fleet while there are
// any, and looks at the panes that they are about.
type watcher struct {
	server *Server

	mu sync.Mutex
	// wanted are the sessions of clients that subscribed to a URI.
	wanted map[string]map[*mcp.ServerSession]bool
	// known are the sessions whose end is waited for.
	known map[*mcp.ServerSession]bool
	// changed signals that wanted has changed.
	changed chan struct{}
}

func newWatcher(s *Server) *watcher {
	return &watcher{
		server: s, wanted: map[string]map[*mcp.ServerSession]bool{}, known: map[*mcp.ServerSession]bool{},
		changed: make(chan struct{}, 1),
	}
}

func (w *watcher) subscribe(ctx context.Context, request *mcp.SubscribeRequest) error {
	uri := request.Params.URI
	session, pane, isPane := paneOf(uri)
	known := isPane || slices.ContainsFunc(w.server.readable(), func(of overview) bool { return of.uri == uri })
	if !known {
		return mcp.ResourceNotFoundError(uri)
	}
	allowed := w.server.opts.Service.Border.Sessions
	if isPane && len(allowed) > 0 && !slices.Contains(allowed, session) {
		return mcp.ResourceNotFoundError(uri)
	}
	if isPane {
		screen := map[string]any{"session": session, "panes": []any{pane}, "lines": 1}
		if _, err := w.server.read(ctx, uri, "tail", screen); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wanted[uri] == nil {
		w.wanted[uri] = map[*mcp.ServerSession]bool{}
	}
	w.wanted[uri][request.Session] = true
	if !w.known[request.Session] {
		w.known[request.Session] = true
		go w.forget(request.Session)
	}
	w.tell()
	return nil
}

func (w *watcher) unsubscribe(_ context.Context, request *mcp.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(request.Params.URI, request.Session)
	w.tell()
	return nil
}

// forget drops the subscriptions of a session when it has ended, since clients that die unsubscribe from nothing.
func (w *watcher) forget(ended *mcp.ServerSession) {
	_ = ended.Wait() // how it ended does not matter
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, ended)
	for uri := range w.wanted {
		w.drop(uri, ended)
	}
	w.tell()
}

// drop drops the subscription of a session to a URI. The caller holds mu.
func (w *watcher) drop(uri string, session *mcp.ServerSession) {
	delete(w.wanted[uri], session)
	if len(w.wanted[uri]) == 0 {
		delete(w.wanted, uri)
	}
}

func (w *watcher) tell() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func (w *watcher) wants(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.wanted[uri]) > 0
}

func (w *watcher) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.wanted) == 0
}

// run follows the fleet whenever there are subscriptions, until ctx ends.
func (w *watcher) run(ctx context.Context) {
	if w.server.opts.Watch == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.changed:
		}
		if !w.idle() {
			if err := w.follow(ctx); err != nil && ctx.Err() == nil {
				w.server.opts.Log.Warn("mcp: the fleet cannot be followed", "error", err)
			}
		}
	}
}

// notifyEvery is how often clients are notified of changes at most.
const notifyEvery = 250 * time.Millisecond

// follow notifies until there are no subscriptions.
func (w *watcher) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	live, err := w.server.opts.Watch(ctx)
	if err != nil {
		return err
	}
	var panes []*core.Pane
	changed := map[string]bool{}
	tick := time.NewTicker(notifyEvery)
	defer tick.Stop()
	for {
		select {
		case frame, open := <-live.Frames:
			if !open {
				return live.Err()
			}
			if frame.Snapshot != nil {
				before := panes
				panes = frame.Snapshot.Panes()
				live.Display(w.looked(panes))
				markChanged(changed, before, panes)
			}
			markDrawn(changed, &frame, panes)
		case <-tick.C:
			for uri := range changed {
				if w.wants(uri) {
					_ = w.server.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
				}
			}
			clear(changed)
		case <-w.changed:
			if w.idle() {
				return nil
			}
			live.Display(w.looked(panes))
		}
	}
}

// looked are the panes that clients subscribed to.
func (w *watcher) looked(panes []*core.Pane) []core.PaneID {
	var ids []core.PaneID
	for _, pane := range panes {
		if slices.ContainsFunc(urisOf(pane), w.wants) {
			ids = append(ids, pane.ID)
		}
	}
	return ids
}

// urisOf are the resources of a pane.
func urisOf(pane *core.Pane) []string {
	number := strconv.Itoa(pane.Ordinal)
	return []string{screenURI(pane.Session, number), replyURI(pane.Session, number)}
}

// markDrawn adds to the changed resources those of the panes that a frame draws. What an agent says is drawn, too.
func markDrawn(changed map[string]bool, frame *keeper.Frame, panes []*core.Pane) {
	for _, pane := range panes {
		if _, drawn := frame.Screens[pane.ID]; drawn {
			mark(changed, pane)
		}
	}
}

// markChanged adds to the changed resources the overviews, and those of panes whose state changed or that are gone.
func markChanged(changed map[string]bool, before, now []*core.Pane) {
	for i := range overviews {
		changed[overviews[i].uri] = true
	}
	known := map[core.PaneID]core.State{}
	for _, pane := range now {
		known[pane.ID] = pane.Status.State
	}
	for _, pane := range before {
		if state, there := known[pane.ID]; !there || state != pane.Status.State {
			mark(changed, pane)
		}
	}
}

func mark(changed map[string]bool, pane *core.Pane) {
	for _, uri := range urisOf(pane) {
		changed[uri] = true
	}
}

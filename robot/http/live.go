package http

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/text/secret"
)

// live is the one stream of a page: the screens of panes, as they change, and word of all else that has changed. The
// parameter panes has ids, separated by commas. Changes of the fleet and of runs are announced by events without the
// change: a page reads what it shows of them then.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	if s.opts.Watch == nil || s.opts.Screen == nil {
		fail(w, http.StatusNotFound, core.Errorf(core.NotFound, "this server follows no screens"))
		return
	}
	var wanted []core.PaneID
	for _, id := range strings.Split(r.URL.Query().Get("panes"), ",") {
		if id != "" {
			wanted = append(wanted, core.PaneID(id))
		}
	}
	frames, err := s.opts.Watch(r.Context())
	if err != nil {
		fail(w, http.StatusServiceUnavailable, err)
		return
	}
	out := s.open(w, takesPacked(r))
	if out == nil {
		return
	}
	s.feed.count(1)
	defer s.feed.count(-1)
	follower := &follower{server: s, out: out, wanted: wanted}
	runs, moved := follower.runsOf(&frames)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case frame, open := <-frames.Frames:
			if !open || follower.tell(&frames, &frame) != nil {
				return
			}
		case <-moved:
			before := runs
			if runs, moved = follower.runsOf(&frames); runs != before && out.send("runs", 0, []byte("{}")) != nil {
				return
			}
		case <-beat.C:
			if out.comment("heartbeat") != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// follower sends changes to one page.
type follower struct {
	server *Server
	out    *stream
	wanted []core.PaneID
}

// runsOf is how often runs have changed, and what is closed when they may have again. Clients that are confined to
// sessions hear nothing of runs.
func (f *follower) runsOf(frames *keeper.Stream) (int, <-chan struct{}) {
	if frames.Runs == nil || len(f.server.opts.Service.Border.Sessions) > 0 {
		return 0, nil
	}
	return frames.Runs()
}

func (f *follower) tell(frames *keeper.Stream, frame *keeper.Frame) error {
	if frame.Snapshot != nil {
		frames.Display(f.allowed(frame.Snapshot))
		text, err := json.Marshal(map[string]any{"revision": frame.Snapshot.Revision})
		if err != nil {
			return err
		}
		if err := f.out.send("changed", frame.Snapshot.Revision, text); err != nil {
			return err
		}
	}
	for _, captured := range frame.Screens {
		captured.Lines = secret.Lines(captured.Lines) // those of a frame belong to all its readers
		text, err := json.Marshal(f.server.opts.Screen(&captured))
		if err != nil {
			return err
		}
		if err := f.out.send("screen", 0, text); err != nil {
			return err
		}
	}
	return nil
}

// allowed are the panes that the page wants, of the sessions that it may see.
func (f *follower) allowed(snapshot *core.Snapshot) []core.PaneID {
	var ids []core.PaneID
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		confined := f.server.opts.Service.Border.Sessions
		if len(confined) > 0 && !slices.Contains(confined, session.Name) {
			continue
		}
		for j := range session.Panes {
			if id := session.Panes[j].ID; slices.Contains(f.wanted, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

package http

import (
	"net/http"

	"cupola/core"
	"cupola/core/verb/render"
	"cupola/robot/service"
)

// addReference adds the paths under which other programs know crews: /api/sessions, /api/stats, /api/events and
// /api/ingest.
func (s *Server) addReference(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/sessions", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, &service.Call{Verb: "crew-list", Reads: true})
	})
	mux.HandleFunc("GET /api/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.crew(w, r, r.PathValue("id"))
	})
	mux.HandleFunc("DELETE /api/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, &service.Call{
			Verb: "crew-delete", Input: map[string]any{"crews": []any{r.PathValue("id")}, "yes": true},
		})
	})
	mux.HandleFunc("GET /api/stats", s.stats)
	mux.HandleFunc("GET /api/events", s.crewEvents)
	mux.HandleFunc("POST /api/ingest", s.ingest)
}

// crew answers with a crew and what was said in it.
func (s *Server) crew(w http.ResponseWriter, r *http.Request, id string) {
	shown := s.read(r.Context(), "crew-show", map[string]any{"crew": id})
	if shown.Code != "" {
		writeAnswer(w, r, shown)
		return
	}
	var transcript any
	if logged := s.read(r.Context(), "crew-logs", map[string]any{"crew": id}); logged.Code == "" {
		transcript = logged.Document
	}
	writeJSON(w, http.StatusOK, render.Object{
		{Key: "session", Value: shown.Document}, {Key: "transcript", Value: transcript},
	})
}

// stats counts crews by their state, and the clients that follow.
func (s *Server) stats(w http.ResponseWriter, r *http.Request) {
	list := s.read(r.Context(), "crew-list", map[string]any{})
	if list.Code != "" {
		fail(w, StatusOf(list.Code), core.Errorf(list.Code, "the crews cannot be read"))
		return
	}
	crews := list.Document.Objects("crews")
	counts := map[string]int{
		"totalSessions": len(crews), "active": 0, "completed": 0, "failed": 0, "totalMessages": 0,
		"sseClients": s.feed.counted() + s.crews.counted(),
	}
	for _, crew := range crews {
		counts["totalMessages"] += s.recorded(r.Context(), crew.Text("id"), "message")
		switch state := crew.Text("state"); state {
		case "completed", "failed":
			counts[state]++
		case "running", "paused":
			counts["active"]++
		}
	}
	writeJSON(w, http.StatusOK, counts)
}

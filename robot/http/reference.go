package http

import (
	"bytes"
	"encoding/json"
	"net/http"

	"cupola/core"
	"cupola/robot/service"
)

// addReference adds the paths under which other programs know crews: /api/sessions, /api/stats, /api/events and
// /api/ingest.
func (s *Server) addReference(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/sessions", func(w http.ResponseWriter, r *http.Request) {
		s.answer(r.Context(), w, &service.Call{Verb: "crew-list", Reads: true})
	})
	mux.HandleFunc("GET /api/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.crew(w, r, r.PathValue("id"))
	})
	mux.HandleFunc("DELETE /api/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.answer(r.Context(), w, &service.Call{
			Verb: "crew-delete", Input: map[string]any{"crews": []any{r.PathValue("id")}, "yes": true},
		})
	})
	mux.HandleFunc("GET /api/stats", s.stats)
	mux.HandleFunc("GET /api/events", s.crewEvents)
	mux.HandleFunc("POST /api/ingest", s.ingest)
}

// crew answers with a crew and what was said in it.
func (s *Server) crew(w http.ResponseWriter, r *http.Request, id string) {
	var shown, logged bytes.Buffer
	show := &service.Call{Verb: "crew-show", Input: map[string]any{"crew": id}, Reads: true}
	if code := s.Service.Run(r.Context(), show, &shown); code != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(StatusOf(code))
		_, _ = w.Write(shown.Bytes()) // a client that has gone reads no answer
		return
	}
	logs := &service.Call{Verb: "crew-logs", Input: show.Input, Reads: true}
	if code := s.Service.Run(r.Context(), logs, &logged); code != "" {
		logged.Reset()
		logged.WriteString("null")
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"session": json.RawMessage(shown.Bytes()), "transcript": json.RawMessage(logged.Bytes()),
	})
}

// stats counts crews by their state, and the clients that follow.
func (s *Server) stats(w http.ResponseWriter, r *http.Request) {
	var list struct {
		Crews []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"crews"`
	}
	if code := s.read(r.Context(), "crew-list", map[string]any{}, &list); code != "" {
		fail(w, StatusOf(code), core.Errorf(code, "the crews cannot be read"))
		return
	}
	counts := map[string]int{
		"totalSessions": len(list.Crews), "active": 0, "completed": 0, "failed": 0, "totalMessages": 0,
		"sseClients": s.feed.counted() + s.crews.counted(),
	}
	for _, crew := range list.Crews {
		counts["totalMessages"] += s.recorded(r.Context(), crew.ID, "message")
		switch crew.State {
		case "completed", "failed":
			counts[crew.State]++
		case "running", "paused":
			counts["active"]++
		}
	}
	writeJSON(w, http.StatusOK, counts)
}

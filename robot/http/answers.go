package http

import (
	"net/http"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/record/server"
	"cupola/robot/service"
)

// answerPath is where a button of a notification sends its pass, which is good for one answer alone.
const answerPath = "/answer/"

// answerFrom gives the answer of a pass, if the agent still asks what it asked when the notification was sent.
func (s *Server) answerFrom(w http.ResponseWriter, r *http.Request) {
	a, good := server.ReadAnswer(s.opts.Guard.Token, r.PathValue("pass"), time.Now())
	if !good {
		fail(w, http.StatusForbidden,
			refusal(core.PermissionDenied, "that is no answer of this server, or it is too old"))
		return
	}
	done := s.limits.enter(w, nil)
	if done == nil {
		return
	}
	defer done()
	asks := func() bool {
		needs := s.read(r.Context(), "attention", nil).Document.Objects("needs")
		for _, need := range needs {
			since, err := time.Parse(time.RFC3339, need.Text("since"))
			pane := need.Text("session") + "." + strconv.Itoa(int(need.Number("ordinal")))
			if pane == a.Pane && err == nil && since.Unix() == a.Since.Unix() &&
				need.Text("state") == string(core.Waiting) {
				return true
			}
		}
		return false
	}
	gone := func() {
		fail(w, http.StatusConflict, core.Errorf(core.Conflict, "%s does not ask that any more", a.Pane))
	}
	if !asks() {
		gone()
		return
	}
	shown := s.read(r.Context(), "answer", map[string]any{"session": a.Pane, "dry-run": true})
	dialogs := shown.Document.Objects("answers")
	if shown.Code != "" || len(dialogs) != 1 || dialogs[0].Text("dialog_id") == "" {
		writeAnswer(w, r, shown)
		return
	}
	if !asks() { // the dialog that was read may be another one
		gone()
		return
	}
	how := "deny"
	if a.Approve {
		how = "approve"
	}
	s.answer(w, r, &service.Call{Verb: "answer", Input: map[string]any{
		"session": a.Pane, how: true, "dialog": dialogs[0].Text("dialog_id"),
	}})
}

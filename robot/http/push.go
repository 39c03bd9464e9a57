package http

import (
	"net/http"

	"cupola/core"
	"cupola/core/alert/webpush"
	"cupola/core/verb/render"
)

// pushPath is where a browser gets the key that it subscribes with, and says where it is notified.
const pushPath = signInPath + "/push"

// subscriptions lets browsers that are signed in be notified where no page is open.
type subscriptions struct {
	guard  *Guard
	pusher func() (*webpush.Sender, error)
}

// key answers with the public key of this machine.
func (s *subscriptions) key(w http.ResponseWriter, _ *http.Request) {
	sender, err := s.pusher()
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	writeJSON(w, http.StatusOK, render.Object{{Key: "success", Value: true}, {Key: "key", Value: sender.Public()}})
}

// change subscribes the browser that asks, with a PUT, or ends its subscription.
func (s *subscriptions) change(w http.ResponseWriter, r *http.Request) {
	_, secure := s.guard.seen(r)
	word := s.guard.signedIn(r, secure)
	if word == "" {
		fail(w, http.StatusForbidden, refusal(core.PermissionDenied, "a browser that is signed in can be notified"))
		return
	}
	var to *webpush.Subscription
	if r.Method == http.MethodPut {
		input, status, err := bodyOf(w, r)
		if err != nil {
			fail(w, status, err)
			return
		}
		keys, _ := input["keys"].(map[string]any) // what is missing is refused as a key that cannot be used
		to = &webpush.Subscription{}
		to.Endpoint, _ = input["endpoint"].(string)
		to.Keys.P256dh, _ = keys["p256dh"].(string)
		to.Keys.Auth, _ = keys["auth"].(string)
	}
	if err := s.guard.Browsers.Subscribe(word, to); err != nil {
		fail(w, StatusOf(core.AsError(err).Code), err)
		return
	}
	writeJSON(w, http.StatusOK, render.Object{{Key: "success", Value: true}, {Key: "subscribed", Value: to != nil}})
}

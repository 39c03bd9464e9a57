package http

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"

	"cupola/core"
	"cupola/core/alert/webpush"
	"cupola/core/record/server"
	"cupola/core/verb/render"
)

const (
	// signInPath is where browsers sign in, are listed, and are signed out.
	signInPath = "/sign-in"
	// keyHeader has the key of a browser, which its page keeps for this address and port alone.
	keyHeader = "Cupola-Key"
	// cookieFor is how long browsers keep the cookie, in seconds. The server forgets one that does not come earlier.
	cookieFor = 400 * 24 * 60 * 60
	// everyBrowser is the word for all browsers.
	everyBrowser = "all"
)

// Browsers are the browsers that are signed in, each with a word of its own.
type Browsers interface {
	// SignIn signs a browser in by what it says that it is, and returns its word.
	SignIn(program string) (word string, err error)
	// Knows reports whether a word belongs to a browser that is signed in.
	Knows(word string) bool
	// List returns the browsers that are signed in, and IDOf the id of one by its word.
	List() ([]server.Browser, error)
	IDOf(word string) string
	// Subscribe lets a browser be notified where no page is open, by its word; nil ends that.
	Subscribe(word string, to *webpush.Subscription) error
	// SignOut signs a browser out by its id, or all with an empty one, and returns which.
	SignOut(id string) ([]server.Browser, error)
}

// cookieName is the name of the cookie. With TLS no other server of this host can set it.
func (g *Guard) cookieName(secure bool) string {
	if secure {
		return "__Host-" + g.Cookie
	}
	return g.Cookie
}

// key is the key that belongs to the word of a browser. Who has the word alone cannot make it.
func (g *Guard) key(word string) string {
	mac := hmac.New(sha256.New, []byte(g.Token))
	_, _ = mac.Write([]byte("key " + word)) // it never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signedIn is the word of the browser that asks; empty if it is not signed in.
func (g *Guard) signedIn(r *http.Request, secure bool) string {
	for _, cookie := range r.CookiesNamed(g.cookieName(secure)) {
		if cookie.Value != "" && g.Browsers.Knows(cookie.Value) {
			return cookie.Value
		}
	}
	return ""
}

// signIn gives a browser that shows the token or a pass its cookie and its key.
func (g *Guard) signIn(w http.ResponseWriter, r *http.Request, secure bool) {
	input, status, err := bodyOf(w, r)
	if err != nil {
		fail(w, status, err)
		return
	}
	shown, _ := input[tokenParameter].(string)
	if !g.matches(shown) && (shown == "" || g.Admit == nil || !g.Admit(shown)) {
		e := refusal(core.PermissionDenied, "that is no token of this server, and no pass that is still good")
		e.Hint = "'cupola serve-status' shows both; a pass is good for one visit within ten minutes."
		fail(w, http.StatusUnauthorized, e)
		return
	}
	word, err := g.Browsers.SignIn(r.UserAgent())
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(secure), Value: word, Path: "/", MaxAge: cookieFor, HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, render.Object{{Key: "success", Value: true}, {Key: "key", Value: g.key(word)}})
}

// browserRow is a browser on the page's list.
type browserRow struct {
	server.Browser
	// This is true for the browser that asks.
	This bool `json:"this"`
}

// signedInList is the list of browsers for the page. Where clients may not destroy, each browser gets itself alone.
type signedInList struct {
	guard *Guard
	all   bool
}

// list lists the browsers that are signed in.
func (s *signedInList) list(w http.ResponseWriter, r *http.Request) {
	known, this, err := s.of(r)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	rows := core.Map(known, func(b server.Browser) browserRow { return browserRow{b, b.ID == this} })
	writeJSON(w, http.StatusOK, render.Object{{Key: "success", Value: true}, {Key: "browsers", Value: rows}})
}

// signOut signs a browser out by its id, or all.
func (s *signedInList) signOut(w http.ResponseWriter, r *http.Request) {
	known, _, err := s.of(r)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	id, gone := r.PathValue("id"), []server.Browser{}
	for i := range known {
		if id != everyBrowser && known[i].ID != id {
			continue
		}
		out, err := s.guard.Browsers.SignOut(known[i].ID)
		if err != nil {
			fail(w, http.StatusInternalServerError, err)
			return
		}
		gone = append(gone, out...)
	}
	if len(gone) == 0 {
		fail(w, http.StatusNotFound, core.Errorf(core.NotFound, "no browser %s is signed in", clipped(id)))
		return
	}
	writeJSON(w, http.StatusOK, render.Object{{Key: "success", Value: true}, {Key: "signed_out", Value: gone}})
}

// of returns the browsers that the caller may see, and the id of the one that asks; empty for a program.
func (s *signedInList) of(r *http.Request) (known []server.Browser, this string, err error) {
	_, secure := s.guard.seen(r)
	if word := s.guard.signedIn(r, secure); word != "" {
		this = s.guard.Browsers.IDOf(word)
	}
	known, err = s.guard.Browsers.List()
	if !s.all {
		known = slices.DeleteFunc(known, func(one server.Browser) bool { return one.ID != this })
	}
	return known, this, err
}

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

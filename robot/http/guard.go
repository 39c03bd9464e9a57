package http

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"cupola/core"
)

// Guard keeps requests out that do not come from whom the server is for. Token is required.
type Guard struct {
	Token string
	// Admit reports whether a pass for one visit is valid, and uses it up; nil admits none.
	Admit func(pass string) bool
	// Hosts are names of the server in addition to those of the loopback address, without a port.
	Hosts []string
	// Cookie is the name of the cookie of browsers, and Browsers are the browsers that are signed in; both are empty
	// where browsers are not served.
	Cookie   string
	Browsers Browsers
	// Secure marks the cookie as one for TLS alone.
	Secure bool
	// Open are paths that need no token.
	Open []string
}

// Browsers are the browsers that are signed in, each with a word of its own.
type Browsers interface {
	// SignIn signs a browser in by what it says that it is, and returns its word.
	SignIn(program string) (word string, err error)
	// Knows reports whether a word belongs to a browser that is signed in.
	Knows(word string) bool
}

// cookieFor is how long browsers keep the cookie, in seconds. The server forgets one that does not come earlier.
const cookieFor = 400 * 24 * 60 * 60

// cookieName is the name of the cookie. With TLS no other server of this host can set it.
func (g *Guard) cookieName() string {
	if g.Secure {
		return "__Host-" + g.Cookie
	}
	return g.Cookie
}

// tokenParameter is the parameter of a URL that has the token.
const tokenParameter = "token"

// Wrap returns a handler that passes on what Guard lets in. Programs show the token in the header Authorization
// (Bearer). A browser that shows it or a pass in the URL is signed in: it gets a cookie with a word of its own,
// which is no token, and is sent to the URL without what it showed.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !g.knows(r.Host):
			refuse(w, http.StatusForbidden, "this server does not go by the name "+clipped(r.Host))
		case !g.sameSite(r):
			refuse(w, http.StatusForbidden, "requests of other sites are refused")
		case slices.Contains(g.Open, r.URL.Path):
			next.ServeHTTP(w, r)
		case g.Cookie != "" && r.Method == http.MethodGet && g.visits(r.URL.Query().Get(tokenParameter)):
			g.welcome(w, r)
		case !g.shown(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="cupola"`)
			refuse(w, http.StatusUnauthorized,
				"the token or the pass is missing, wrong or used; 'cupola serve-status' shows both")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knows reports whether the server answers to the name of a host. Other names belong to sites that point them at this
// machine, to reach the server from a browser.
func (g *Guard) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	return name == "localhost" || loopback(name) || slices.Contains(g.Hosts, name)
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// sameSite reports whether a request does not come from a page of another site.
func (g *Guard) sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		// A link may lead here: what it shows, the other site cannot read.
		if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && from.Host == r.Host
}

// shown reports whether a request has the token.
func (g *Guard) shown(r *http.Request) bool {
	if bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
		return g.matches(strings.TrimSpace(bearer))
	}
	if g.Cookie != "" {
		return slices.ContainsFunc(r.CookiesNamed(g.cookieName()), func(c *http.Cookie) bool {
			return c.Value != "" && g.Browsers.Knows(c.Value)
		})
	}
	return g.matches(r.URL.Query().Get(tokenParameter))
}

// visits reports whether a browser shows a pass, or the token itself.
func (g *Guard) visits(shown string) bool {
	return g.matches(shown) || shown != "" && g.Admit != nil && g.Admit(shown)
}

func (g *Guard) matches(token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(g.Token)) == 1
}

// welcome gives a browser the cookie and takes the token out of its address.
func (g *Guard) welcome(w http.ResponseWriter, r *http.Request) {
	word, err := g.Browsers.SignIn(r.UserAgent())
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the browser cannot be signed in: "+core.AsError(err).Error())
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(), Value: word, Path: "/", MaxAge: cookieFor, HttpOnly: true, Secure: g.Secure,
		SameSite: http.SameSiteStrictMode,
	})
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/\\")}
	query := r.URL.Query()
	query.Del(tokenParameter)
	to.RawQuery = query.Encode()
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// refuse answers a request that does not reach a verb.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "cupola: "+why, status)
}

// clipped is a text of a client as short as messages repeat it.
func clipped(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

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
	// Proxied is true if a proxy is before the server: it reports the name and the scheme that clients use in
	// X-Forwarded-Host and X-Forwarded-Proto.
	Proxied bool
	// Open are paths that need no token.
	Open []string
}

// tokenParameter is the parameter of a URL that has the token.
const tokenParameter = "token"

// Wrap returns a handler that passes on what Guard lets in. Programs show the token in the header Authorization
// (Bearer). Browsers sign in with it or with a pass, and have a cookie and a key from then on.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, secure := g.seen(r)
		switch {
		case !g.knows(host):
			e := refusal(core.PermissionDenied, "this server does not go by the name "+clipped(host))
			e.Hint = "Where a tunnel or a proxy has that name, start it with --trust-host=NAME."
			fail(w, http.StatusForbidden, e)
		case g.Cookie != "" && r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, answerPath):
			next.ServeHTTP(w, r) // a pass proves itself, whatever page or program of a service sends it
		case !sameSite(r, host):
			fail(w, http.StatusForbidden, refusal(core.PermissionDenied, "requests of other sites are refused"))
		case slices.Contains(g.Open, r.URL.Path):
			next.ServeHTTP(w, r)
		case g.Cookie != "" && r.Method == http.MethodPost && r.URL.Path == signInPath:
			g.signIn(w, r, secure)
		case !g.shown(r, secure):
			w.Header().Set("WWW-Authenticate", `Bearer realm="cupola"`)
			e := refusal(core.PermissionDenied, "the token or the pass is missing, wrong or used")
			e.Hint = "'cupola serve-status' shows both."
			fail(w, http.StatusUnauthorized, e)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refusal makes an error for a request that reaches no verb.
func refusal(code core.Code, why string) *core.Error { return core.Errorf(code, "%s", why) }

// seen is the name of the server and whether TLS is used, as the client sees both.
func (g *Guard) seen(r *http.Request) (host string, secure bool) {
	host, secure = r.Host, g.Secure
	if !g.Proxied {
		return host, secure
	}
	if given := r.Header.Get("X-Forwarded-Host"); given != "" {
		host = given
	}
	if proto := r.Header.Get("X-Forwarded-Proto"); proto != "" {
		secure = proto == "https"
	}
	return host, secure
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
func sameSite(r *http.Request, host string) bool {
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
	return err == nil && from.Host == host
}

// shown reports whether a request has the token, or both the cookie and the key of a browser. Cookies go to all ports
// of a host, keys to none but this one: another server that a browser visits gets half of what it takes.
func (g *Guard) shown(r *http.Request, secure bool) bool {
	if given := r.Header.Get("Authorization"); given != "" {
		scheme, bearer, _ := strings.Cut(given, " ")
		return strings.EqualFold(scheme, "Bearer") && g.matches(strings.TrimSpace(bearer))
	}
	if g.Cookie != "" {
		word := g.signedIn(r, secure)
		return word != "" && equal(r.Header.Get(keyHeader), g.key(word))
	}
	return g.matches(r.URL.Query().Get(tokenParameter))
}

func (g *Guard) matches(token string) bool {
	return token != "" && equal(token, g.Token)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// clipped is a text of a client as short as messages repeat it.
func clipped(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

package http_test

import (
	"encoding/json"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"cupola/core/verb/registry"
	"cupola/robot/http"
	"cupola/robot/service"
	"cupola/robot/service/servicetest"
)

// FuzzRequest sends any body and any URL to a server whose clients may only read: each gets one document, and none
// acts.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][2]string{
		{"session=api&lines=3", `{"session":"api"}`},
		{"fields=session,state&verbose", `{"lines":1e9,"panes":[1,null]}`},
		{"a=%ff&a=b", `{"session":{"a":[{}]}}`},
		{"since=rev:x", `[]`},
		{"token=x", "\xff{"},
	} {
		f.Add(seed[0], seed[1])
	}
	var s *service.Service
	f.Fuzz(func(t *testing.T, query, body string) {
		s = servicetest.New(t)
		s.Border.Level = registry.Reads
		handler := http.New(http.Options{Service: s, Guard: &http.Guard{Token: token}}).Handler()
		for _, method := range []string{nethttp.MethodGet, nethttp.MethodPost} {
			request := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+http.API+"tail",
				strings.NewReader(body))
			if method == nethttp.MethodGet {
				request.URL = &url.URL{Scheme: "http", Host: "localhost", Path: http.API + "tail", RawQuery: query}
			}
			request.Header.Set("Authorization", "Bearer "+token)
			request.Header.Set("Content-Type", "application/json")
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if !json.Valid(response.Body.Bytes()) {
				t.Errorf("%s %q %q: %d %q", method, query, body, response.Code, response.Body.String())
			}
		}
	})
}

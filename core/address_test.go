package core_test

import (
	"testing"

	"cupola/core"
)

func TestAddressesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]core.Address{
		"":                 {},
		"api":              {Session: "api"},
		"api.2":            {Session: "api", Pane: "2"},
		"api:1.0":          {Session: "api:1", Pane: "0"},
		"own:api.2":        {Session: "own:api", Pane: "2"},
		"$3@1769860000.%7": {Session: "$3@1769860000", Pane: "%7"},
		"%7":               {Pane: "%7"},
		"a.b.2":            {Session: "a.b", Pane: "2"},
		"api.":             {Session: "api."},
		".2":               {Session: ".2"},
		"/api":             {Session: "/api"},
		"gpu1/api.2":       {Host: "gpu1", Session: "api", Pane: "2"},
		"gpu1/%7":          {Host: "gpu1", Pane: "%7"},
		"gpu1/feature/x.1": {Host: "gpu1", Session: "feature/x", Pane: "1"},
	} {
		got := core.ParseAddress(text)
		if got != want || got.String() != text {
			t.Errorf("%q: %+v, written %q", text, got, got)
		}
	}
	if got := core.ParseLocalAddress("feature/x.1"); got.Session != "feature/x" || got.Host != "" {
		t.Errorf("a session of this machine: %+v", got)
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("gpu1/api.2")
	f.Add("%7")
	f.Add("/.")
	f.Fuzz(func(t *testing.T, text string) {
		if got := core.ParseAddress(text).String(); got != text {
			t.Errorf("%q is written %q", text, got)
		}
	})
}

func TestAddressesAreSessionAndOrdinal(t *testing.T) {
	if got := core.AddressOf("my api", 3).String(); got != "my api.3" {
		t.Errorf("got %s", got)
	}
}

func TestIDsSayWhichHostHasThem(t *testing.T) {
	if id := core.OnHost("gpu1", core.PaneID("%7")); id != "gpu1/%7" || id.Host() != "gpu1" {
		t.Errorf("%s of %s", id, id.Host())
	}
	if id := core.SessionID("$3"); id.Host() != "" || core.OnHost("gpu1", id).Host() != "gpu1" {
		t.Errorf("%s of %s", id, id.Host())
	}
}

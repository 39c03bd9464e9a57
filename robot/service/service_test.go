package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/render"
	"cupola/robot/service"
	"cupola/robot/service/servicetest"
)

// answer calls a verb and returns the document of its answer.
func answer(t *testing.T, s *service.Service, call service.Call) (string, core.Code) {
	t.Helper()
	answer := s.Run(t.Context(), &call, func(line render.Object) error {
		t.Errorf("%s: a line before the document: %v", call.Verb, line)
		return nil
	})
	var out bytes.Buffer
	if err := render.JSON(&out, answer.Document, false); err != nil || len(answer.Document) == 0 {
		t.Errorf("%s: no document: %q, %v", call.Verb, out.String(), err)
	}
	return out.String(), answer.Code
}

func TestCallsAreAdmittedByTheirEffect(t *testing.T) {
	kill := service.Call{Verb: "kill", Input: map[string]any{"session": "api", "yes": true}}
	for allow, want := range map[registry.Effect]core.Code{
		"": core.PermissionDenied, registry.Writes: core.PermissionDenied, registry.Destroys: "",
	} {
		s := servicetest.New(t)
		s.Border.Level = allow
		if _, code := answer(t, s, kill); code != want {
			t.Errorf("a server that allows %q: %q", allow, code)
		}
	}
	s := servicetest.New(t)
	s.Border.Level = registry.Destroys
	kill.Reads = true
	if _, code := answer(t, s, kill); code != core.PermissionDenied {
		t.Errorf("as if it only read: %q", code)
	}
	kill.Input["dry-run"] = true
	if text, code := answer(t, s, kill); code != "" {
		t.Errorf("a dry run only shows: %s", text)
	}
}

func TestClientsAreConfinedToSessions(t *testing.T) {
	for name, c := range map[string]struct {
		verb  string
		input map[string]any
		code  core.Code
	}{
		"its session":            {"tail", map[string]any{"session": "api"}, ""},
		"a pane of it":           {"tail", map[string]any{"session": "api.1"}, ""},
		"a pane by its window":   {"tail", map[string]any{"session": "api:0.0"}, core.Ambiguous},
		"none, so that one":      {"tail", nil, ""},
		"another":                {"tail", map[string]any{"session": "web"}, core.PermissionDenied},
		"a pane by its id":       {"tail", map[string]any{"session": "%2"}, core.PermissionDenied},
		"no text":                {"tail", map[string]any{"session": 3}, ""},
		"of all":                 {"broadcast", map[string]any{"msg": "x", "dry-run": true}, core.PermissionDenied},
		"an act on none":         {"config-set", map[string]any{"key": "x", "value": "y"}, core.PermissionDenied},
		"a filter":               {"status", map[string]any{"session": "web"}, core.PermissionDenied},
		"what is of no session":  {"version", nil, ""},
		"the whole fleet":        {"snapshot", nil, core.PermissionDenied},
		"any pane, by its place": {"adopt", map[string]any{"pane": "%2"}, core.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			s := servicetest.New(t)
			s.Border.Level, s.Border.Sessions = registry.Destroys, []string{"api"}
			text, code := answer(t, s, service.Call{Verb: c.verb, Input: c.input})
			if name == "no text" {
				if !strings.Contains(text, `"session":"api"`) && code == "" {
					t.Errorf("it was about another session: %s", text)
				}
				return
			}
			if code != c.code {
				t.Errorf("%q: %s", code, text)
			}
		})
	}
}

func TestClientsThatAreConfinedSeeNoOtherNames(t *testing.T) {
	s := servicetest.New(t)
	s.Border.Level, s.Border.Sessions = registry.Destroys, []string{"ap"}
	for _, v := range []string{"tail", "status", "send", "kill", "history"} {
		input := map[string]any{"session": "ap"}
		if v == "send" {
			input["msg"] = "x"
		}
		text, code := answer(t, s, service.Call{Verb: v, Input: input})
		if code != core.SessionNotFound || strings.Contains(text, "api") || strings.Contains(text, "web") {
			t.Errorf("%s: %q: %s", v, code, text)
		}
	}
}

func TestBadCallsSayWhatWouldBeRight(t *testing.T) {
	s := servicetest.New(t)
	for name, c := range map[string]struct {
		call  service.Call
		code  core.Code
		parts []string
	}{
		"verb":     {service.Call{Verb: "tial"}, core.UnknownCommand, []string{`"suggestions":["tail"]`}},
		"no verb":  {service.Call{}, core.MissingRequired, nil},
		"input":    {service.Call{Verb: "tail", Input: map[string]any{"sesion": "api"}}, core.InvalidInput, nil},
		"an array": {service.Call{Verb: "tail", Input: map[string]any{"lines": []any{1}}}, core.InvalidInput, nil},
		"nested": {
			service.Call{Verb: "tail", Input: map[string]any{"session": map[string]any{"a": 1}}},
			core.InvalidInput, nil,
		},
		"a part": {
			service.Call{Verb: "tail", Input: map[string]any{"session": "api", "lines": json.Number("1.5")}},
			core.InvalidInput, nil,
		},
		"fields": {service.Call{Verb: "status", Fields: []string{"nosuch"}}, core.InvalidInput, []string{"session"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, code := answer(t, s, c.call)
			if code != c.code {
				t.Errorf("%q: %s", code, text)
			}
			for _, part := range append(c.parts, `"success":false`, `"error_code":"`+string(c.code)) {
				if !strings.Contains(text, part) {
					t.Errorf("no %s in %s", part, text)
				}
			}
		})
	}
}

func TestWholeNumbersStayWhole(t *testing.T) {
	s := servicetest.New(t)
	input := map[string]any{"session": "api", "limit": json.Number("1000000"), "verbose": nil}
	if text, code := answer(t, s, service.Call{Verb: "status", Input: input}); code != "" {
		t.Errorf("%q: %s", code, text)
	}
	if _, kept := input["verbose"]; !kept || input["limit"] != json.Number("1000000") {
		t.Errorf("the input of the caller was changed: %v", input)
	}
}

func TestSchemasHaveNoUnions(t *testing.T) {
	s := servicetest.New(t)
	for _, verb := range s.Catalog.Verbs {
		text, err := json.Marshal(s.Schema(verb))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`"type":[`, `null`, `"anyOf"`} {
			if strings.Contains(string(text), part) {
				t.Errorf("%s: %s in %s", verb.Name, part, text)
			}
		}
	}
}

// Where there are other hosts, every verb takes their names; clients that are confined to sessions must not name any.
func TestCallsNameOtherHosts(t *testing.T) {
	s := servicetest.New(t)
	if text, code := answer(t, s, service.Call{
		Verb: "status", Input: map[string]any{"host": "gpu1"},
	}); code != core.UnknownFlag && code != core.InvalidInput {
		t.Errorf("without other hosts: %s %s", code, text)
	}
	var named []string
	s.Hosts = func(_ context.Context, _ registry.Env, names []string, verb *registry.Verb, input any) (*registry.Verb,
		any, error,
	) {
		named = names
		return verb, input, nil
	}
	call := service.Call{Verb: "status", Input: map[string]any{"host": "gpu1,gpu2"}}
	if text, code := answer(t, s, call); code != "" || !slices.Equal(named, []string{"gpu1", "gpu2"}) {
		t.Errorf("%q: %s %s", named, code, text)
	}
	if _, there := s.Schema(s.Catalog.Find("status"))[1].Value.(render.Object).Get(service.HostInput); !there {
		t.Error("the schema has no hosts")
	}
	for _, wrong := range []any{1, "", []any{"gpu1"}} {
		text, code := answer(t, s, service.Call{Verb: "status", Input: map[string]any{"host": wrong}})
		if code != core.InvalidInput {
			t.Errorf("%v: %s %s", wrong, code, text)
		}
	}
	s.Border.Sessions = []string{"api"}
	if text, code := answer(t, s, call); code != core.PermissionDenied {
		t.Errorf("confined: %s %s", code, text)
	}
}

package command

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/robot/command/verb"
	"cupola/robot/command/verb/verbtest"
	"cupola/robot/registry"
)

// naming is a command of a verb that names a session: the first example that
// does, with another name.
func naming(t *testing.T, verb *registry.Verb, name string) []string {
	t.Helper()
	for _, field := range verb.Fields() {
		if field.Name != "session" || field.Type != "string" {
			continue
		}
		if field.Arg == 1 {
			for _, example := range verb.Examples() {
				if words := shellWords(t, example)[2:]; len(words) > 0 && !strings.HasPrefix(words[0], "-") {
					return append([]string{name}, words[1:]...)
				}
			}
			return []string{name}
		}
		for _, example := range verb.Examples() {
			words := shellWords(t, example)[2:]
			at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--session=") })
			if at >= 0 {
				words[at] = "--session=" + name
				return words
			}
		}
		return append(shellWords(t, verb.Examples()[0])[2:], "--session="+name)
	}
	return nil
}

// newSession are the verbs whose session need not be there: spawn makes it, and
// the steps of a pipeline may.
var newSession = []string{"spawn", "pipeline-run"}

// namesOther reports whether the session that a verb takes is none of the terminal server.
func namesOther(v *registry.Verb) bool { return v.Group == verb.GroupInside }

func TestUnknownSessionIsAnErrorEverywhere(t *testing.T) {
	seen := 0
	for _, verb := range Catalog().Verbs {
		words := naming(t, verb, "appi")
		if words == nil || slices.Contains(newSession, verb.Name) || namesOther(verb) {
			continue
		}
		seen++
		_, err := verb.Call(t.Context(), stagedFor(t, &verbtest.Server{}, verb), parse(t, verb, words), nil)
		e := core.AsError(err)
		if e == nil || e.Code != core.SessionNotFound || !slices.Contains(e.Suggestions, "api") {
			t.Errorf("%s %q: got %v", verb.Name, words, err)
			continue
		}
		if !slices.Contains(verb.Errors, core.SessionNotFound) {
			t.Errorf("%s does not declare SESSION_NOT_FOUND", verb.Name)
		}
		if e.Slip.Word != "appi" {
			t.Errorf("%s %q: the slip is %+v", verb.Name, words, e.Slip)
		}
	}
	if seen < 40 {
		t.Errorf("only %d verbs take a session", seen)
	}
}

func TestAPaneIsNoSession(t *testing.T) {
	seen := 0
	for _, verb := range Catalog().Verbs {
		field := verb.Field("session")
		if field == nil || field.Name != "session" || field.Arg != 0 || slices.Contains(newSession, verb.Name) ||
			namesOther(verb) {
			continue
		}
		seen++
		words := naming(t, verb, "api.1")
		_, err := verb.Call(t.Context(), stagedFor(t, &verbtest.Server{}, verb), parse(t, verb, words), nil)
		e := core.AsError(err)
		if e == nil || e.Code != core.SessionNotFound || e.Message != `"api.1" is a pane; a session is wanted here` ||
			!slices.Equal(e.Suggestions, []string{"api"}) {
			t.Errorf("%s %q: got %v", verb.Name, words, err)
		}
	}
	if seen < 15 {
		t.Errorf("only %d verbs take --session", seen)
	}
}

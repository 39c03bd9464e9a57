package verbs

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// naming is a command of a verb that names a session: the first example that
// does, with another name.
func naming(t *testing.T, verb *registry.Verb, name string) []string {
	t.Helper()
	for _, field := range verb.Fields() {
		if field.Name != "session" || field.Type != "string" {
			continue
		}
		if at := field.Arg - 1; at >= 0 {
			for _, example := range verb.Examples() {
				if words := shellWords(t, example)[2:]; len(words) > at && !strings.HasPrefix(words[at], "-") {
					words[at] = name
					return words
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
var newSession = []string{"spawn", "ensemble-spawn", "pipeline-run"}

// waiting are the verbs that wait for an agent, a minute at most.
var waiting = []string{"wait", "send", "smart-restart"}

// namesOther reports whether the session that a verb takes is none of the terminal server.
func namesOther(v *registry.Verb) bool { return v.Group == verb.GroupInside }

func TestUnknownSessionIsAnErrorEverywhere(t *testing.T) {
	seen := 0
	for _, verb := range allVerbs().Verbs {
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
	for _, verb := range allVerbs().Verbs {
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

// TestTheNameOfTwoSessionsIsNobodysEverywhere: where both engines have a session of one name, no verb acts on either by
// the name alone, every one says both full addresses, and takes them.
func TestTheNameOfTwoSessionsIsNobodysEverywhere(t *testing.T) {
	t.Parallel()
	stages := map[*verbtest.Server]*verb.Env{}
	call := func(server *verbtest.Server, v *registry.Verb, name string) (words []string, err *core.Error) {
		words = naming(t, v, name)
		run := func(t *testing.T) {
			env := stages[server]
			if env == nil {
				env = stagedFor(t, server, v)
			}
			if !slices.Contains(waiting, v.Name) {
				stages[server] = env
			}
			_, failed := v.Call(t.Context(), env, parse(t, v, words), nil)
			err = core.AsError(failed)
		}
		if slices.Contains(waiting, v.Name) {
			synctest.Test(t, run)
		} else {
			run(t)
		}
		return words, err
	}
	seen, panes := 0, 0
	for _, verb := range allVerbs().Verbs {
		if naming(t, verb, "api") == nil || slices.Contains(newSession, verb.Name) || namesOther(verb) {
			continue
		}
		seen++
		twins, single := &verbtest.Server{Twin: true}, &verbtest.Server{}
		names := []string{"api"}
		if verb.Field("session") == nil && verb.Scope == registry.Session {
			names = append(names, "api.1")
			panes++
		}
		for _, name := range names {
			words, e := call(twins, verb, name)
			if e == nil && verb.Name == "pipeline-list" {
				continue // it finds the runs on record of the name, and acts on none
			}
			rest := strings.TrimPrefix(name, "api")
			both := []string{"own:api" + rest, "tmux:api" + rest}
			switch {
			case e != nil && e.Code == core.SessionNotFound && rest != "" && strings.Contains(e.Message, "is a pane"):
			case e == nil || e.Code != core.Ambiguous || !slices.Equal(e.Suggestions, both):
				t.Errorf("%s %q: got %v", verb.Name, words, e)
			case !slices.Contains(verb.Errors, core.Ambiguous):
				t.Errorf("%s does not declare AMBIGUOUS", verb.Name)
			}
		}
		if len(twins.Killed)+len(twins.Pressed)+len(twins.Renamed) > 0 {
			t.Errorf("%s acted on %v %v %v", verb.Name, twins.Killed, twins.Pressed, twins.Renamed)
		}
		_, plain := call(single, verb, "api")
		for _, name := range []string{"tmux:api", "$1", "$1@1769857200"} {
			if words, e := call(twins, verb, name); code(e) != code(plain) {
				t.Errorf("%s %q: got %v; without a twin %v", verb.Name, words, e, plain)
			}
		}
		if words, e := call(single, verb, "tmux:api"); code(e) != code(plain) {
			t.Errorf("%s %q without a twin: got %v; want %v", verb.Name, words, e, plain)
		}
		if words, e := call(single, verb, "$1@1"); e == nil || e.Code != core.SessionNotFound {
			t.Errorf("%s %q, of an earlier session: got %v", verb.Name, words, e)
		}
	}
	if seen < 40 || panes < 10 {
		t.Errorf("only %d verbs take a session, %d of them a pane", seen, panes)
	}
}

// code returns the code of an error; empty for none.
func code(e *core.Error) core.Code {
	if e == nil {
		return ""
	}
	return e.Code
}

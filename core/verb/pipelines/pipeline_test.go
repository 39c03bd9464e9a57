package pipelines

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/run/pipeline"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/checkpoints"
	"cupola/core/verb/overview"
	"cupola/core/verb/registry"
	"cupola/core/verb/sessions"
	"cupola/core/verb/settings"
	"cupola/core/verb/verbtest"
	"cupola/core/verb/work"
)

func TestAPipelineRunsOverTheVerbs(t *testing.T) {
	env := pipelineStage(t)
	in := pipelineRunIn{File: "review.toml", Session: "api", Interrupted: "stop"}
	out, err := runPipeline(t.Context(), verbtest.OnFleet(t, env), in)
	if err != nil || out.State != "done" || out.Summary != (stepSummary{Steps: 2, Done: 2}) {
		t.Fatalf("got %+v, %v", out, err)
	}
	shown, err := runPipelineStatus(t.Context(), env,
		pipelineStatusIn{Run: out.ID, Detail: registry.Detail{Verbose: true}})
	if err != nil || len(shown.Steps[1].Answer["panes"].([]any)) == 0 || shown.Steps[0].Ended.IsZero() {
		t.Errorf("got %+v, %v", shown, err)
	}
	in.DryRun = true
	planned, err := runPipeline(t.Context(), verbtest.OnFleet(t, env), in)
	if err != nil || planned.ID != "" || planned.Steps[1].Command != "cupola tail api --lines=3" ||
		planned.Summary.Left != 2 {
		t.Errorf("got %+v, %v", planned, err)
	}
}

func TestFailedStepFailsPipeline(t *testing.T) {
	env := verbtest.Env(t, &verbtest.Server{}, everyVerb())
	text := "[[step]]\nname = \"look\"\nverb = \"tail\"\nargs = {session = \"apj\"}\n"
	if err := os.WriteFile(filepath.Join(env.Dir, "p.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := runPipeline(t.Context(), verbtest.OnFleet(t, env), pipelineRunIn{File: "p.toml", Interrupted: "stop"})
	e := core.AsError(err)
	if !e.HasCode(core.SessionNotFound) || !strings.HasPrefix(e.Message, "step look: ") ||
		!slices.Contains(e.Suggestions, "api") {
		t.Fatalf("got %v", err)
	}
	if out, is := e.Details.(PipelineOut); !is || out.State != "failed" ||
		out.Steps[0].ErrorCode != "SESSION_NOT_FOUND" || out.Failure == nil {
		t.Errorf("got %+v", e.Details)
	}
}

func TestStepsAreCheckedAgainstVerbs(t *testing.T) {
	verbs := &stepVerbs{env: verbtest.Env(t, &verbtest.Server{}, everyVerb())}
	for _, test := range []struct {
		why, verb string
		args      map[string]any
		open      string
		code      core.Code
		near      string
	}{
		{"a verb that does not exist", "sned", nil, "", core.InvalidInput, "send"},
		{"a verb that streams", "watch", nil, "", core.InvalidInput, ""},
		{"a verb that would", "tail", map[string]any{"follow": true}, "", core.InvalidInput, ""},
		{"itself", "pipeline-run", nil, "", core.InvalidInput, ""},
		{"an argument that does not exist", "send", map[string]any{"mgs": "x"}, "", core.InvalidInput, "msg"},
		{"an open one that does not exist", "send", map[string]any{"mgs": "x"}, "mgs", core.InvalidInput, "msg"},
		{"a wrong value", "tail", map[string]any{"lines": "many"}, "", core.InvalidInput, ""},
		{"a value that is not known yet", "tail", map[string]any{"lines": "${steps.a.n}"}, "lines", "", ""},
		{"a session that is the run's", "tail", nil, "", "", ""},
		{"what is required", "label", nil, "", core.MissingRequired, ""},
		{"a prompt that is missing", "send", nil, "", core.MissingRequired, ""},
		{"a prompt that is not known yet", "send", map[string]any{"msg": "${steps.a.n}"}, "msg", "", ""},
		{"two prompts", "send", map[string]any{"msg": "x", "msg-file": "y"}, "", core.InvalidFlag, ""},
		{"an answer that is missing", "answer", nil, "", core.MissingRequired, ""},
		{"true for a text", "send", map[string]any{"msg": true}, "", core.InvalidInput, ""},
		{"a number for a boolean", "kill", map[string]any{"yes": int64(1)}, "", core.InvalidInput, ""},
		{"a word of other programs", "send", map[string]any{"message": "x"}, "", core.InvalidInput, "msg"},
		{"a verb of other programs", "prompt", nil, "", core.InvalidInput, "send"},
		{"a wrong choice", "send", map[string]any{"msg": "x", "when": "no"}, "", core.InvalidInput, "now"},
		{
			"a kind that does not exist", "send",
			map[string]any{"msg": "x", "type": "claud"},
			"", core.AgentNotFound,
			"claude",
		},
		{
			"a kind to start that does not exist", "add",
			map[string]any{"agents": "claud=2"},
			"", core.AgentNotFound,
			"claude",
		},
		{"no name of a session", "rename", map[string]any{"to": "a.b"}, "", core.InvalidInput, ""},
		{"one that is not known yet", "rename", map[string]any{"to": "${steps.a.n}"}, "to", "", ""},
		{"no pattern", "wait", map[string]any{"match": "("}, "", core.InvalidInput, ""},
		{
			"no setting", "config-set",
			map[string]any{"key": "alerts.idel", "value": "1h"},
			"", core.InvalidInput,
			"alerts.idle",
		},
		{"a session that is not known yet", "wait", map[string]any{"session": ""}, "session", "", ""},
		{"a session that is empty", "wait", map[string]any{"session": ""}, "", core.InvalidInput, ""},
		{"what destroys without a yes", "kill", nil, "", core.MissingRequired, ""},
		{"what destroys with one", "kill", map[string]any{"yes": true}, "", "", ""},
	} {
		whole := map[string]bool{}
		for name := range maps.Keys(test.args) {
			whole[name] = name != test.open
		}
		var err error
		if wrong := verbs.Check(&pipeline.Call{Verb: test.verb, Args: test.args, Session: "api"},
			whole); len(wrong) > 0 {
			err = wrong[0].Err
		}
		e := core.AsError(err)
		if test.code == "" && err != nil || test.code != "" && !e.HasCode(test.code) ||
			test.near != "" && !slices.Contains(e.Suggestions, test.near) {
			t.Errorf("%s: got %v", test.why, err)
		}
	}
	if fields := verbs.Fields("send"); !slices.Contains(fields, "deliveries") || !slices.Contains(fields, "id") {
		t.Errorf("got %q", fields)
	}
	if fields := verbs.Fields("alerts"); !slices.Contains(fields, "total_matches") {
		t.Errorf("got %q", fields)
	}
	if verbs.PromptID("send") == "" || verbs.PromptID("replay") == "" || verbs.PromptID("tail") != "" ||
		!verbs.Reads("tail") || verbs.Reads("send") {
		t.Error("prompts and readers are mixed up")
	}
}

func TestOnlyStepsWithoutEffectAreRepeated(t *testing.T) {
	verbs := &stepVerbs{env: verbtest.Env(t, &verbtest.Server{}, everyVerb())}
	failed := func(outcomes ...core.Outcome) error {
		var deliveries []agents.DeliveryRow
		for _, outcome := range outcomes {
			deliveries = append(deliveries, agents.DeliveryRow{Result: core.Result{Outcome: outcome}})
		}
		return &core.Error{Code: core.DeliveryFailed, Details: agents.SendOut{Deliveries: deliveries}}
	}
	for _, test := range []struct {
		verb string
		err  error
		want bool
	}{
		{"send", failed(core.Refused, core.Refused), true},
		{"send", failed(core.Refused, core.Delivered), false},
		{"send", failed(core.Unconfirmed), false},
		{"send", failed(), false},
		{"send", &core.Error{Code: core.DeliveryFailed}, false},
		{"send", &core.Error{Code: core.SessionNotFound}, true},
		// The prompt was delivered, and then waited on.
		{"send", &core.Error{Code: core.NotReady}, false},
		{"send", &core.Error{Code: core.Timeout}, false},
		{"send", errors.New("lost"), false},
		{"add", &core.Error{Code: core.NotReady}, false},
		{"add", &core.Error{Code: core.Timeout}, false},
		{"restart-pane", &core.Error{Code: core.NotReady}, false},
		{"answer", &core.Error{Code: core.NotReady}, true},
		{"answer", &core.Error{Code: core.Timeout}, false},
		{"assign", &core.Error{Code: core.NotReady}, true},
		{"wait", &core.Error{Code: core.Timeout}, true},
		{"wait", &core.Error{Code: core.NotReady}, true},
	} {
		if got := verbs.Again(test.verb, test.err); got != test.want {
			t.Errorf("%s, %v, %+v: %v", test.verb, test.err, core.AsError(test.err).Details, got)
		}
	}
}

func TestVariablesMayHoldCommas(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"a=1,b=2":           {"a": "1", "b": "2"},
		"goal=x, y and z":   {"goal": "x, y and z"},
		"a==,b=c=d":         {"a": "=", "b": "c=d"},
		" a=1, b-c=2,3,d=4": {"a": "1", "b-c": "2,3", "d": "4"},
	} {
		if got, err := variables([]string{text}); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"a", ",a=1", "=x", "a=", "a= ,b=1"} {
		if _, err := variables([]string{text}); !core.AsError(err).HasCode(core.InvalidInput) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// everyVerb holds the verbs that steps may name.
func everyVerb() *registry.Catalog {
	return &registry.Catalog{Verbs: slices.Concat(overview.Verbs, sessions.Verbs, agents.Verbs, work.Verbs,
		checkpoints.Verbs, settings.Verbs, Verbs)}
}

// pipelineStage is a stage with a pipeline and a run of it.
func pipelineStage(t *testing.T) *verb.Env {
	t.Helper()
	env := verbtest.Env(t, &verbtest.Server{}, everyVerb())
	verbtest.WritePipeline(t, env)
	return env
}

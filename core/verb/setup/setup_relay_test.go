package setup

import (
	"context"
	"strings"
	"testing"

	"cupola/core/config"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

func TestSetupChoosesTheDefaultBackend(t *testing.T) {
	t.Parallel()
	const fine = "echo 1.2.3"
	yes := registry.Consent{Yes: true}
	both := map[string]string{"claude": fine, "gemini": fine}
	for _, test := range []struct {
		why           string
		stage         relayStage
		in            setupIn
		state, choice string
	}{
		{"nothing is there", relayStage{}, setupIn{Consent: yes}, stepOptional, ""},
		{"nothing without consent", relayStage{programs: both}, setupIn{}, stepOpen, ""},
		{
			"the only one",
			relayStage{programs: map[string]string{"gemini": fine}},
			setupIn{Consent: yes},
			stepDone, "gemini",
		},
		{"the first", relayStage{programs: both}, setupIn{Consent: yes}, stepDone, "claude"},
		{
			"one that is signed in comes first",
			relayStage{programs: both, env: map[string]string{"GEMINI_API_KEY": "a-secret"}},
			setupIn{Consent: yes},
			stepDone, "gemini",
		},
		{
			"what was chosen stays",
			relayStage{programs: both, settings: "[relay]\nbackend = \"gemini\"\n"},
			setupIn{Consent: yes},
			stepDone, "gemini",
		},
		{
			"what was chosen stays even if it cannot be asked",
			relayStage{programs: both, settings: "[relay]\nbackend = \"qwen\"\n"},
			setupIn{Consent: yes},
			stepOptional, "qwen",
		},
		{
			"unless the step is named",
			relayStage{programs: both, settings: "[relay]\nbackend = \"qwen\"\n"},
			setupIn{Consent: yes, Steps: []string{"relay"}},
			stepDone, "claude",
		},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			env := test.stage.open(t)
			step, _ := setUp(t, env, test.in, "relay")
			settings := env.Settings()
			chosen := settings.Relay.Backend
			if settings.Origin(relayBackendKey).Layer == config.Default {
				chosen = ""
			}
			if step.State != test.state || chosen != test.choice {
				t.Errorf("the step is %s and %q is chosen: %+v", step.State, chosen, step)
			}
			hinted := strings.Contains(step.Detail, "npm install -g @openai/codex")
			if test.choice == "" && test.state == stepOptional && !hinted {
				t.Errorf("no hints: %q", step.Detail)
			}
		})
	}
}

// setUp runs setup and returns one of its steps, and the warnings.
func setUp(t *testing.T, env *verb.Env, in setupIn, name string) (setupStep, []string) {
	t.Helper()
	reply, err := setup.Call(t.Context(), env, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := reply.Value.(setupOut)
	for _, step := range out.Steps {
		if step.Step == name {
			if reply.Hints == nil {
				return step, nil
			}
			return step, reply.Hints.Warnings
		}
	}
	t.Fatalf("no step %s in %+v", name, out)
	return setupStep{}, nil
}

func TestAPersonPicksTheDefaultBackend(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pick, state string }{{"gemini", stepDone}, {"", stepOpen}} {
		env := relayStage{programs: map[string]string{"claude": "echo 1", "gemini": "echo 1"}}.open(t)
		env.Choose = func(context.Context, []registry.Choice) ([]string, error) { return nil, nil }
		env.Pick = func(_ context.Context, _ string, choices []registry.Choice) (string, error) {
			if len(choices) != 2 {
				t.Errorf("asked for one of %+v", choices)
			}
			return test.pick, nil
		}
		step, _ := setUp(t, env, setupIn{}, "relay")
		if step.State != test.state || test.pick != "" && step.Detail != test.pick {
			t.Errorf("picked %q: %+v", test.pick, step)
		}
	}
}

func TestAFailedTestRelayIsAWarning(t *testing.T) {
	t.Parallel()
	consent := registry.Consent{Yes: true}
	const answers = `[ "$1" = --version ] && echo 1 && exit
echo '{"type":"result","subtype":"success","is_error":false,"result":"Hello.","session_id":"s"}'`
	for _, test := range []struct {
		why, script   string
		steps         []string
		state, detail string
		warned        bool
	}{
		{"it answers", answers, []string{"relay", "relay-test"}, stepDone, "claude says: Hello.", false},
		{
			"it fails", `[ "$1" = --version ] && echo 1 && exit; echo no quota >&2; exit 4`,
			[]string{"relay", "relay-test"},
			stepFailed, "no quota", true,
		},
		{"it is not named", answers, nil, stepOptional, "costs a few tokens", false},
	} {
		env := relayStage{programs: map[string]string{"claude": test.script}}.open(t)
		step, warnings := setUp(t, env, setupIn{Steps: test.steps, Consent: consent}, "relay-test")
		if step.State != test.state || !strings.Contains(step.Detail, test.detail) || len(warnings) > 0 != test.warned {
			t.Errorf("%s: %+v, %q", test.why, step, warnings)
		}
	}
}

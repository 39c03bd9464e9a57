package setup

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/bridge"
	"cupola/core/system/shell/shelltest"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// modelServer is a server that lists some models.
func modelServer(t *testing.T, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// silentServer takes requests and never answers.
func silentServer(t *testing.T) string {
	t.Helper()
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-done:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(done); s.Close() })
	return s.URL
}

// goneServer is the address of a server that is no more.
func goneServer() string {
	s := httptest.NewServer(nil)
	defer s.Close()
	return s.URL
}

// relayStage is a machine with some programs and settings.
type relayStage struct {
	programs map[string]string // name -> script
	settings string
	env      map[string]string
}

func (s relayStage) open(t *testing.T) *verb.Env {
	t.Helper()
	e := verbtest.Env(t, &verbtest.Server{}, &registry.Catalog{Verbs: Verbs})
	bin, home := t.TempDir(), t.TempDir()
	for name, script := range s.programs {
		if err := shelltest.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	e.Bridges = bridge.Open(nil, func(name string) (string, error) {
		path := filepath.Join(bin, name)
		if _, err := os.Stat(path); err != nil {
			return "", exec.ErrNotFound
		}
		return path, nil
	})
	vars := map[string]string{"HOME": home, "OLLAMA_HOST": ""}
	for name, value := range s.env {
		vars[name] = value
		e.Environ = append(e.Environ, name+"="+value)
	}
	e.Getenv = func(name string) string { return vars[name] }
	if s.settings != "" {
		if err := os.MkdirAll(filepath.Dir(e.Paths.File()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(e.Paths.File(), []byte(s.settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// relayCase is a machine, and what a check of its relays shows.
type relayCase struct {
	why    string
	stage  relayStage
	status int
	// state, detail and fix belong to the row with a name, as far as they are certain.
	name, state, detail, fix string
}

func relayCases(t *testing.T) []relayCase {
	t.Helper()
	const fine, broken = "echo 1.2.3", "echo it is broken >&2; exit 3"
	server := func(name, url string) string {
		return "[backends." + name + "]\napi = \"ollama\"\nmodel = \"m\"\nurl = \"" + url + "\"\n"
	}
	ollama := func(url string) string { return server("ollama", url) }
	models := `{"models":[{"name":"m:latest"}]}`
	gone := ollama(goneServer())
	return []relayCase{
		{"nothing is there", relayStage{settings: ""}, 2, "claude", checkMissing, "not found in PATH", "npm install"},
		{
			"one program",
			relayStage{programs: map[string]string{"claude": fine}},
			0, "claude", checkWarn, "no sign-in at anthropic was found", "",
		},
		{
			"one that is signed in",
			relayStage{
				programs: map[string]string{"claude": fine}, env: map[string]string{"ANTHROPIC_API_KEY": "a-secret"},
			},
			0, "claude", checkOK, "in /", "",
		},
		{
			"a program does not start",
			relayStage{programs: map[string]string{"claude": fine, "codex": broken}},
			1, "codex", checkBad, "it does not start: ", "npm install",
		},
		{
			"the only program does not start",
			relayStage{programs: map[string]string{"codex": broken}},
			2, "codex", checkBad, "it does not start: ", "npm install",
		},
		{
			"the settings name one that is absent",
			relayStage{programs: map[string]string{"claude": fine}, settings: "[relay]\nbackend = \"gemini\"\n"},
			1, "gemini", checkBad, "not found in PATH", "npm install",
		},
		{
			"the settings name none that exists",
			relayStage{programs: map[string]string{"claude": fine}, settings: "[relay]\nbackend = \"nobody\"\n"},
			1, "default", checkBad, `"nobody", from `, fixDefault,
		},
		{
			"the default that comes with the program is absent",
			relayStage{programs: map[string]string{"claude": fine}},
			0, "default", checkWarn, "codex cannot be asked now", fixDefault,
		},
		{
			"ollama is installed and does not run",
			relayStage{programs: map[string]string{"claude": fine, "ollama": fine}, settings: gone},
			1, "ollama", checkBad, "installed but not running", "ollama serve",
		},
		{
			"a server of the settings is gone",
			relayStage{programs: map[string]string{"claude": fine}, settings: server("mine", goneServer())},
			1, "mine", checkBad, "not installed (http://127.0.0.1:", "install",
		},
		{
			"a server of the settings never answers",
			relayStage{programs: map[string]string{"claude": fine}, settings: server("mine", silentServer(t))},
			1, "mine", checkBad, "no answer within 3s", "",
		},
		{
			"a server has models",
			relayStage{settings: ollama(modelServer(t, models))},
			0, "ollama", checkOK, "(1 model)", "",
		},
		{
			"a server has another model",
			relayStage{settings: ollama(modelServer(t, `{"models":[{"name":"other"}]}`))},
			0, "ollama", checkWarn, "it has no model m", "ollama pull m",
		},
		{
			"a server has no models",
			relayStage{settings: ollama(modelServer(t, `{"models":[]}`))},
			2, "ollama", checkBad, "no models", "ollama pull m",
		},
		{
			"a server answers something else",
			relayStage{settings: ollama(modelServer(t, "<html>"))},
			2, "ollama", checkBad, "the server answered with an error", "",
		},
		{
			"a key is not set",
			relayStage{
				programs: map[string]string{"claude": fine},
				settings: "[backends.mine]\napi = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nkey_env = \"MY_KEY\"\n",
			},
			1, "mine", checkBad, "the variable MY_KEY is not set", "export MY_KEY=",
		},
	}
}

func TestTheExitStatusSaysHowManyBackendsCanBeAsked(t *testing.T) {
	t.Parallel()
	for _, test := range relayCases(t) {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			reply, err := doctor.Call(t.Context(), test.stage.open(t), doctorIn{Relay: true}, nil)
			status := 0
			var out doctorOut
			if err != nil {
				row, _ := core.AsError(err).Code.Row()
				status = row.Exit
				out, _ = core.AsError(err).Details.(doctorOut)
			} else {
				out, _ = reply.Value.(doctorOut)
			}
			if status != test.status {
				t.Errorf("exit status %d, not %d: %v", status, test.status, err)
			}
			found := false
			for _, row := range out.Checks {
				if row.Name != test.name {
					continue
				}
				found = true
				if row.State != test.state || !strings.Contains(row.Detail, test.detail) ||
					!strings.Contains(row.Fix, test.fix) {
					t.Errorf("got %s, %q, %q", row.State, row.Detail, row.Fix)
				}
			}
			if !found || out.Relay == nil {
				t.Errorf("no row %s in %+v", test.name, out)
			}
		})
	}
}

func TestAnAbsentBackendMakesNoExaminationWorse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		stage relayStage
		state string
	}{
		{"nothing is there", relayStage{}, checkMissing},
		{"one of the usual ones", relayStage{programs: map[string]string{"claude": "echo 1"}}, checkOK},
		{
			"one that does not start",
			relayStage{programs: map[string]string{"claude": "echo 1", "codex": "exit 3"}},
			checkWarn,
		},
	} {
		out := examine(t.Context(), test.stage.open(t))
		for _, row := range out.Checks {
			if row.Area == areaRelay && row.State != test.state {
				t.Errorf("%s: %+v", test.why, row)
			}
		}
	}
}

package verbs

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/verb/catalog"

	"github.com/BurntSushi/toml"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
	"cupola/robot/service"
)

// step is a step of a pipeline in its file.
type step struct {
	Name string         `toml:"name"`
	Verb string         `toml:"verb"`
	Args map[string]any `toml:"args"`
}

// steppers runs pipelines for clients with a border.
type steppers struct {
	server  verbtest.Server
	service *service.Service
	env     *verb.Env
}

// run runs a pipeline: a step that labels api.1 as web, one that presses a key there, and one that makes a call. It
// returns the keys that were pressed.
func (s *steppers) run(t *testing.T, v *registry.Verb, input map[string]any) (out string, code core.Code,
	pressed []string,
) {
	t.Helper()
	var file bytes.Buffer
	err := toml.NewEncoder(&file).Encode(map[string]any{"step": []step{
		{"mark", "label", map[string]any{"session": "api.1", "label": "web"}},
		{"press", "keys", map[string]any{"session": "api.1", "keys": []string{"Escape"}}},
		{"last", v.Name, input},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.env.Dir, "steps.toml"), file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s.server.Pressed = nil
	out, code = asked(t, s.service, catalog.All().Find("pipeline-run"),
		map[string]any{"file": "steps.toml", "session": "api"})
	return out, code, s.server.Pressed
}

// stepInput is a call of a verb as a step makes it.
func stepInput(t *testing.T, v *registry.Verb) map[string]any {
	t.Helper()
	input := callOf(t, v)
	if v.Field("yes") != nil {
		input["yes"] = true
	}
	return input
}

// TestStepsAreAdmittedLikeCalls has every verb as the last step of a pipeline of clients with a border. What the border
// does not admit as a call, it does not as a step, and nothing runs before it; what is known only when the other steps
// have run is judged then.
func TestStepsAreAdmittedLikeCalls(t *testing.T) {
	borders := map[string]registry.Border{
		"level":       {Level: registry.Writes, Commands: true},
		"confinement": {Level: registry.Destroys, Commands: true, Sessions: []string{"api"}},
	}
	clients := map[string]*steppers{}
	for name, border := range borders {
		s := &steppers{}
		s.service, s.env = borderedOn(t, &s.server, catalog.All().Find("pipeline-run"), border)
		clients[name] = s
	}
	refused := map[string]int{}
	try := func(name string, v *registry.Verb, input map[string]any, before int) {
		out, code, pressed := clients[name].run(t, v, input)
		if code == core.InvalidInput && strings.Contains(out, "cannot be a step") {
			return
		}
		refused[name]++
		if code != core.PermissionDenied || len(pressed) != before {
			t.Errorf("%s, %s, %v: %q after %q: %s", v.Name, name, input, code, pressed, out)
		}
	}
	for _, v := range catalog.All().Verbs {
		if v.Local || v.Streams {
			continue
		}
		for name := range clients {
			if input := stepInput(t, v); !admits(t, borders[name], v, input) {
				try(name, v, input, 0)
			}
		}
		for _, field := range v.Fields() {
			input := stepInput(t, v)
			input[field.Name] = "api"
			if field.Means != registry.MeansSession || !admits(t, borders["confinement"], v, input) {
				continue
			}
			input[field.Name] = "${steps.mark.panes.0.label}"
			try("confinement", v, input, len([]string{"%1", "Escape"}))
		}
	}
	if refused["level"] < 10 || refused["confinement"] < 100 {
		t.Errorf("only %v were refused", refused)
	}
}

// admits reports whether a border admits a call.
func admits(t *testing.T, border registry.Border, v *registry.Verb, input map[string]any) bool {
	t.Helper()
	in, err := registry.Fill(v, maps.Clone(input))
	if err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	_, err = border.Admit(v, in)
	return err == nil
}

package relays

import (
	"os/exec"
	"slices"
	"testing"

	"cupola/core/bridge"
	"cupola/core/verb/verbtest"
)

// TestOnlyWhatIsHereCanBeAsked suggests no program or server of this machine that is not installed, and no service
// without its key.
func TestOnlyWhatIsHereCanBeAsked(t *testing.T) {
	for _, c := range []struct {
		name     string
		programs []string
		getenv   map[string]string
		want     []string
	}{
		{name: "nothing"},
		{name: "programs", programs: []string{"claude", "ollama"}, want: []string{"claude", "ollama"}},
		{name: "a server", getenv: map[string]string{"OLLAMA_HOST": "http://box:11434"}, want: []string{"ollama"}},
		{name: "a key", getenv: map[string]string{"OPENAI_API_KEY": "x"}, want: []string{"openai"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := verbtest.Env(t, nil, nil)
			env.Bridges = bridge.Open(nil, func(program string) (string, error) {
				if slices.Contains(c.programs, program) {
					return "/opt/bin/" + program, nil
				}
				return "", exec.ErrNotFound
			})
			for name, value := range c.getenv {
				env.Environ = append(env.Environ, name+"="+value)
			}
			env.Getenv = func(name string) string { return c.getenv[name] }
			if got, _, err := Askable(&env.Local); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

package verbs

import (
	"errors"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

// stagedFor is an environment where the examples of a verb run.
func stagedFor(t *testing.T, s *verbtest.Server, v *registry.Verb) *verb.Env {
	t.Helper()
	return verbtest.Staged(t, s, allVerbs(), v)
}

func TestEveryVerbFailsAsTheFleetDoes(t *testing.T) {
	cause := core.Errorf(core.EngineUnavailable, "no tmux here")
	for _, verb := range allVerbs().Verbs {
		env := stagedFor(t, &verbtest.Server{}, verb)
		env.OpenFleet = func() (*fleet.Fleet, error) { return nil, cause }
		in := exampleOf(t, verb, verb.Examples()[0])
		_, err := verb.Call(t.Context(), env, in, nil)
		if err == nil && slices.Contains(verb.Errors, core.EngineUnavailable) {
			t.Errorf("%s says that it needs the engine, and does not", verb.Name)
		}
		if err == nil {
			continue
		}
		if errors.Is(err, cause) == slices.Contains(verb.Errors, core.EngineUnavailable) {
			continue
		}
		_, well := verb.Call(t.Context(), stagedFor(t, &verbtest.Server{}, verb), in, nil)
		if errors.Is(err, cause) || code(core.AsError(well)) != code(core.AsError(err)) {
			t.Errorf("%s: got %v, declares %v", verb.Name, err, verb.Errors)
		}
	}
}
